package dev.weir.eval;

import dev.weir.eval.option.Option;
import dev.weir.eval.option.Options;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Settings;
import dev.weir.eval.task.TaskDefinition.NamedScorer;
import dev.weir.log.RunStart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What makes two scorings the same: the answers, the scorers with all they were given, the models
 * that grade. How fast those are asked does not.
 */
final class ScoringIdentity {

  /** Longer texts are no names of files. */
  private static final int LONGEST_NAME = 4_096;

  private ScoringIdentity() {}

  /**
   * A hash, since what scorers and models are given may be secret. Absent if nobody wrote the
   * scorers: then it cannot be known what they do.
   *
   * @param old how the run began whose answers are scored
   * @param seed what graders that draw depend on
   */
  static Optional<String> of(
      Rescoring.Request request, RunStart old, RunOptions options, Settings given, long seed) {
    if (request.written().isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        RunIdentity.hash(
            List.of(
                old.runId(),
                request.action(),
                request.scorers().stream().map(NamedScorer::name).toList(),
                request.written().stream().map(ScoringIdentity::told).toList(),
                new TreeMap<>(options.modelRoles()),
                deciding(given),
                seed,
                request.repeat())));
  }

  private static Map<String, String> deciding(Settings given) {
    Map<String, String> deciding = new TreeMap<>();
    for (Option option : Options.all()) {
      // Roles are told as they are understood, and the seed is that of the log if none is given.
      boolean isTold = option.name().equals("model-role") || option.name().equals("seed");
      // The same name at another place is another model.
      boolean isPlace = option.name().equals("model-base-url");
      if ((RunIdentity.decides(option) || isPlace) && !isTold) {
        given.setting(option).ifPresent(setting -> deciding.put(option.key(), setting.word()));
      }
    }
    return deciding;
  }

  private static List<Object> told(RunStart.Step scorer) {
    return List.of(scorer.json(), contents(scorer.arguments().values()));
  }

  /** Of arguments that name a file, what is in it: another schema is another scorer. */
  private static List<String> contents(Iterable<?> values) {
    List<String> contents = new ArrayList<>();
    for (Object value : values) {
      switch (value) {
        case String text when text.length() <= LONGEST_NAME ->
            content(text).ifPresent(contents::add);
        case Iterable<?> list -> contents.addAll(contents(list));
        case Map<?, ?> map -> contents.addAll(contents(map.values()));
        default -> {}
      }
    }
    return contents;
  }

  private static Optional<String> content(String name) {
    try {
      Path file = Path.of(name);
      return Files.isRegularFile(file) ? Optional.of(Files.readString(file)) : Optional.empty();
    } catch (IOException | InvalidPathException none) {
      return Optional.empty();
    }
  }
}
