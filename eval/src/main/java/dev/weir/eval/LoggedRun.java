package dev.weir.eval;

import dev.weir.eval.Evaluation.FinishedRun;
import dev.weir.eval.dataset.Sample;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Secrets;
import dev.weir.eval.run.Budget;
import dev.weir.eval.run.CallWatch;
import dev.weir.eval.run.EarlyEnd;
import dev.weir.eval.run.KeptSamples;
import dev.weir.eval.run.Pause;
import dev.weir.eval.run.PricedModel;
import dev.weir.eval.run.Run;
import dev.weir.eval.run.RunPlan;
import dev.weir.eval.run.RunProgress;
import dev.weir.eval.run.RunTrace;
import dev.weir.eval.sandbox.SandboxProvider;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.eval.task.TaskDefinition.NamedScorer;
import dev.weir.log.ConfigChange;
import dev.weir.log.DatasetRecord;
import dev.weir.log.EarlierUse;
import dev.weir.log.LimitChange;
import dev.weir.log.Reduced;
import dev.weir.log.RunLog;
import dev.weir.log.RunResult;
import dev.weir.log.RunStart;
import dev.weir.log.SampleIds;
import dev.weir.log.SampleResult;
import dev.weir.log.inspect.SampleId;
import dev.weir.log.journal.JournalOptions;
import dev.weir.time.Task;
import dev.weir.time.TaskFailedException;
import dev.weir.time.Time;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One task on one model, with its log. Thread-safe; runs once. */
final class LoggedRun {

  private static final int MOST_CHANGES = 1_000;

  // Nothing is written in a rehearsal.
  private final Optional<Path> logDir;
  private final RunStart start;
  private final Run run;
  // The models of the run, as they were asked for, that each scope limits.
  private final Map<String, Set<String>> namesByScope;
  private final Time time;
  private final Optional<Retried> retried;
  private final Consumer<String> warn;
  private final long logBuffer;
  // Guarded by itself: those that came before there was a log.
  private final List<ConfigChange> changes = new ArrayList<>();
  private volatile @Nullable RunLog log;
  private volatile @Nullable Path file;
  private volatile @Nullable Task<Retried.Copied> copying;
  private volatile @Nullable String notWritten;
  private volatile @Nullable RunResult result;
  private volatile boolean cancelled;
  private volatile int damagedBefore;

  LoggedRun(
      Time time,
      String id,
      TaskDefinition task,
      RunOptions options,
      Models.OpenModel model,
      Map<String, Models.OpenModel> roles,
      long seed,
      Map<String, String> config,
      Secrets secrets,
      Budget budget,
      SandboxProvider sandboxes,
      Optional<Path> logDir,
      Optional<Retried> retried,
      Consumer<String> warn) {
    this.time = time;
    this.retried = retried;
    this.logDir = logDir;
    this.warn = warn;
    this.logBuffer = options.log().buffer().orElse(JournalOptions.defaults().maxHeldBytes());
    var plan =
        new RunPlan(
            id,
            task.name(),
            task,
            options,
            model::watched,
            watch -> watched(roles, watch),
            time,
            seed,
            budget,
            sandboxes,
            logDir.isEmpty(),
            retried.map(Retried::kept).orElse(KeptSamples.NONE),
            secrets,
            this::append);
    this.start = start(time, id, task, options, model, roles, seed, config, secrets, retried);
    this.run = new Run(plan, start);
    this.namesByScope = namesByScope(model, roles);
  }

  /**
   * The model of a role has its role added where another scope limits a model of the same name: at
   * another address, or on another account.
   */
  private static Map<String, Set<String>> namesByScope(
      Models.OpenModel model, Map<String, Models.OpenModel> roles) {
    Map<String, Set<String>> names = new HashMap<>();
    String evaluated = model.name().toString();
    model.lane().key().scopes().forEach(scope -> names.put(scope, Set.of(evaluated)));
    roles.forEach(
        (role, open) -> {
          String name = open.name().toString();
          boolean isOther = name.equals(evaluated) && !open.lane().key().equals(model.lane().key());
          open.lane()
              .key()
              .scopes()
              .forEach(
                  scope ->
                      names.merge(
                          scope,
                          Set.of(isOther ? "%s (%s)".formatted(name, role) : name),
                          LoggedRun::union));
        });
    return names;
  }

  private static Set<String> union(Set<String> one, Set<String> other) {
    return Stream.concat(one.stream(), other.stream())
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /** What is known of a run when it begins. */
  static RunStart start(
      Time time,
      String id,
      TaskDefinition task,
      RunOptions options,
      Models.OpenModel model,
      Map<String, Models.OpenModel> roles,
      long seed,
      Map<String, String> config,
      Secrets secrets,
      Optional<Retried> retried) {
    return new RunStart(
        id,
        retried.map(old -> old.start().taskId()).orElse(id),
        task.name(),
        task.provenance().origin(),
        new DatasetRecord(
            task.name(),
            task.provenance().dataset(),
            ids(task.dataset().samples(), retried),
            options.samples().shuffle().isPresent()),
        task.provenance().solvers(),
        model.name().toString(),
        names(roles),
        options.samples().epochs().orElse(1),
        seed,
        model.mode(),
        model.mostInFlight(),
        task.scorers().stream().map(NamedScorer::name).toList(),
        config,
        options.log().tags().stream().map(secrets::hidden).toList(),
        secrets.hidden(options.log().metadata()),
        time.instant(),
        retried.map(old -> old.log().toAbsolutePath().normalize().toString()),
        Optional.empty(),
        Optional.of(RecoveredScores.metrics(task.scorers())),
        Optional.of(task.provenance().scorers()).filter(steps -> !steps.isEmpty()));
  }

  private static SampleIds ids(List<Sample> samples, Optional<Retried> retried) {
    var ids =
        SampleIds.of(
            samples.stream().map(sample -> new SampleId(sample.id(), sample.numbered())).toList());
    return retried.map(old -> ids.as(old.start().dataset().sampleIds())).orElse(ids);
  }

  /** All roles as a run sees them. */
  static Map<String, PricedModel> watched(Map<String, Models.OpenModel> roles, CallWatch watch) {
    Map<String, PricedModel> watched = new LinkedHashMap<>();
    roles.forEach((role, open) -> watched.put(role, open.watched(watch)));
    return watched;
  }

  private static Map<String, String> names(Map<String, Models.OpenModel> roles) {
    Map<String, String> names = new LinkedHashMap<>();
    roles.forEach((role, model) -> names.put(role, model.name().toString()));
    return names;
  }

  /** Runs to the end. Whatever breaks becomes part of the result: other runs go on. */
  void run() {
    if (cancelled) {
      return;
    }
    RunResult ended;
    try {
      if (logDir.isPresent()) {
        RunLog begun =
            RunLog.begin(
                time, logDir.get(), start, retried.map(Retried::goingOn), journalOptions());
        begun(begun);
        // Beside the run: the first call does not wait until a large log is copied.
        retried.ifPresent(old -> copying = time.start("copy", () -> old.copyTo(begun, warn)));
      }
      ended = run.run();
    } catch (IOException unwritable) {
      // Nothing was called yet.
      notWritten = LogTrouble.reason(unwritable);
      ended = cancelled ? run.notRun() : run.notRun("the log cannot be written: " + unwritable);
    } catch (RuntimeException | Error broken) {
      ended = run.notRun("the run itself failed: " + broken);
    }
    result = retried.map(Retried::used).orElse(EarlierUse.NONE).addedTo(ended);
    end(result);
  }

  private JournalOptions journalOptions() {
    return JournalOptions.defaults()
        .withMaxHeldBytes(logBuffer)
        .withListener(new LogTrouble(run, logBuffer, warn));
  }

  /** What somebody has done to it before it began is in its log, too. */
  private void begun(RunLog begun) throws IOException {
    List<ConfigChange> before;
    synchronized (changes) {
      log = begun;
      before = List.copyOf(changes);
      changes.clear();
    }
    if (cancelled) {
      begun.hurry();
    }
    for (ConfigChange change : before) {
      begun.append(change);
    }
  }

  private void end(RunResult ended) {
    RunLog open = log;
    if (open == null) {
      return;
    }
    file = open.file();
    try (open) {
      write(open, ended);
      file = converted(open);
    } catch (IOException | RuntimeException lost) {
      notWritten = LogTrouble.left(open.file(), run.progress().total(), lost);
      result = LogTrouble.onDisk(open.file(), ended);
    }
  }

  /** Writes how it ended; then the journal is whole. */
  private void write(RunLog open, RunResult ended) throws IOException {
    RunResult whole = awaitCopying().map(copied -> with(ended, copied)).orElse(ended);
    result = whole;
    for (Reduced reduced : run.reductions()) {
      open.append(reduced);
    }
    open.end(whole);
    open.settle();
  }

  private Path converted(RunLog whole) {
    try {
      return whole.finish(warn);
    } catch (IOException | RuntimeException unwritable) {
      notWritten = LogTrouble.unconverted(whole.file(), unwritable);
      return whole.file();
    }
  }

  /** What was finished before belongs to the log, however this run ends. */
  private Optional<Retried.Copied> awaitCopying() throws IOException {
    Task<Retried.Copied> task = copying;
    Optional<Retried.Copied> copied = Optional.empty();
    boolean interrupted = false;
    while (task != null) {
      try {
        copied = Optional.of(task.join());
        task = null;
      } catch (InterruptedException later) {
        interrupted = true;
      } catch (CancellationException | TaskFailedException failed) {
        throw new IOException(
            "the samples of %s could not be copied: %s"
                .formatted(
                    start.retryOf().orElse(""),
                    LogTrouble.reason(failed.getCause() == null ? failed : failed.getCause())),
            failed);
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return copied;
  }

  /** What was to be kept and could not be read is not finished, whatever the index of it says. */
  private RunResult with(RunResult ended, Retried.Copied copied) {
    RunResult whole = copied.used().addedTo(ended);
    damagedBefore = ended.status() == RunResult.Status.SUCCESS ? copied.missing() : 0;
    return copied.missing() == 0
        ? whole
        : whole.without(
            copied.missing(),
            "%d finished samples of %s are damaged and could not be kept; `weir eval-retry` runs them again"
                .formatted(copied.missing(), start.retryOf().orElse("")));
  }

  /** The number of calls that may be in flight has changed in a scope; graders have scopes, too. */
  void windowMoved(String scope, RunTrace.WindowMove move) {
    RunLog open = log;
    if (open == null) {
      return;
    }
    try {
      for (String name : namesByScope.getOrDefault(scope, Set.of())) {
        open.append(new LimitChange(move.at(), name, move.before(), move.after(), move.reason()));
      }
    } catch (IOException ended) {
      // Told elsewhere: samples are more important.
    } catch (InterruptedException cancelled) {
      Thread.currentThread().interrupt();
    }
  }

  /** Somebody has changed the run: it is told in its log, as soon as there is one. */
  void changed(ConfigChange change) {
    RunLog open;
    synchronized (changes) {
      open = log;
      if (open == null && changes.size() < MOST_CHANGES) {
        changes.add(change);
      }
    }
    if (open != null && result == null) {
      try {
        open.append(change);
      } catch (IOException unwritable) {
        // Told elsewhere: samples are more important.
      }
    }
  }

  /** Writes the change, and with it all that came before it. */
  Optional<EvaluationControl.Durable> flush(ConfigChange change) throws IOException {
    RunLog open = log;
    if (open == null || result != null) {
      return Optional.empty();
    }
    open.append(change);
    return Optional.of(
        new EvaluationControl.Durable(
            id(), open.file(), open.durableRecords(), run.progress().done()));
  }

  void pause(Pause pause) {
    run.pause(pause);
  }

  Pause pause() {
    return run.pause();
  }

  void retuned() {
    run.retuned();
  }

  boolean isOpen(String sample, Optional<Integer> epoch) {
    return run.isOpen(sample, epoch);
  }

  boolean endSample(String sample, Optional<Integer> epoch, EarlyEnd end) {
    return run.endSample(sample, epoch, end);
  }

  String id() {
    return start.runId();
  }

  Instant started() {
    return start.started();
  }

  EvaluationControl.RunState state(int mostSamples) {
    return new EvaluationControl.RunState(
        id(), run.progress(), run.pause(), run.openSamples(mostSamples));
  }

  /** It has not begun, or ends by itself when its task is cancelled; it waits for no disk then. */
  void cancel() {
    cancelled = true;
    RunLog open = log;
    if (open != null) {
      open.hurry();
    }
  }

  /**
   * A sample that is not in the log does not count, and no further call is made.
   *
   * @throws CancellationException if the run is being ended, and its log with it
   */
  private void append(SampleResult sample) {
    RunLog open = log;
    if (open != null) {
      try {
        open.append(sample);
      } catch (IOException unwritable) {
        if (cancelled) {
          throw new CancellationException("the log has ended before the sample");
        }
        throw new UncheckedIOException(LogTrouble.reason(unwritable), unwritable);
      }
    }
  }

  /** How many samples were to be kept and could not be read, if nothing else is the matter. */
  int damagedBefore() {
    return damagedBefore;
  }

  boolean hasOutage() {
    return run.hasOutage();
  }

  Optional<String> keptFrom() {
    return retried.map(Retried::told);
  }

  Set<String> askedRoles() {
    return run.askedRoles();
  }

  RunProgress progress() {
    return run.progress();
  }

  FinishedRun finished() {
    RunResult ended = result;
    RunLog written = log;
    return new FinishedRun(
        ended == null ? run.notRun() : ended,
        Optional.ofNullable(written).map(begun -> file == null ? begun.file() : file),
        Optional.ofNullable(notWritten),
        run.refusal(),
        run.selfGradedRoles());
  }
}
