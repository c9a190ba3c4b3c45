package dev.weir.eval.run;

import dev.weir.eval.dataset.Sample;
import dev.weir.eval.scorer.Metrics;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.limits.StoppedException;
import dev.weir.log.RunResult;
import dev.weir.model.Model;
import dev.weir.model.Response;
import dev.weir.model.price.Spend;
import dev.weir.time.Completion;
import dev.weir.time.Task;
import dev.weir.time.TaskFailedException;
import dev.weir.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * Runs the samples of a task against a model, several at a time, and ends at the first error.
 *
 * <pre>
 *   worker: take the next sample ──> solve ──> score ──> keep the result ──┐
 *             ^──────────────────────────────────────────────────────────┘
 *   the run ends when no sample is left, when one has failed, or when it is cancelled
 * </pre>
 *
 * <p>There are a few more workers than the window can ever have places, so that a call is always
 * waiting when one ends; memory grows with the window, not with the dataset's length.
 *
 * <p>Thread-safe; runs once.
 */
public final class Run {

  /** Samples open beyond the window, to score and to prepare while calls are made. */
  private static final int SPARE_WORKERS = 5;

  private final TaskDefinition task;
  private final List<Sample> samples;
  private final PricedModel evaluated;
  private final Model model;
  private final Map<String, PricedModel> roles;
  private final Time time;
  private final long seed;
  private final String id;
  private final Completion<Boolean> end;

  // Guarded by this: which samples are taken and what became of them.
  private Instant started;
  private long begun;
  private boolean stopping;
  private int next;
  private int working;
  private int scored;
  private int failed;
  private double scoreSum;
  private Spend spend = Spend.NONE;
  private long cachedAnswers;
  private @Nullable String firstError;
  private Response.@Nullable Failure refusal;
  private final RunResult.@Nullable SampleResult[] results;

  /**
   * @param id of the run, in its results and its trace
   * @param roles models for other parts, by role
   */
  public Run(
      String id,
      TaskDefinition task,
      PricedModel evaluated,
      Map<String, PricedModel> roles,
      Time time,
      long seed) {
    this.task = task;
    this.samples = task.dataset().samples();
    this.evaluated = evaluated;
    this.model = evaluated.model();
    this.time = time;
    this.seed = seed;
    this.id = id;
    this.roles = Map.copyOf(roles);
    this.started = time.instant();
    this.begun = time.nanos();
    this.end = new Completion<>(time, "the end of the run");
    this.results = new RunResult.SampleResult[samples.size()];
  }

  /**
   * Runs until the end. When the calling task is cancelled, the run ends cleanly and says so in its
   * result; what was finished by then is in it.
   */
  public RunResult run() {
    List<Task<?>> workers = new ArrayList<>();
    boolean cancelled = false;
    int count = (int) Math.min(samples.size(), (long) model.mostInFlight() + SPARE_WORKERS);
    begin(count);
    for (int i = 0; i < count; i++) {
      workers.add(time.start("sample-worker-" + (i + 1), this::work));
    }
    try {
      end.await();
    } catch (InterruptedException stopped) {
      cancelled = true;
    }
    stop();
    workers.forEach(Task::cancel);
    for (Task<?> worker : workers) {
      cancelled |= !joined(worker);
    }
    return result(cancelled);
  }

  private synchronized void begin(int workers) {
    working = workers;
    started = time.instant();
    begun = time.nanos();
  }

  private synchronized void stop() {
    stopping = true;
  }

  private synchronized boolean isStopping() {
    return stopping;
  }

  public synchronized Progress progress() {
    return new Progress(
        samples.size(),
        scored,
        failed,
        scoreSum,
        model.status(),
        model.waitingFor(),
        untilLookedAt(),
        Duration.ofNanos(time.nanos() - begun));
  }

  private Optional<Duration> untilLookedAt() {
    OptionalLong until = model.waitingFor().untilNanos();
    return until.isPresent()
        ? Optional.of(Duration.ofNanos(Math.max(0, until.getAsLong() - time.nanos())))
        : Optional.empty();
  }

  /** Why the provider refused for good, if that ended the run. */
  public synchronized Optional<Response.Failure> refusal() {
    return Optional.ofNullable(refusal);
  }

  private void work() throws InterruptedException {
    try {
      for (int index = take(); index >= 0; index = take()) {
        var sampleRun = new SampleRun(task, evaluated, roles, time, samples.get(index));
        RunResult.SampleResult result = finish(sampleRun);
        keep(index, result, sampleRun);
      }
    } catch (StoppedException ended) {
      // The sample that was refused ends the run and tells why; the others were not finished.
    } finally {
      leave();
    }
  }

  private RunResult.SampleResult finish(SampleRun sampleRun) throws InterruptedException {
    try {
      return sampleRun.run();
    } catch (InterruptedException interrupted) {
      if (isStopping()) {
        throw interrupted;
      }
      return sampleRun.interrupted();
    }
  }

  private synchronized int take() {
    return next < samples.size() && firstError == null && !stopping ? next++ : -1;
  }

  private void keep(int index, RunResult.SampleResult result, SampleRun sampleRun) {
    synchronized (this) {
      results[index] = result;
      spend = spend.plus(sampleRun.spend());
      cachedAnswers += result.cachedAnswers();
      if (result.error().isEmpty()) {
        scored++;
        scoreSum += result.score().orElse(0.0);
        return;
      }
      failed++;
      if (firstError == null) {
        firstError = "sample %s failed: %s".formatted(result.id(), result.error().get());
        // Only that would happen again; a fault after which we gave up ourselves need not.
        refusal = sampleRun.failure().filter(Run::isForGood).orElse(null);
      }
    }
    end.complete(false);
  }

  private synchronized RunResult.Cost cost() {
    return SampleRun.cost(spend);
  }

  private static boolean isForGood(Response.Failure failure) {
    return failure instanceof Response.QuotaExhausted || failure instanceof Response.Authentication;
  }

  private void leave() {
    boolean last;
    synchronized (this) {
      last = --working == 0;
    }
    if (last) {
      end.complete(true);
    }
  }

  /** Waits for a worker, even if this task is cancelled meanwhile; false if it was. */
  private boolean joined(Task<?> worker) {
    boolean undisturbed = true;
    while (true) {
      try {
        worker.join();
        return undisturbed;
      } catch (InterruptedException again) {
        // Workers are cancelled already and end soon; their results must not be lost.
        undisturbed = false;
      } catch (CancellationException ended) {
        return undisturbed;
      } catch (TaskFailedException failed) {
        fail("a worker of the run failed: " + failed.getCause());
        return undisturbed;
      }
    }
  }

  private synchronized void fail(String error) {
    if (firstError == null) {
      firstError = error;
    }
  }

  private synchronized RunResult result(boolean cancelled) {
    List<RunResult.SampleResult> kept = new ArrayList<>();
    for (RunResult.@Nullable SampleResult result : results) {
      if (result != null) {
        kept.add(result);
      }
    }
    List<Double> scores = kept.stream().flatMap(result -> result.score().stream()).toList();
    int unfinished = samples.size() - scored - failed;
    if (firstError == null && unfinished > 0 && !cancelled) {
      firstError = unfinished + " samples were not finished, and nothing says why";
    }
    RunResult.Status status =
        firstError != null
            ? RunResult.Status.ERROR
            : unfinished > 0 ? RunResult.Status.CANCELLED : RunResult.Status.SUCCESS;
    RunResult.Tokens tokens =
        kept.stream()
            .map(RunResult.SampleResult::tokens)
            .reduce(new RunResult.Tokens(0, 0), RunResult.Tokens::plus);
    return new RunResult(
        id,
        status,
        Optional.ofNullable(firstError),
        task.name(),
        model.name().toString(),
        seed,
        model.mode(),
        model.mostInFlight(),
        started,
        time.instant(),
        (time.nanos() - begun) / 1e9,
        Metrics.of(scores),
        new RunResult.Counts(samples.size(), scored, failed, unfinished),
        tokens,
        cost(),
        cachedAnswers,
        model.status().retries(),
        kept);
  }
}
