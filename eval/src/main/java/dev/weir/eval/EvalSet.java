package dev.weir.eval;

import dev.weir.eval.EarlierRuns.Complete;
import dev.weir.eval.EarlierRuns.Found;
import dev.weir.eval.EarlierRuns.GoOn;
import dev.weir.eval.EarlierRuns.Nothing;
import dev.weir.eval.EarlierRuns.Planned;
import dev.weir.eval.Evaluation.Finished;
import dev.weir.eval.Evaluation.FinishedRun;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Settings;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.log.RunResult;
import dev.weir.log.journal.JournalLock;
import dev.weir.log.journal.JournalLockedException;
import dev.weir.model.ConfigurationException;
import dev.weir.time.Time;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Tasks × models in one directory. What is complete there is not run again, what is not is gone on
 * with; so the same command, or one with more tasks, models or epochs, runs what is missing.
 * Thread-safe; runs once.
 */
public final class EvalSet implements AutoCloseable {

  private static final int MOST_SHOWN = 3;

  private final Path directory;
  private final Rules rules;
  private final Evaluation evaluation;
  private final List<String> notes;
  private final JournalLock lock;

  private EvalSet(
      JournalLock lock, Path directory, Rules rules, Evaluation evaluation, List<String> notes) {
    this.lock = lock;
    this.directory = directory;
    this.rules = rules;
    this.evaluation = evaluation;
    this.notes = notes;
  }

  /**
   * @param attempts how often a run that fails is gone on with at once
   * @param allowsOthers whether logs that are not of the set may be in its directory
   * @param removesFailed whether logs of failed runs are removed when one has ended well
   */
  public record Rules(int attempts, boolean allowsOthers, boolean removesFailed) {

    public static final Rules DEFAULTS = new Rules(10, false, true);
  }

  /**
   * Finds out what is to be run. Until it is closed, no other process runs the set.
   *
   * @param given with the directory of the set as {@code log-dir}
   * @throws ConfigurationException if anything cannot be used, the set runs already, or its
   *     directory holds other logs
   */
  public static EvalSet prepare(
      Time time, List<TaskDefinition> tasks, Settings given, Host host, Rules rules) {
    Path directory =
        RunOptions.parse(given)
            .logDir()
            .orElseThrow(
                () ->
                    new ConfigurationException(
                        "a set needs a directory of its own; give it with --log-dir DIR"));
    requireDistinct(tasks);
    JournalLock lock = locked(directory);
    try {
      return prepare(lock, directory, time, tasks, given, host, rules);
    } catch (RuntimeException | Error unusable) {
      release(lock);
      throw unusable;
    }
  }

  private static JournalLock locked(Path directory) {
    try {
      Files.createDirectories(directory);
      return JournalLock.take(directory.resolve(SetFile.NAME));
    } catch (JournalLockedException running) {
      throw new ConfigurationException(
          "the set in %s runs already; wait until it has ended, or choose another --log-dir"
              .formatted(directory),
          running);
    } catch (IOException unusable) {
      throw new ConfigurationException(
          "the log directory %s cannot be written to (%s); choose another one with --log-dir"
              .formatted(
                  directory, Files.isRegularFile(directory) ? "it is a file" : unusable.toString()),
          unusable);
    }
  }

  private static void release(JournalLock lock) {
    try {
      lock.close();
    } catch (IOException left) {
      // It ends with this process.
    }
  }

  private static EvalSet prepare(
      JournalLock lock,
      Path directory,
      Time time,
      List<TaskDefinition> tasks,
      Settings given,
      Host host,
      Rules rules) {
    SetFile file =
        SetFile.read(directory)
            .orElseGet(
                () ->
                    new SetFile(
                        Long.toUnsignedString(time.freshSeed(), Character.MAX_RADIX),
                        time.freshSeed() >>> 40,
                        Set.of()));
    SetLogs logs = SetLogs.in(directory);
    Set<String> planned = new HashSet<>();
    List<String> notes = new ArrayList<>(logs.unreadable());
    Evaluation evaluation =
        Preparation.of(
            time,
            tasks,
            given,
            host,
            // The same each time: with it, so are samples that are drawn.
            Optional.of(file.seed()),
            run -> {
              String identity = RunIdentity.of(run);
              planned.add(identity);
              Found found = found(run, logs.of(identity), notes::add);
              if (found instanceof Nothing) {
                notUsed(run, logs).ifPresent(notes::add);
              }
              return found;
            },
            rules.attempts());
    SetFile whole = file.with(planned);
    if (!rules.allowsOthers()) {
      requireOwn(directory, logs, whole);
    }
    whole.write(directory);
    notes.addAll(evaluation.keptFrom());
    return new EvalSet(lock, directory, rules, evaluation, notes);
  }

  /** Two runs of the same identity would take each other for a retry. */
  private static void requireDistinct(List<TaskDefinition> tasks) {
    Set<Object> seen = new HashSet<>();
    for (TaskDefinition task : tasks) {
      if (!seen.add(List.of(task.provenance().origin(), task.name()))) {
        throw new ConfigurationException("the task %s is given twice".formatted(task.name()));
      }
    }
  }

  /**
   * Samples and epochs may have been taken away and given back since: an older log can be complete,
   * or have more of what is asked for than the newest.
   *
   * @param logs of the run, the newest first
   * @param told is told which of them cannot be read
   */
  private static Found found(Planned run, List<SetLogs.Log> logs, Consumer<String> told) {
    Optional<Retried> best = Optional.empty();
    Optional<ConfigurationException> unreadable = Optional.empty();
    for (SetLogs.Log log : logs) {
      try {
        Retried old = run.kept(Retrying.read(log.file()));
        if (isComplete(old, run)) {
          failed(old).ifPresent(told);
          return new Complete(
              new FinishedRun(
                  old.end().orElseThrow(),
                  Optional.of(log.file()),
                  Optional.empty(),
                  Optional.empty(),
                  Set.of()));
        }
        if (best.isEmpty() || best.get().finished().size() < old.finished().size()) {
          best = Optional.of(old);
        }
      } catch (ConfigurationException damaged) {
        unreadable = unreadable.or(() -> Optional.of(damaged));
      }
    }
    if (best.isEmpty() && unreadable.isPresent()) {
      // What it has would be paid for again.
      throw unreadable.get();
    }
    unreadable.map(ConfigurationException::getMessage).ifPresent(told);
    return best.isPresent() ? new GoOn(best.get()) : new Nothing();
  }

  /** What was tolerated once is not run again, which nobody may guess. */
  private static Optional<String> failed(Retried old) {
    int failed = old.failed().size();
    return failed == 0
        ? Optional.empty()
        : Optional.of(
            "%s: %d failed, which --fail-on-error allowed; `weir eval-retry %s` runs them"
                .formatted(old.log().getFileName(), failed, old.log()));
  }

  /**
   * Who changes a setting may believe that a run goes on with it: says what begins anew instead, by
   * the newest log that has anything of the same task and model.
   */
  private static Optional<String> notUsed(Planned run, SetLogs logs) {
    for (SetLogs.Log log : logs.logs()) {
      boolean isAlike =
          log.start().task().equals(run.task().name())
              && log.start().model().equals(run.model().toString());
      int finished = isAlike ? log.finished() : 0;
      if (finished > 0) {
        List<String> changes = ChangedRun.changes(log.start(), run);
        return Optional.of(
            "%s: %d finished samples of %s on %s are not used, because they were run with other settings (%s); other settings make another run, which begins anew"
                .formatted(
                    log.file().getFileName(),
                    finished,
                    log.start().task(),
                    log.start().model(),
                    changes.isEmpty()
                        ? "another scorer, or task file"
                        : String.join("; ", changes)));
      }
    }
    return Optional.empty();
  }

  /** It ended well, and is just what it would be if it was run now. */
  private static boolean isComplete(Retried old, Planned run) {
    return old.end().filter(end -> end.status() == RunResult.Status.SUCCESS).isPresent()
        && old.choice().absent() == 0
        && old.start().epochs() == run.epochs()
        && old.start().samples() == run.task().dataset().samples().size()
        && Objects.equals(
            old.start().config().get("epochs_reducer"), run.config().get("epochs_reducer"));
  }

  private static void requireOwn(Path directory, SetLogs logs, SetFile file) {
    List<String> others =
        logs.logs().stream()
            .filter(log -> !file.runs().contains(log.identity()))
            .filter(log -> log.start().scoringOf().isEmpty())
            .map(log -> log.file().getFileName().toString())
            .toList();
    if (!others.isEmpty()) {
      throw new ConfigurationException(
          "%s holds %s not of this set (%s%s); choose another --log-dir, or allow them with --log-dir-allow-dirty"
              .formatted(
                  directory,
                  others.size() == 1 ? "a log that is" : others.size() + " logs that are",
                  others.stream().limit(MOST_SHOWN).collect(Collectors.joining(", ")),
                  others.size() > MOST_SHOWN ? ", …" : ""));
    }
  }

  /** What is to be run; absent if all is complete. */
  public Optional<Evaluation> evaluation() {
    return evaluation.isEmpty() ? Optional.empty() : Optional.of(evaluation);
  }

  /** What becomes of the logs that are there, in sentences. */
  public List<String> notes() {
    return notes;
  }

  /** How many runs were complete before. */
  public int complete() {
    return evaluation.complete().size();
  }

  /**
   * All runs of the set: those that were complete, and those that have ended now. Removes the logs
   * of failed runs that nobody needs any more.
   *
   * @param ended what was run; absent if nothing was
   */
  public Finished finish(Optional<Finished> ended) {
    List<FinishedRun> all = new ArrayList<>(evaluation.complete());
    ended.ifPresent(now -> all.addAll(now.runs()));
    if (rules.removesFailed()) {
      Set<String> succeeded =
          all.stream()
              .filter(run -> run.result().status() == RunResult.Status.SUCCESS)
              .filter(run -> run.notWritten().isEmpty())
              .map(run -> RunIdentity.of(run.result().start()))
              .collect(Collectors.toSet());
      try {
        SetLogs.in(directory).removeFailed(succeeded);
      } catch (IOException | ConfigurationException unremoved) {
        // They take room, and harm nothing.
      }
    }
    return new Finished(all);
  }

  /** Lets other processes run the set. */
  @Override
  public void close() {
    release(lock);
  }
}
