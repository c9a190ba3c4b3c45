package dev.weir.eval;

import dev.weir.eval.option.LimitOptions;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Settings;
import dev.weir.eval.run.EarlyEnd;
import dev.weir.eval.run.ModelProgress;
import dev.weir.eval.run.OpenSample;
import dev.weir.eval.run.Pause;
import dev.weir.eval.run.RunProgress;
import dev.weir.limits.Mode;
import dev.weir.limits.RateCeiling;
import dev.weir.log.ConfigChange;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import dev.weir.time.Task;
import dev.weir.time.TaskFailedException;
import dev.weir.time.Time;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * What can be seen of an evaluation and done to it while it runs. Each change is written to its
 * logs, with who wanted it and why. Thread-safe.
 */
public final class EvaluationControl {

  private static final Duration LONGEST_RECORD = Duration.ofSeconds(2);

  private final Time time;
  // A run that fails may be gone on with by another.
  private final Supplier<List<LoggedRun>> runs;
  private final Models models;
  private final Consumer<String> tell;
  private final Runnable cancel;

  EvaluationControl(
      Time time,
      Supplier<List<LoggedRun>> runs,
      Models models,
      Consumer<String> tell,
      Runnable cancel) {
    this.time = time;
    this.runs = runs;
    this.models = models;
    this.tell = tell;
    this.cancel = cancel;
  }

  /**
   * Who does something, and why.
   *
   * @param author a name
   * @param reason as they said it
   */
  public record By(String author, Optional<String> reason) {}

  /**
   * A run at one moment.
   *
   * @param oldest samples that run, the oldest first; not all if there are many
   */
  public record RunState(String id, RunProgress progress, Pause pause, List<OpenSample> oldest) {

    public RunState {
      oldest = List.copyOf(oldest);
    }
  }

  /**
   * What of a run is on the disk.
   *
   * @param log the journal
   * @param records how many records of it are, the samples among them
   * @param samples that have ended
   */
  public record Durable(String id, Path log, long records, int samples) {}

  /** Of the evaluation, and of its first run. */
  public String id() {
    return runs.get().getFirst().id();
  }

  /** When it was made ready. */
  public Instant started() {
    return runs.get().getFirst().started();
  }

  /** Of each run, in order. */
  public List<RunState> runs(int mostSamples) {
    return runs.get().stream().map(run -> run.state(mostSamples)).toList();
  }

  /** Of each model, graders included. */
  public List<ModelProgress> models() {
    return models.progress();
  }

  /** How the calls to a model are regulated: {@code pace}. */
  public Optional<String> mode(String model) {
    return models.mode(model).map(Mode::word);
  }

  /**
   * Changes the limits of a model, for the calls to come; none is taken back.
   *
   * @param model may be absent if there is but one
   * @param limits those of {@code weir eval}: {@code max_connections}, {@code rpm}, {@code tpm},
   *     {@code concurrency_mode} and so on
   * @return what the limits are now, in words
   * @throws ConfigurationException if there is no such model, or it cannot have such limits
   */
  public String retune(Optional<String> model, Settings limits, By by) {
    String name = model.orElseGet(this::onlyModel);
    Mode before =
        models
            .mode(name)
            .orElseThrow(
                () ->
                    new ConfigurationException(
                        "there is no model '%s' with limits%s"
                            .formatted(name, Spelling.hint(name, models.names()))));
    LimitOptions given = RunOptions.parse(limits).limits();
    RateCeiling ceilingBefore = rates(before, models.ceiling(name));
    Mode after = given.retuned(before, ceilingBefore);
    RateCeiling ceiling = given.retuned(ceilingBefore, after);
    models.retune(name, after, ceiling);
    runs.get().forEach(LoggedRun::retuned);
    changed(
        "limits of " + name,
        Optional.of(told(before, ceilingBefore)),
        told(after, ceiling),
        by,
        "has changed the limits of %s: %s".formatted(name, told(after, ceiling)));
    return told(after, ceiling);
  }

  private String onlyModel() {
    List<String> names = models.names();
    if (names.size() != 1) {
      throw new ConfigurationException(
          "there are several models; say which with --model: " + String.join(", ", names));
    }
    return names.getFirst();
  }

  /** {@code pace, at most 200 in flight, 500 requests per minute}. */
  private static String told(Mode mode, RateCeiling ceiling) {
    List<String> parts = new ArrayList<>();
    parts.add(mode.word());
    parts.add("at most %d in flight".formatted(mode.mostInFlight()));
    RateCeiling rates = rates(mode, ceiling);
    rates.requestsPerMinute().ifPresent(rpm -> parts.add(rate(rpm, "requests")));
    rates.tokensPerMinute().ifPresent(tpm -> parts.add(rate(tpm, "tokens")));
    return String.join(", ", parts);
  }

  /** What was given per minute, whether the mode itself has it or not. */
  private static RateCeiling rates(Mode mode, RateCeiling ceiling) {
    return mode instanceof Mode.Pace(var settings)
        ? new RateCeiling(settings.requestsPerMinute(), settings.tokensPerMinute())
        : ceiling;
  }

  private static String rate(double perMinute, String what) {
    return String.format(Locale.ROOT, "%.0f %s per minute", perMinute, what);
  }

  /** Opens no samples, or makes no calls, until it is told otherwise; {@code NONE} goes on. */
  public void pause(Pause pause, By by) {
    Pause before = runs.get().getFirst().pause();
    // Calls that wait in a lane know nothing of their run.
    models.hold(pause == Pause.CALLS);
    runs.get().forEach(run -> run.pause(pause));
    changed("pause", Optional.of(before.word()), pause.word(), by, told(pause));
  }

  private static String told(Pause pause) {
    return switch (pause) {
      case NONE -> "has resumed the evaluation";
      case SAMPLES -> "has paused the evaluation: no new samples start";
      case CALLS -> "has paused the evaluation: calls are held";
    };
  }

  /** Ends all runs cleanly, as Ctrl+C does. */
  public void cancel(By by) {
    changed("run", Optional.of("running"), "cancelled", by, "has cancelled the evaluation");
    cancel.run();
  }

  /**
   * Ends a sample that runs.
   *
   * @param epoch which repetition; the oldest that runs, if absent
   * @param task whose sample, if several have one of that id
   * @param model likewise
   * @param asError whether it has failed; else it is scored as it stands
   * @throws ConfigurationException if there is not exactly one, or it is too late for that
   */
  public void endSample(
      String sample,
      Optional<Integer> epoch,
      Optional<String> task,
      Optional<String> model,
      boolean asError,
      By by) {
    List<LoggedRun> having =
        runs.get().stream()
            .filter(run -> task.isEmpty() || run.progress().task().equals(task.get()))
            .filter(run -> model.isEmpty() || run.progress().model().equals(model.get()))
            .filter(run -> run.isOpen(sample, epoch))
            .toList();
    if (having.isEmpty()) {
      throw new ConfigurationException(
          "no sample '%s'%s runs; weir ctl show lists those that do"
              .formatted(sample, epoch.map(" of epoch %d"::formatted).orElse("")));
    }
    if (having.size() > 1) {
      throw new ConfigurationException(
          "%d runs have a sample '%s'; say which with --task or --model"
              .formatted(having.size(), sample));
    }
    LoggedRun run = having.getFirst();
    if (!run.endSample(sample, epoch, new EarlyEnd(asError, by.author(), by.reason()))) {
      throw new ConfigurationException(
          "sample '%s' has ended, or is about to%s"
              .formatted(sample, asError ? "" : "; if its scorers take too long, add --error"));
    }
    String which = "sample %s%s".formatted(sample, epoch.map(", epoch %d"::formatted).orElse(""));
    changed(
        List.of(run),
        which,
        Optional.of("running"),
        asError ? "ended as an error" : "ended, scored as it stands",
        by,
        "has ended %s%s"
            .formatted(which, asError ? " as an error" : "; it is scored as it stands"));
  }

  /**
   * Waits until all that has ended is on the disk; it is at most a moment behind.
   *
   * @return of each run whose log is open
   * @throws IOException if the disk does not take it soon
   */
  public List<Durable> flush(By by) throws IOException {
    Task<List<Durable>> flushing = time.start("flush", () -> flushed(by));
    if (!endsSoon(flushing)) {
      throw new IOException(
          "the log cannot be written now; what has ended is held in memory, and written when it can"
              + " be");
    }
    try {
      return flushing.join();
    } catch (TaskFailedException failed) {
      throw new IOException("the log cannot be written: " + failed.getCause(), failed);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the log was written", interrupted);
    }
  }

  private List<Durable> flushed(By by) throws IOException {
    List<Durable> durable = new ArrayList<>();
    for (LoggedRun run : runs.get()) {
      run.flush(change("flush", Optional.empty(), "flushed", by)).ifPresent(durable::add);
    }
    return durable;
  }

  /** A disk that takes nothing keeps nobody from changing or ending a run. */
  private boolean endsSoon(Task<?> writing) {
    try {
      return writing.join(time.after(LONGEST_RECORD));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private void changed(String what, Optional<String> before, String after, By by, String inWords) {
    changed(runs.get(), what, before, after, by, inWords);
  }

  private void changed(
      List<LoggedRun> of,
      String what,
      Optional<String> before,
      String after,
      By by,
      String inWords) {
    ConfigChange change = change(what, before, after, by);
    // Each in a task of its own: what waits for one disk keeps no other log from being told.
    List<Task<?>> records = new ArrayList<>();
    of.forEach(run -> records.add(time.start("record", () -> run.changed(change))));
    records.forEach(this::endsSoon);
    tell.accept(
        "%s %s%s".formatted(by.author(), inWords, by.reason().map(" (%s)"::formatted).orElse("")));
  }

  private ConfigChange change(String what, Optional<String> before, String after, By by) {
    return new ConfigChange(time.instant(), what, before, after, by.author(), by.reason());
  }
}
