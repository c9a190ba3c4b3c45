package dev.weir.eval.run;

import dev.weir.eval.dataset.Sample;
import dev.weir.eval.sample.GenerationFailedException;
import dev.weir.eval.sample.Generator;
import dev.weir.eval.sample.Kept;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleLimitExceededException;
import dev.weir.eval.sample.SampleLimits;
import dev.weir.eval.sample.SampleState;
import dev.weir.eval.sample.Used;
import dev.weir.eval.sandbox.Sandbox;
import dev.weir.eval.sandbox.SandboxSetup;
import dev.weir.eval.sandbox.SandboxSpec;
import dev.weir.eval.scorer.NoScoreException;
import dev.weir.eval.scorer.Score;
import dev.weir.eval.solver.Solver;
import dev.weir.eval.task.TaskDefinition.NamedScorer;
import dev.weir.limits.DeadlinePassedException;
import dev.weir.limits.StoppedException;
import dev.weir.log.ModelCall;
import dev.weir.log.SampleResult;
import dev.weir.log.SampleResult.LimitHit;
import dev.weir.log.SampleResult.Note;
import dev.weir.model.ConfigurationException;
import dev.weir.model.GenerationSettings;
import dev.weir.model.Message;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.ToolCall;
import dev.weir.model.Usage;
import dev.weir.model.price.Spend;
import dev.weir.time.Time;
import dev.weir.time.Work;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One sample: prepare, solve, score, record.
 *
 * <p>The state belongs to the task that runs the sample; models may be asked from several.
 */
final class SampleRun implements SampleContext {

  /** The limit that a sample meets when somebody ends it early. */
  private static final String OPERATOR = "operator";

  /** Notes are a help, not a store. */
  private static final int MOST_NOTES = 1_000;

  private static final int DEEPEST_CAUSE = 20;

  private final Run run;
  private final RunPlan plan;
  private final Time time;
  private final Sample sample;
  private final Ticket ticket;
  private final int epoch;
  private final SampleState state;
  private final SampleMeter meter;
  private final SampleHistory history = new SampleHistory();
  private final StateWatch states;
  private final SampleModel.Asker asker;
  private final Instant started;
  private final long begun;
  private final RandomGenerator random;
  private final List<Note> notes = new ArrayList<>();
  private final AtomicBoolean hasAsked = new AtomicBoolean();
  private final AtomicReference<@Nullable RuntimeException> cutShort = new AtomicReference<>();
  private final Kept kept;
  private @Nullable SampleLimitExceededException hit;
  private @Nullable String error;
  private @Nullable String traceback;
  private Response.@Nullable Failure failure;
  private boolean isFromOutside;
  private boolean isPoisoned;
  private boolean cancelled;
  // Models may be asked from several tasks.
  private volatile boolean isScoring;
  private volatile int scoringAttempt;
  private final Map<String, Score> scores = new LinkedHashMap<>();

  SampleRun(Run run, RunPlan plan, Sample sample, Ticket ticket) {
    this.ticket = ticket;
    this.run = run;
    this.plan = plan;
    this.time = plan.time();
    this.sample = sample;
    this.epoch = ticket.epoch;
    this.state = new SampleState(sample, epoch);
    this.meter = new SampleMeter(time);
    this.states = new StateWatch(time, state, run.terms());
    this.started = time.instant();
    this.begun = time.nanos();
    this.asker =
        new SampleModel.Asker(
            run,
            plan,
            ticket,
            state,
            meter,
            history,
            begun,
            hasAsked,
            cutShort,
            () -> isScoring,
            () -> ScorerRetries.epoch(epoch - 1, 0, scoringAttempt),
            words -> note("model", words));
    this.kept = new Kept(time);
    this.random = new SplittableRandom(plan.seed() ^ (sample.id().hashCode() * 31L + epoch));
  }

  /** Runs to the end; whatever happens becomes part of the result. */
  SampleResult run() {
    try {
      solve();
      if (cutShort.get() == null && beginsScoring()) {
        score(plan.options().sampleLimits());
      }
    } catch (StoppedException | StoppedRunException notAsked) {
      // Others were refused for good, or the budget is used up: this sample was not finished.
      cancelled = true;
    } catch (Exception | Error broken) {
      if (ticket.cancelled) {
        cancelled = true;
      } else if (ticket.earlyEnd().isEmpty()) {
        fail(broken);
      }
    } finally {
      kept.close().ifPresent(left -> note("tools", left));
      if (hasAsked.compareAndSet(false, true)) {
        run.begins(time.nanos() - begun);
      }
    }
    // Even if its solver made do without: what it would have done otherwise, nobody knows.
    cancelled |= cutShort.get() != null;
    ticket.end().ifPresent(this::endEarly);
    return record();
  }

  /** False if somebody wants it to end as an error. */
  private boolean beginsScoring() throws InterruptedException {
    Optional<EarlyEnd> end = ticket.beginScoring();
    end.ifPresent(this::endEarly);
    if (ticket.cancelled) {
      throw new InterruptedException("the run was cancelled");
    }
    return end.isEmpty() || !end.get().asError();
  }

  private void endEarly(EarlyEnd end) {
    takeInterrupt();
    if (end.asError()) {
      error = error == null ? end.message() : error;
    } else if (hit == null) {
      hit = new SampleLimitExceededException(OPERATOR, 1, 1, end.message());
    }
  }

  /** What interrupted the solvers is not to interrupt what comes after them. */
  private void takeInterrupt() {
    try {
      time.sleepUntil(time.nanos());
    } catch (InterruptedException taken) {
      // If the run was cancelled as well, the ticket says so.
    }
  }

  private void solve() throws Exception {
    try {
      within(
          meter.openWhole(plan.options().sampleLimits()),
          () -> {
            for (Solver solver : plan.task().solvers()) {
              if (!state.completed()) {
                solve(solver);
                meter.requireWithin(state);
              }
            }
            return true;
          });
      // A solver may have caught it, as if it had been that of a part.
      hit = meter.wholeExceeded().orElse(null);
    } catch (SampleLimitExceededException over) {
      hit = over;
    } catch (StoppedRunException | StoppedException ended) {
      throw ended;
    } catch (Exception | Error broken) {
      if (ticket.earlyEnd().isPresent()) {
        // Whatever it threw when it was ended is no failure of its own.
        return;
      }
      if (broken instanceof InterruptedException) {
        throw broken;
      }
      fail(broken);
      if (!isScoredOnError()) {
        throw broken;
      }
    }
  }

  /** What it changed before it was ended is told, too. */
  private void solve(Solver solver) throws Exception {
    try {
      solver.solve(state, this);
    } finally {
      states.stepped(meter);
    }
  }

  /** One that is run again has another chance, and grading this one would be paid for nothing. */
  private boolean isScoredOnError() {
    return keepsScoresOfErrors() && !isToRunAgain() && !ticket.cancelled;
  }

  private boolean keepsScoresOfErrors() {
    return plan.options().errors().scoreOnError().orElse(false);
  }

  private void score(SampleLimits limits) throws Exception {
    isScoring = true;
    try {
      within(
          limitsOfScoring(limits),
          () -> {
            for (NamedScorer scorer : plan.task().scorers()) {
              scores.put(scorer.name(), score(scorer, state));
            }
            return true;
          });
    } catch (SampleLimitExceededException over) {
      throw new NoScoreException("scoring took too long: " + over.getMessage());
    }
  }

  /**
   * A sample that took too long is still scored, but that must end, too: scorers have what is left
   * of its time, and at least half of all of it.
   */
  private SampleLimits limitsOfScoring(SampleLimits limits) {
    if (limits.time().isEmpty()) {
      return SampleLimits.NONE;
    }
    Duration left = limits.time().get().minusNanos(time.nanos() - begun);
    Duration half = limits.time().get().dividedBy(2);
    return SampleLimits.ofTime(left.compareTo(half) > 0 ? left : half);
  }

  private Score score(NamedScorer scorer, SampleState answered) throws Exception {
    if (!plan.isRehearsal()) {
      return ScorerRetries.score(
          scorer.name(),
          plan.options().errors().mostScorerRetries(),
          new Attempts(scorer, answered, this));
    }
    try {
      return scorer.score(answered, this);
    } catch (NoScoreException invented) {
      // The answer was made up, and so was what a grader said of it: no score, but no error.
      return Score.of(0);
    }
  }

  /** The attempts of a scorer at an answer. */
  private record Attempts(NamedScorer scorer, SampleState answered, SampleRun sample)
      implements ScorerRetries.Scoring {

    @Override
    public Score attempt(int attempt) throws Exception {
      sample.scoringAttempt = attempt;
      try {
        return scorer.score(answered, sample);
      } finally {
        sample.scoringAttempt = 0;
      }
    }

    @Override
    public boolean retries(Map<String, Object> note) {
      if (sample.cutShort.get() != null
          || sample.ticket.cancelled
          || sample.ticket.earlyEnd().isPresent()) {
        return false;
      }
      sample.note("scorer", note);
      return true;
    }
  }

  /** A defect of a solver or scorer, even an overflowing stack, is a result and must be seen. */
  private void fail(Throwable broken) {
    if (error != null) {
      // What broke first tells most.
      return;
    }
    traceback = Traceback.of(broken);
    isPoisoned = isPoisoned(broken);
    isFromOutside = !isPoisoned && isFromOutside(broken);
    error =
        switch (broken) {
          case GenerationFailedException failed -> {
            failure = failed.failure();
            yield String.valueOf(failed.getMessage());
          }
          case InterruptedException _ -> "the solver was interrupted, but not by the run";
          case NoScoreException ungraded -> String.valueOf(ungraded.getMessage());
          case DeadlinePassedException late -> String.valueOf(late.getMessage());
          default -> describe(broken);
        };
  }

  /** Our own exceptions are sentences; of others, the name is often all there is. */
  static String describe(Throwable broken) {
    String message = broken.getMessage();
    return message != null && broken.getClass().getName().startsWith("dev.weir.")
        ? message
        : broken.toString();
  }

  // What solvers, tools and scorers see.

  @Override
  public Generator model() {
    return new SampleModel(
        asker,
        plan.options().generation(),
        run.models().evaluated(isScoring),
        ModelCall.EVALUATED,
        true,
        true);
  }

  @Override
  public Generator role(String role) {
    return new SampleModel(
        asker,
        GenerationSettings.NONE,
        run.models().role(role, isScoring),
        role,
        false,
        run.models().playsItself(role));
  }

  @Override
  public Sandbox sandbox() throws InterruptedException {
    SandboxSpec spec =
        plan.task()
            .sandbox()
            .orElseThrow(
                () ->
                    new ConfigurationException(
                        "the task has no sandbox, but needs one; give it `sandbox: local`,"
                            + " bubblewrap or docker"));
    // The first thing that is opened for it is the last that is closed.
    return kept.get(
        SandboxSpec.class,
        () -> plan.sandboxes().open(spec, SandboxSetup.of(sample), meter::waitBegan));
  }

  @Override
  public boolean hasSandbox() {
    return plan.task().sandbox().isPresent();
  }

  @Override
  public <T extends AutoCloseable> T keep(Lifetime lifetime, Object key, Kept.Opening<T> opening)
      throws InterruptedException {
    return switch (lifetime) {
      case SAMPLE -> kept.get(key, opening);
      case RUN -> run.kept().get(key, opening);
    };
  }

  @Override
  public Time time() {
    return time;
  }

  @Override
  public boolean isRehearsal() {
    return plan.isRehearsal();
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  @Override
  public double judge(SampleState attempt) throws Exception {
    return score(plan.task().scorers().getFirst(), attempt).value();
  }

  @Override
  public void toolRan(ToolCall call, Message.ToolResult told, long began) {
    var took = Duration.ofNanos(time.nanos() - began);
    double working = Math.max(0, meter.working() - took.toNanos() / 1e9);
    history.toolRan(time.instant().minus(took), working, call, told, took);
  }

  @Override
  public synchronized void note(String source, Object data) {
    if (notes.size() < MOST_NOTES) {
      notes.add(new Note(time.instant(), meter.working(), source, data));
    }
  }

  @Override
  public Used used() {
    return meter.used();
  }

  @Override
  public <T> T within(SampleLimits limits, Work<T> part) throws Exception {
    return within(meter.open(limits), part);
  }

  private <T> T within(LimitScope scope, Work<T> part) throws Exception {
    try {
      return scope.isTimed()
          ? new TimedPart<>(time, meter, scope, "sample " + sample.id(), part).run()
          : part.run();
    } finally {
      meter.close(scope);
    }
  }

  // The record.

  /** The record of a sample that was to be run again, but was not. */
  SampleResult notRun() {
    cancelled = true;
    return record();
  }

  /** Whether it failed, and may succeed when it is run again. */
  boolean isToRunAgain() {
    return error != null
        && !cancelled
        && ticket.earlyEnd().isEmpty()
        && failure().filter(Ending::isForGood).isEmpty()
        && ticket.errors.size() - plan.kept().errors(sample, epoch).size()
            < plan.options().errors().retryOnError().orElse(0);
  }

  /** Why nothing is asked of the provider any more, if that ended the sample. */
  Optional<StoppedException> stopped() {
    return cutShort.get() instanceof StoppedException before
        ? Optional.of(before)
        : Optional.empty();
  }

  /** What the provider refused with, if that is why the sample failed. */
  Optional<Response.Failure> failure() {
    return Optional.ofNullable(failure);
  }

  /**
   * Whether it failed by what says nothing of it: a key, an account, a provider that was away; also
   * if a solver or a task of its own has wrapped that.
   */
  boolean isFailedFromOutside() {
    return stopped().isPresent() || isFromOutside;
  }

  private static boolean isFromOutside(Throwable broken) {
    Throwable cause = broken;
    for (int depth = 0; cause != null && depth < DEEPEST_CAUSE; depth++) {
      if (cause instanceof GenerationFailedException failed) {
        return Ending.isOutside(failed.failure());
      }
      if (cause instanceof DeadlinePassedException || cause instanceof StoppedException) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  /** Whether it failed because a request of it kept failing while others succeeded. */
  boolean isPoisoned() {
    return isPoisoned;
  }

  private static boolean isPoisoned(Throwable broken) {
    Throwable cause = broken;
    for (int depth = 0; cause != null && depth < DEEPEST_CAUSE; depth++) {
      if (cause instanceof GenerationFailedException failed) {
        return failed.isPoisoned();
      }
      cause = cause.getCause();
    }
    return false;
  }

  Spend spend() {
    return meter.spend();
  }

  /** One that failed is not, even if the first of its scorers was content; unless asked for. */
  private boolean isScored() {
    return !cancelled && (error == null || keepsScoresOfErrors());
  }

  private synchronized SampleResult record() {
    Usage usage = meter.usage();
    SampleHistory.Told told = history.told(state.messages());
    return new SampleResult(
        sample.id(),
        epoch,
        sample.contentHash(),
        started,
        sample.input(),
        sample.targets(),
        sample.choices(),
        Records.known(sample.metadata()),
        Records.messages(state.messages()),
        Records.messages(told.others()),
        told.calls(),
        told.toolRuns(),
        states.history(),
        state.output(),
        state.stopReason().map(StopReason::word),
        Records.known(state.store()),
        Records.scores(isScored() ? scores : Map.of()),
        // Whatever a sample threw when it was ended is no failure of its own.
        cancelled ? Optional.empty() : Optional.ofNullable(error),
        cancelled ? Optional.empty() : Optional.ofNullable(traceback),
        cancelled,
        ticket.errors,
        Optional.ofNullable(hit)
            .map(
                over ->
                    new LimitHit(
                        over.type(),
                        over.value(),
                        over.limit(),
                        String.valueOf(over.getMessage()))),
        meter.retries(),
        meter.requestIds(),
        Records.tokens(usage),
        Records.cost(meter.spend()),
        meter.cachedAnswers(),
        notes,
        meter.times());
  }
}
