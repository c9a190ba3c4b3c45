package dev.weir.eval;

import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Settings;
import dev.weir.eval.option.TraceOptions.LogLevel;
import dev.weir.eval.run.ModelProgress;
import dev.weir.eval.run.RunProgress;
import dev.weir.eval.run.RunTrace;
import dev.weir.eval.sandbox.Sandboxes;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.eval.task.TaskFile;
import dev.weir.eval.task.TaskInput;
import dev.weir.log.RunResult;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Response;
import dev.weir.time.Task;
import dev.weir.time.TaskFailedException;
import dev.weir.time.Time;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An evaluation that is ready to run: tasks × models, all checked.
 *
 * <pre>{@code
 * Evaluation evaluation =
 *     Evaluation.prepare(Time.system(), Path.of("capitals.yaml"), Settings.NONE);
 * Evaluation.Finished finished = evaluation.run();
 * finished.result().metrics().get("accuracy");
 * }</pre>
 *
 * <p>Thread-safe; runs once.
 */
public final class Evaluation {

  public static final Path DEFAULT_LOG_DIR = Path.of("logs");

  private final Time time;
  private final List<RepeatedRun> runs;
  private final List<FinishedRun> complete;
  private final List<String> notes = new ArrayList<>();
  // Set before it is given away.
  private Optional<FinishedRun> unchanged = Optional.empty();
  private final RunTrace trace;
  private final Models models;
  private final Sandboxes sandboxes;
  private final int maxTasks;
  // One for each run that goes on; they are cancelled by whoever ends the evaluation.
  private final List<Task<?>> workers = new CopyOnWriteArrayList<>();
  private final LogLevel logLevel;

  Evaluation(
      Time time,
      List<RepeatedRun> runs,
      List<FinishedRun> complete,
      RunTrace trace,
      Models models,
      Sandboxes sandboxes,
      int maxTasks,
      LogLevel logLevel) {
    this.time = time;
    this.runs = runs;
    this.complete = List.copyOf(complete);
    this.trace = trace;
    this.models = models;
    this.sandboxes = sandboxes;
    this.maxTasks = maxTasks;
    this.logLevel = logLevel;
  }

  /** As {@link #prepare(Time, Path, Settings, Host)}, with the variables of this process. */
  public static Evaluation prepare(Time time, Path taskFile, Settings given) {
    return prepare(time, taskFile, given, Host.process());
  }

  /** As {@link #prepare(Time, List, Settings, Host)}, with the task of a file. */
  public static Evaluation prepare(Time time, Path taskFile, Settings given, Host host) {
    var input =
        new TaskInput(
            RunOptions.parse(given).samples().arguments(), host.environment(), TaskInput.NO_STDIN);
    return prepare(time, List.of(TaskFile.read(taskFile, input)), given, host);
  }

  /**
   * Finds the models of each task, and makes sure that logs can be written. Nothing is written if
   * the input is bad.
   *
   * @param given settings that win over those of the tasks
   * @throws ConfigurationException if anything cannot be used
   */
  public static Evaluation prepare(
      Time time, List<TaskDefinition> tasks, Settings given, Host host) {
    return Preparation.of(time, tasks, given, host, Optional.empty(), EarlierRuns.NONE, 0);
  }

  /** As {@link #retry(Time, Path, Settings, Host)}, with the variables of this process. */
  public static Evaluation retry(Path log) {
    return retry(Time.system(), log, Settings.NONE, Host.process());
  }

  /**
   * Goes on with the run of a log: keeps its finished samples, runs the others, and writes a new
   * log. The task is made again from where it came from; settings are those of the log.
   *
   * @param log of a run that was cancelled, failed or killed; a journal or a whole log
   * @param given settings that win over those of the log
   * @throws ConfigurationException if a later log went on with this one, it is a copy that was made
   *     while its run went on, a program made the task, the finished samples are answers of another
   *     model than the one that is given, or anything cannot be used
   */
  public static Evaluation retry(Time time, Path log, Settings given, Host host) {
    Retrying.requireNewest(log, given);
    return retryAgain(time, log, given, host);
  }

  /**
   * Goes on with the run of a log whose task is somewhere else now, or of another program's.
   *
   * @param source where the task is: a file, a class; as on the command line
   */
  public static Evaluation retry(Time time, Path log, String source, Settings given, Host host) {
    Retrying.requireNewest(log, given);
    return retryAgain(time, log, source, given, host);
  }

  /**
   * As {@link #retry(Time, Path, Settings, Host)}, although a later log may have gone on with this
   * one: what that has run is run, and paid for, once more.
   */
  public static Evaluation retryAgain(Time time, Path log, Settings given, Host host) {
    Retried old = Retrying.read(log);
    Map<String, String> arguments = RunOptions.parse(given).samples().arguments();
    return retry(time, old, Retrying.task(old, arguments, host), given, host);
  }

  /**
   * As {@link #retry(Time, Path, String, Settings, Host)}, although a later log may have gone on
   * with this one.
   */
  public static Evaluation retryAgain(
      Time time, Path log, String source, Settings given, Host host) {
    Retried old = Retrying.read(log);
    Map<String, String> arguments = RunOptions.parse(given).samples().arguments();
    return retry(time, old, Retrying.task(old, source, arguments, host), given, host);
  }

  /**
   * As {@link #retry(Time, Path, TaskDefinition, Settings, Host)}, with the settings of the log and
   * the variables of this process.
   */
  public static Evaluation retry(Path log, TaskDefinition task) {
    return retry(Time.system(), log, task, Settings.NONE, Host.process());
  }

  /** Goes on with the run of a log whose task a program made. */
  public static Evaluation retry(
      Time time, Path log, TaskDefinition task, Settings given, Host host) {
    Retrying.requireNewest(log, given);
    return retryAgain(time, log, task, given, host);
  }

  /**
   * As {@link #retry(Time, Path, TaskDefinition, Settings, Host)}, although a later log may have
   * gone on with this one.
   */
  public static Evaluation retryAgain(
      Time time, Path log, TaskDefinition task, Settings given, Host host) {
    return retry(time, Retrying.read(log), task, given, host);
  }

  private static Evaluation retry(
      Time time, Retried old, TaskDefinition task, Settings given, Host host) {
    Retrying.Inherited inherited = Retrying.settings(old, given, task.settings());
    List<String> changes = new ArrayList<>();
    List<FinishedRun> whole = new ArrayList<>();
    Evaluation evaluation =
        Preparation.of(
            time,
            List.of(task.with(inherited.task())),
            inherited.settings(),
            host,
            Retrying.seed(old),
            planned -> {
              Retried kept = planned.kept(old);
              List<String> told = ChangedRun.told(kept, planned);
              changes.addAll(told);
              if (told.isEmpty() && ChangedRun.isComplete(kept, planned)) {
                whole.add(
                    new FinishedRun(
                        old.end().orElseThrow(),
                        Optional.of(old.log()),
                        Optional.empty(),
                        Optional.empty(),
                        Set.of()));
              }
              return new EarlierRuns.GoOn(kept);
            },
            0);
    evaluation.notes.addAll(changes);
    evaluation.notes.addAll(inherited.problems());
    evaluation.unchanged = whole.stream().findFirst();
    return evaluation;
  }

  /**
   * Runs to the end and writes the logs. Cancelling the calling task ends all runs cleanly. A
   * result that cannot be written is still returned: it was paid for.
   */
  public Finished run() {
    try (trace;
        models;
        sandboxes) {
      trace.begin();
      models.begin();
      runAll();
      List<FinishedRun> finished = runs.stream().map(RepeatedRun::finished).toList();
      if (finished.stream()
          .allMatch(
              run ->
                  run.result().status() == RunResult.Status.SUCCESS
                      && run.notWritten().isEmpty())) {
        models.finish();
      }
      models.roleNames().stream()
          .filter(role -> runs.stream().noneMatch(run -> run.askedRoles().contains(role)))
          .forEach(role -> trace.warn("nothing has asked for the role '%s'".formatted(role)));
      models.cacheProblem().ifPresent(trace::warn);
      int uncollected = models.uncollected();
      if (uncollected > 0) {
        trace.warn(
            "%d requests are in batches at the provider, and their cost is not in the table; the"
                    .formatted(uncollected)
                + " same command picks them up again");
      }
      return new Finished(finished);
    }
  }

  private void runAll() {
    var next = new AtomicInteger();
    for (int i = 0; i < Math.min(maxTasks, runs.size()); i++) {
      workers.add(
          time.start(
              "task-" + (i + 1),
              () -> {
                for (int run = next.getAndIncrement();
                    run < runs.size();
                    run = next.getAndIncrement()) {
                  runs.get(run).run(); // throws nothing: one that breaks ends no other
                }
              }));
    }
    for (Task<?> worker : workers) {
      while (!joined(worker)) {
        cancel();
      }
    }
  }

  /** Runs end soon, and tell what they have finished. */
  private void cancel() {
    runs.forEach(RepeatedRun::cancel);
    workers.forEach(Task::cancel);
  }

  /** To look at it and to change it while it runs. */
  public EvaluationControl control() {
    return new EvaluationControl(
        time,
        () -> runs.stream().map(RepeatedRun::current).toList(),
        models,
        trace::changed,
        this::cancel);
  }

  private static boolean joined(Task<?> worker) {
    try {
      worker.join();
      return true;
    } catch (InterruptedException interrupted) {
      return false;
    } catch (CancellationException ended) {
      return true;
    } catch (TaskFailedException failed) {
      throw new IllegalStateException("a run failed: " + failed.getCause(), failed.getCause());
    }
  }

  /** What is kept of the logs that it goes on with, and what is not, in sentences. */
  public List<String> keptFrom() {
    List<String> told = new ArrayList<>();
    runs.forEach(run -> run.keptFrom().ifPresent(told::add));
    told.addAll(notes);
    return told;
  }

  /** The run that it resumes, if a new log of it would be the same: there is nothing to retry. */
  public Optional<FinishedRun> unchanged() {
    return unchanged;
  }

  /** Whether there is anything to run. */
  boolean isEmpty() {
    return runs.isEmpty();
  }

  /** Runs that need not be run, because they were before. */
  List<FinishedRun> complete() {
    return complete;
  }

  /** Of each run, in order. */
  public List<RunProgress> progress() {
    return runs.stream().map(RepeatedRun::progress).toList();
  }

  /** Of each model, graders included. */
  public List<ModelProgress> models() {
    return trace.meters().progress();
  }

  /** How many samples wait for a sandbox, or for their turn to run a command in one. */
  public int waitingForSandboxes() {
    return sandboxes.waiting();
  }

  /** Of these, how many wait for their turn to run a command. */
  public int waitingForCommands() {
    return sandboxes.waitingForCommands();
  }

  /** Reads the limits of engines again, which is done anyway when their files change. */
  public void reloadEngineLimits() {
    models.reloadEngineLimits();
  }

  /** What is to be shown while it runs. */
  public LogLevel logLevel() {
    return logLevel;
  }

  /** An evaluation that has ended. */
  public record Finished(List<FinishedRun> runs) {

    public Finished {
      runs = List.copyOf(runs);
    }

    /** The result of the only run, or the first. */
    public RunResult result() {
      return runs.getFirst().result();
    }
  }

  /**
   * A run that has ended.
   *
   * @param file where its log was written, if it could be
   * @param notWritten why it could not
   * @param refusal why the provider refused for good, if that ended the run
   * @param selfGradedRoles the roles in which the evaluated model has graded its own answers
   */
  public record FinishedRun(
      RunResult result,
      Optional<Path> file,
      Optional<String> notWritten,
      Optional<Response.Failure> refusal,
      Set<String> selfGradedRoles) {

    public FinishedRun {
      selfGradedRoles = Collections.unmodifiableSet(new LinkedHashSet<>(selfGradedRoles));
    }
  }
}
