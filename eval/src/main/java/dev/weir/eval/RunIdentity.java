package dev.weir.eval;

import dev.weir.eval.EarlierRuns.Planned;
import dev.weir.eval.option.Option;
import dev.weir.eval.option.Option.Group;
import dev.weir.eval.option.Options;
import dev.weir.eval.task.TaskDefinition.NamedScorer;
import dev.weir.log.RunStart;
import dev.weir.log.TaskOrigin;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What makes two runs the same: a task, its arguments, a model, and all that changes answers and
 * scores. How fast calls are made, how often they are tried again, where they go and what is
 * remembered of them does not; nor do epochs and the choice of samples, which are told one by one.
 */
final class RunIdentity {

  private static final int BYTES = 6;

  /** All of these change what is answered. */
  private static final Set<Group> GROUPS = Set.of(Group.GENERATION, Group.SAMPLE_LIMITS);

  /** Of the other groups, only these do. */
  private static final Set<String> OPTIONS =
      Set.of("model-args", "model-role", "seed", "score-on-error");

  private RunIdentity() {}

  /** For people, too: {@code capitals.yaml@capitals#hash/openai/gpt-4o/hash}. */
  static String of(Planned planned) {
    return of(
        planned.task().provenance().origin(),
        planned.task().name(),
        planned.task().provenance().solvers(),
        scorers(
            planned.task().scorers().stream().map(NamedScorer::name).toList(),
            planned.task().provenance().scorers()),
        planned.model().toString(),
        planned.config());
  }

  static String of(RunStart start) {
    return of(
        start.origin(),
        start.task(),
        start.solvers(),
        scorers(start.scorers(), start.scorerSteps().orElse(List.of())),
        start.model(),
        start.config());
  }

  /** Their names and, of those that were given something, what that is. */
  private static List<String> scorers(List<String> names, List<RunStart.Step> steps) {
    return Stream.concat(
            names.stream(),
            steps.stream().filter(step -> !step.arguments().isEmpty()).map(RunStart.Step::json))
        .toList();
  }

  private static String of(
      Optional<TaskOrigin> origin,
      String task,
      List<RunStart.Step> solvers,
      List<String> scorers,
      String model,
      Map<String, String> config) {
    Map<String, String> arguments =
        new TreeMap<>(origin.map(TaskOrigin::arguments).orElse(Map.of()));
    return "%s@%s#%s/%s/%s"
        .formatted(
            origin.map(TaskOrigin::source).orElse(""),
            task,
            hash(arguments),
            model,
            hash(
                List.of(
                    solvers.stream().map(RunStart.Step::json).toList(),
                    scorers,
                    deciding(config))));
  }

  /** The options that change answers and scores. */
  static Map<String, String> deciding(Map<String, String> config) {
    Map<String, String> deciding = new TreeMap<>();
    config.forEach(
        (key, word) -> {
          if (Options.find(key).filter(RunIdentity::decides).isPresent()) {
            deciding.put(key, word);
          }
        });
    return deciding;
  }

  /** Whether it changes what is answered, or how that is scored. */
  static boolean decides(Option option) {
    return GROUPS.contains(option.group()) || OPTIONS.contains(option.name());
  }

  /** A short name for what a text says. */
  static String hash(Object value) {
    try {
      byte[] bytes = value.toString().getBytes(StandardCharsets.UTF_8);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes), 0, BYTES);
    } catch (NoSuchAlgorithmException missing) {
      throw new IllegalStateException("each Java has SHA-256", missing);
    }
  }
}
