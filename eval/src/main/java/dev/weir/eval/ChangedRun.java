package dev.weir.eval;

import dev.weir.eval.EarlierRuns.Planned;
import dev.weir.eval.option.Option;
import dev.weir.eval.option.Options;
import dev.weir.eval.option.Secrets;
import dev.weir.eval.task.TaskDefinition.NamedScorer;
import dev.weir.log.LogFiles;
import dev.weir.log.RunResult;
import dev.weir.log.RunStart;
import dev.weir.log.TaskOrigin;
import dev.weir.model.ConfigurationException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What is asked otherwise by a run than by the log that it goes on with, though its finished
 * samples are kept.
 */
final class ChangedRun {

  private static final int LONGEST_WORD = 60;

  /** Options that change a result although no sample is run. */
  private static final Set<String> OF_RESULTS =
      Set.of("epochs_reducer", "threshold", "fail_on_error", "tags", "metadata");

  private ChangedRun() {}

  /**
   * What people should know of the answers that are kept.
   *
   * @param old with the samples that the run keeps
   * @throws ConfigurationException if they are answers of another model, or were scored otherwise
   */
  static List<String> told(Retried old, Planned now) {
    int kept = old.finished().size();
    if (kept == 0) {
      return List.of();
    }
    List<String> told = new ArrayList<>();
    String before = old.start().model();
    String model = now.model().toString();
    if (!before.equals(model)) {
      String whose =
          "%s: %d finished samples are answers of %s"
              .formatted(old.log().getFileName(), kept, before);
      if (!Retrying.isForeign(old.start())) {
        throw new ConfigurationException(
            "%s, and cannot be kept as answers of %s; run all on that model with `weir eval`, or leave --model out to go on"
                .formatted(whose, model));
      }
      // Programs give the same model different names.
      told.add(
          "%s, and kept as answers of %s: right only if both names mean one model"
              .formatted(whose, model));
    }
    requireScoredAlike(old, now);
    List<String> changes = changes(old.start(), now);
    if (!changes.isEmpty()) {
      told.add(
          "%s: %d finished samples are reused although they were run with other settings (%s); `weir eval` reruns all with the current settings"
              .formatted(old.log().getFileName(), kept, String.join("; ", changes)));
    }
    return told;
  }

  /** Scores of a scorer that was given something else cannot be one number with new ones. */
  private static void requireScoredAlike(Retried old, Planned now) {
    Map<String, String> before =
        written(old.start().scorers(), old.start().scorerSteps().orElse(List.of()));
    Map<String, String> is =
        written(
            now.task().scorers().stream().map(NamedScorer::name).toList(),
            now.task().provenance().scorers());
    List<String> changed = new ArrayList<>();
    long scored = 0;
    for (Map.Entry<String, String> scorer : before.entrySet()) {
      String name = scorer.getKey();
      String other = is.getOrDefault(name, scorer.getValue());
      long kept =
          other.equals(scorer.getValue())
              ? 0
              : old.finished().values().stream()
                  .filter(sample -> sample.scores().containsKey(name))
                  .count();
      if (kept > 0) {
        scored = Math.max(scored, kept);
        changed.add(
            "%s was %s, is %s"
                .formatted(name, shown(Optional.of(scorer.getValue())), shown(Optional.of(other))));
      }
    }
    if (!changed.isEmpty()) {
      throw new ConfigurationException(
          "%s: %d finished samples were scored by another scorer (%s), and their scores cannot be one number with new ones; to go on, undo that change, and let `weir score` score all answers anew at the end; or give the changed scorer another `name`, and let `weir score` add what kept samples lack; `weir eval` runs all"
              .formatted(old.log().getFileName(), scored, String.join("; ", changed)));
    }
  }

  /** What each scorer was given, by name; nothing if nobody wrote it down. */
  private static Map<String, String> written(List<String> names, List<RunStart.Step> scorers) {
    Map<String, String> written = new LinkedHashMap<>();
    if (names.size() == scorers.size()) {
      for (int i = 0; i < names.size(); i++) {
        RunStart.Step step = scorers.get(i);
        written.put(
            names.get(i),
            step.solver() + (step.arguments().isEmpty() ? "" : " " + step.arguments()));
      }
    }
    return written;
  }

  /**
   * Whether a run ended well, and another one would write what its log has. A journal with an end
   * is of a run that was killed before its log was written, which is still to be done.
   */
  static boolean isComplete(Retried old, Planned now) {
    Retried.Choice choice = old.choice();
    return !old.log().toString().endsWith(LogFiles.JOURNAL)
        && old.end().filter(end -> end.status() == RunResult.Status.SUCCESS).isPresent()
        && choice.run() == 0
        && choice.leftOut() == 0
        && choice.unscored() == 0
        && old.damage().isEmpty()
        && old.start()
            .scorers()
            .equals(now.task().scorers().stream().map(NamedScorer::name).toList())
        && old.start()
            .scorerMetrics()
            .filter(metrics -> !metrics.equals(RecoveredScores.metrics(now.task().scorers())))
            .isEmpty()
        && OF_RESULTS.stream()
            .allMatch(key -> Objects.equals(old.start().config().get(key), now.config().get(key)));
  }

  /** Options, arguments and solvers that are not as they were. */
  static List<String> changes(RunStart before, Planned now) {
    List<String> changes = new ArrayList<>();
    for (Option option : Options.all()) {
      if (RunIdentity.decides(option)) {
        Optional<String> was = word(option, before, before.config());
        Optional<String> is = word(option, before, now.config());
        if (!was.equals(is)) {
          changes.add("--%s was %s, is %s".formatted(option.name(), shown(was), shown(is)));
        }
      }
    }
    if (!Retrying.isForeign(before)) {
      arguments(before, now).forEach(name -> changes.add("-T " + name));
      if (!steps(before.solvers()).equals(steps(now.task().provenance().solvers()))) {
        changes.add("the solver");
      }
    }
    return changes;
  }

  /** As it was given, without credentials, which no log has. */
  private static Optional<String> word(Option option, RunStart before, Map<String, String> config) {
    Optional<String> word = Optional.ofNullable(config.get(option.key()));
    if (Retrying.isForeign(before)) {
      word = word.map(Retrying::own);
    }
    if (option.merged()) {
      return word.flatMap(Secrets::withoutHidden);
    }
    return word.filter(text -> !Secrets.isHidden(text));
  }

  private static String shown(Optional<String> word) {
    return word.map(
            text -> text.length() > LONGEST_WORD ? text.substring(0, LONGEST_WORD) + "…" : text)
        .orElse("not set");
  }

  private static Iterable<String> arguments(RunStart before, Planned now) {
    Map<String, String> was = new LinkedHashMap<>();
    before.origin().map(TaskOrigin::arguments).ifPresent(was::putAll);
    Map<String, String> is = new LinkedHashMap<>();
    now.task().provenance().origin().map(TaskOrigin::arguments).ifPresent(is::putAll);
    var names = new TreeSet<String>(was.keySet());
    names.addAll(is.keySet());
    names.removeIf(name -> Objects.equals(was.get(name), is.get(name)));
    return names;
  }

  private static List<String> steps(List<RunStart.Step> solvers) {
    return solvers.stream().map(RunStart.Step::json).toList();
  }
}
