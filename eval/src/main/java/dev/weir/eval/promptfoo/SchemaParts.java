package dev.weir.eval.promptfoo;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/** Parts of a JSON schema that a validator passes over if they are broken. */
final class SchemaParts {

  /** What holds values, not schemas. */
  private static final Set<String> DATA = Set.of("enum", "const", "default", "example", "examples");

  private SchemaParts() {}

  /** Patterns that are none, and references within the schema that lead nowhere. */
  static Optional<String> defect(@Nullable Object schema) {
    return defect(schema, schema);
  }

  private static Optional<String> defect(@Nullable Object part, @Nullable Object root) {
    if (part instanceof List<?> list) {
      return list.stream().flatMap(member -> defect(member, root).stream()).findFirst();
    }
    if (!(part instanceof Map<?, ?> map)) {
      return Optional.empty();
    }
    return map.entrySet().stream()
        .filter(entry -> !DATA.contains(String.valueOf(entry.getKey())))
        .flatMap(
            entry ->
                own(String.valueOf(entry.getKey()), entry.getValue(), root)
                    .or(() -> defect(entry.getValue(), root))
                    .stream())
        .findFirst();
  }

  private static Optional<String> own(String key, @Nullable Object value, @Nullable Object root) {
    if (key.equals("pattern") && value instanceof String pattern) {
      return patternDefect(pattern);
    }
    if (key.equals("patternProperties") && value instanceof Map<?, ?> schemas) {
      return schemas.keySet().stream()
          .flatMap(pattern -> patternDefect(String.valueOf(pattern)).stream())
          .findFirst();
    }
    return key.equals("$ref")
            && value instanceof String reference
            && reference.startsWith("#/")
            && !leadsSomewhere(reference, root)
        ? Optional.of("$ref %s leads nowhere".formatted(reference))
        : Optional.empty();
  }

  private static Optional<String> patternDefect(String pattern) {
    try {
      Pattern.compile(pattern);
      return Optional.empty();
    } catch (PatternSyntaxException malformed) {
      return Optional.of(
          "/%s/ is no regular expression: %s".formatted(pattern, malformed.getDescription()));
    }
  }

  /** A part with an {@code $id} begins anew, which is left to the validator. */
  private static boolean leadsSomewhere(String reference, @Nullable Object root) {
    if (reference.contains("%") || Json.write(root).contains("\"$id\"")) {
      return true;
    }
    @Nullable Object at = root;
    for (String step : reference.substring(2).split("/", -1)) {
      String key = step.replace("~1", "/").replace("~0", "~");
      if (at instanceof Map<?, ?> map && map.containsKey(key)) {
        at = map.get(key);
      } else if (at instanceof List<?> list
          && key.matches("\\d{1,6}")
          && Integer.parseInt(key) < list.size()) {
        at = list.get(Integer.parseInt(key));
      } else {
        return false;
      }
    }
    return true;
  }
}
