package dev.weir.eval.promptfoo;

import dev.weir.model.ConfigurationException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The models that judge, each with a role of its own. Not thread-safe. */
final class Graders {

  private final TargetReader targets;
  private final Problems problems;
  private final Map<String, Grader> known = new LinkedHashMap<>();
  private final Map<String, Object> roles = new LinkedHashMap<>();
  private int next = 2;

  Graders(TargetReader targets, Problems problems) {
    this.targets = targets;
    this.problems = problems;
  }

  /** The one that judges by default: people may choose another on the command line. */
  Optional<Grader> readDefault(Value provider) {
    return read(provider, Grader.ROLE);
  }

  Optional<Grader> read(Value provider) {
    return read(provider, "grader-" + next);
  }

  private Optional<Grader> read(Value given, String role) {
    Value provider = given;
    if (given.isMapping() && given.member("id").isEmpty()) {
      for (String kind : java.util.List.of("embedding", "classification", "moderation")) {
        if (given.member(kind).isPresent()) {
          problems.unsupported(
              given.placeOf(kind),
              "a provider for '%s'".formatted(kind),
              "similarity is computed here, by the module weir-embeddings");
        }
      }
      if (given.member("text").isEmpty() && given.member("embedding").isPresent()) {
        return Optional.empty();
      }
      provider = given.member("text").orElse(given);
    }
    String key = Json.write(provider.plain());
    Grader same = known.get(key);
    if (same != null) {
      return Optional.of(same);
    }
    Optional<Target> target = targets.readOne(provider);
    if (target.isEmpty()) {
      return Optional.empty();
    }
    try {
      var grader = new Grader(role, target.get().generation());
      known.put(key, grader);
      roles.put(role, target.get().role());
      next += role.equals(Grader.ROLE) ? 0 : 1;
      return Optional.of(grader);
    } catch (ConfigurationException wrong) {
      problems.add(String.valueOf(wrong.getMessage()));
      return Optional.empty();
    }
  }

  /** What the roles play, for the setting {@code model-role}. */
  Map<String, Object> roles() {
    return roles;
  }
}
