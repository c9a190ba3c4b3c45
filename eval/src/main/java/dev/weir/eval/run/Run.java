package dev.weir.eval.run;

import dev.weir.eval.dataset.Sample;
import dev.weir.eval.option.RunOptions.ErrorOptions;
import dev.weir.eval.sample.Kept;
import dev.weir.limits.Mode;
import dev.weir.limits.StoppedException;
import dev.weir.log.Reduced;
import dev.weir.log.RunResult;
import dev.weir.log.RunStart;
import dev.weir.log.SampleFailure;
import dev.weir.log.SampleResult;
import dev.weir.model.Model;
import dev.weir.model.Response;
import dev.weir.time.Completion;
import dev.weir.time.Signal;
import dev.weir.time.Time;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CancellationException;

/**
 * Runs the samples of a task against a model, as many at a time as keep the model busy.
 *
 * <pre>
 *   admit ──> a task for each sample: solve ──> score ──> log and tally ──> admit
 *     ^                     │
 *     └── each call that leaves for the provider, or is back
 *   the run ends when no sample is left, or it is cancelled, or too many have failed; and when
 *   nothing may be called any more, after what was called by then
 * </pre>
 *
 * <p>Thread-safe; runs once.
 */
public final class Run {

  /** A bound for memory; so many samples fit into a heap of a few hundred megabytes. */
  private static final int MOST_OPEN = 20_000;

  private final RunPlan plan;
  private final List<Sample> samples;
  private final RunModels models;
  private final Model model;
  private final Time time;
  private final Completion<Boolean> end;
  private final Kept kept;
  private final KnownTerms terms;
  private final RunStart start;
  private final Holding holding;

  // Guarded by this: which samples are open, and what became of those that were.
  private final Admission admission;
  private final Tally tally;
  private final Turns turns;
  private final OpenSamples open;
  private final Parking parking = new Parking();
  private boolean began;
  private boolean isFull;
  private long fullSince;
  private long fullNanos;
  // Samples ended when the log did not take them any more, because the run was being ended.
  private boolean isCut;
  // Read without the lock by samples that end, thousands at once when a run is cancelled.
  private volatile boolean stopping;
  // Read without the lock by each call: even where another model would answer, it is of no use.
  private volatile boolean refused;
  private boolean ended;
  private long begun;
  private long endedAt;
  private final Ending ending = new Ending();
  private boolean hasFailedFromOutside;

  public Run(RunPlan plan, RunStart start) {
    this.plan = plan;
    this.start = start;
    this.terms = new KnownTerms(plan.secrets());
    this.samples = plan.task().dataset().samples();
    this.time = plan.time();
    this.models =
        new RunModels(
            plan, Watch::new, isBounded -> new Spending(plan.budget(), permission(isBounded)));
    this.model = models.evaluated();
    this.end = new Completion<>(time, "the end of the run");
    this.kept = new Kept(time);
    this.holding = new Holding(time);
    this.open = new OpenSamples(time, samples);
    this.admission =
        new Admission(plan.options().samples().maxSamples().orElse(MOST_OPEN), followsWindow());
    this.tally = new Tally(plan);
    int epochs = plan.options().samples().epochs().orElse(1);
    this.turns = new Turns(samples, epochs, plan.kept(), tally);
  }

  private boolean followsWindow() {
    return !(model.lane().mode() instanceof Mode.Pace);
  }

  /** Samples, each repetition counted. */
  public static long total(RunPlan plan) {
    return (long) plan.task().dataset().samples().size()
        * plan.options().samples().epochs().orElse(1);
  }

  /**
   * Runs until the end. When the calling task is cancelled, the run ends cleanly and says so in its
   * result; what was finished by then is in it.
   */
  public RunResult run() {
    boolean cancelled = false;
    models.begin();
    synchronized (this) {
      began = true;
      begun = time.nanos();
    }
    admit();
    endIfDone();
    try {
      end.await();
    } catch (InterruptedException stopped) {
      cancelled = true;
    }
    stop();
    open.cancel();
    cancelled |= !open.await(this::recordUnended, this::broken);
    recordNotRunAgain();
    // What could not be closed harms no result, and ends with this program.
    kept.close();
    return result(cancelled);
  }

  /** The result of a run that was cancelled before it began. */
  public RunResult notRun() {
    return result(true);
  }

  /** The result of a run that could not begin. */
  public RunResult notRun(String why) {
    synchronized (this) {
      ending.fail(why);
    }
    return result(false);
  }

  /** Samples that failed and would have been run again: their errors are kept. */
  private void recordNotRunAgain() {
    List<Ticket> left;
    synchronized (this) {
      left = turns.takeFailed();
    }
    try {
      left.forEach(ticket -> plan.log().accept(sampleRun(ticket).notRun()));
    } catch (RuntimeException unwritable) {
      // The log has said before why it takes no more.
    }
  }

  private SampleRun sampleRun(Ticket ticket) {
    return new SampleRun(this, plan, samples.get(ticket.index), ticket);
  }

  private synchronized void stop() {
    stopping = true;
    noteFull();
  }

  /** What samples share until the end of the run. */
  Kept kept() {
    return kept;
  }

  KnownTerms terms() {
    return terms;
  }

  RunModels models() {
    return models;
  }

  // Admission.

  /** Opens as many samples as there is room for. */
  private void admit() {
    if (stopping) {
      return;
    }
    synchronized (this) {
      while (began
          && !stopping
          && holding.isOff()
          && turns.hasNext()
          && admission.hasRoom(model.status())) {
        if (plan.budget().usedUp().isPresent()) {
          stopByBudget();
          return;
        }
        Ticket ticket = turns.take();
        admission.opened();
        // Started here, so that whoever ends the run finds the task of every open sample.
        ticket.opened(
            time.start("sample " + samples.get(ticket.index).id(), () -> runSample(ticket)),
            time.nanos());
        open.add(ticket);
      }
      noteFull();
    }
  }

  /** For how long as many samples have been open as may be, while others wait. */
  private long fullNanos(long now) {
    return fullNanos + (isFull ? now - fullSince : 0);
  }

  private void noteFull() {
    boolean isFullNow = !stopping && turns.hasNext() && admission.isFull();
    if (isFullNow != isFull) {
      long now = time.nanos();
      fullNanos = fullNanos(now);
      fullSince = now;
      isFull = isFullNow;
    }
  }

  /** No sample is opened any more; those that are open end as they can. */
  private void stopByBudget() {
    plan.budget().usedUp().ifPresent(ending::stop);
    stopping |= ending.isStop();
  }

  private void runSample(Ticket ticket) {
    SampleRun sampleRun = sampleRun(ticket);
    boolean hasLeft = false;
    try {
      SampleResult result = sampleRun.run();
      if (!ticket.isMineToRecord()) {
        // It ended after the run had stopped waiting for it, which is in the log.
      } else if (sampleRun.isToRunAgain()) {
        runAgain(ticket, result, sampleRun);
      } else {
        hasLeft = leavePlace(result);
        // It counts when it is in the log.
        plan.log().accept(result);
        keep(ticket, result, sampleRun);
      }
    } catch (CancellationException cut) {
      synchronized (this) {
        isCut = true;
      }
    } catch (UncheckedIOException unwritable) {
      fail("the log cannot be written: " + unwritable.getMessage());
    } catch (RuntimeException | Error broken) {
      fail("the run itself failed: " + broken, Optional.of(Traceback.of(broken)));
    }
    synchronized (this) {
      open.remove(ticket);
      if (hasLeft) {
        admission.written();
      } else {
        admission.closed();
      }
    }
    admit();
    endIfDone();
  }

  /**
   * While the disk writes one, another may run; but not after what may end the run, nor beyond what
   * somebody has bounded.
   */
  private boolean leavePlace(SampleResult result) {
    if (result.error().isPresent()
        || result.cancelled()
        || plan.options().samples().maxSamples().isPresent()) {
      return false;
    }
    boolean hasLeft;
    synchronized (this) {
      hasLeft = admission.leaves();
    }
    admit();
    return hasLeft;
  }

  /** Ends it as failed: what it finishes cannot be kept any more. */
  public void abandon(String why) {
    fail(why);
  }

  private void fail(String why) {
    fail(why, Optional.empty());
  }

  private void fail(String why, Optional<String> traceback) {
    synchronized (this) {
      ending.fail(why, traceback);
    }
    end.complete(false);
  }

  private synchronized void runAgain(Ticket ticket, SampleResult result, SampleRun sampleRun) {
    // It was paid for, whatever comes of it.
    tally.spent(result, sampleRun.spend());
    turns.runAgain(ticket, new SampleFailure(result.error().orElse(""), result.traceback()));
  }

  private void endIfDone() {
    boolean done;
    List<Signal> released;
    synchronized (this) {
      boolean isAllBegun = stopping || !turns.hasNext();
      done = open.isEmpty() && isAllBegun;
      released = isAllBegun && open.size() <= parking.size() ? parking.signals() : List.of();
    }
    released.forEach(Signal::send);
    if (done) {
      end.complete(true);
    }
  }

  /**
   * Puts a sample aside until all others have finished, or are put aside, too. Others have its
   * place meanwhile.
   *
   * @return false if it cannot be: it would keep a sandbox that others wait for, or too many are
   */
  boolean park(Ticket ticket) throws InterruptedException {
    if (plan.task().sandbox().isPresent()) {
      return false;
    }
    Signal release = time.signal("the end of all other samples");
    synchronized (this) {
      if (parking.isFull()) {
        return false;
      }
      if (parking.add(ticket, release)) {
        admission.closed();
      }
    }
    admit();
    endIfDone();
    try {
      release.await();
      return true;
    } finally {
      synchronized (this) {
        if (parking.remove(ticket, release)) {
          admission.reopened();
        }
      }
    }
  }

  // What operators do.

  /** Until it is told otherwise. */
  public void pause(Pause wanted) {
    holding.pause(wanted);
    admit();
  }

  public Pause pause() {
    return holding.pause();
  }

  /** Opens no samples while the log cannot be written; those that are open go on. */
  public void hold(boolean wanted) {
    holding.hold(wanted);
    admit();
  }

  /** Waits as long as calls are held. */
  void awaitRelease() throws InterruptedException {
    holding.awaitRelease();
  }

  /**
   * @param isBounded whether calls that waited for their turn when the budget was used up, or the
   *     provider refused for good, are not made any more
   */
  private Runnable permission(boolean isBounded) {
    return isBounded ? this::requireCalls : () -> {};
  }

  /** Throws if solvers may make no call any more. */
  void requireCalls() {
    plan.budget().requireLeft();
    if (refused) {
      throw new StoppedRunException("the provider rejects every call, or does not answer");
    }
  }

  /** The limits of its model have changed, perhaps in kind. */
  public void retuned() {
    boolean alone = followsWindow();
    synchronized (this) {
      admission.followWindow(alone);
    }
    admit();
  }

  /** Those that run, the oldest first. */
  public List<OpenSample> openSamples(int most) {
    return open.oldest(most);
  }

  /** Whether such a sample runs. */
  public boolean isOpen(String id, Optional<Integer> epoch) {
    return open.find(id, epoch).isPresent();
  }

  /** Ends a sample that runs; false if none does, or it is too late for that. */
  public boolean endSample(String id, Optional<Integer> epoch, EarlyEnd end) {
    return open.find(id, epoch).map(ticket -> ticket.endEarly(end)).orElse(false);
  }

  // Calls.

  /** A sample makes its first call, or ends without one, so long after it was opened. */
  synchronized void begins(long preparedNanos) {
    admission.begins(preparedNanos, model.status(), plan.sandboxes().waiting() > 0);
  }

  /** A sample wants an answer. */
  synchronized void asks() {
    admission.asks();
  }

  /** It has one, or has given up. */
  void asked() {
    synchronized (this) {
      admission.asked();
    }
    admit();
  }

  /** Keeps the budget, and tells how busy the evaluated model is. */
  private final class Watch extends Spending {

    Watch(boolean isBounded) {
      super(plan.budget(), permission(isBounded));
    }

    @Override
    public void left() {
      super.left();
      synchronized (Run.this) {
        admission.left();
      }
      admit();
    }

    @Override
    public void back() {
      synchronized (Run.this) {
        admission.back();
      }
      // If it is to be tried again, it waits for no turn until then.
      admit();
    }
  }

  // What became of samples.

  private void keep(Ticket ticket, SampleResult result, SampleRun sampleRun) {
    boolean isAtOnce;
    synchronized (this) {
      tally.add(ticket.index, result, sampleRun.spend());
      hasFailedFromOutside |= sampleRun.isFailedFromOutside();
      if (result.error().isPresent()) {
        failed(ticket, result, sampleRun);
      } else if (result.cancelled()) {
        sampleRun.stopped().ifPresent(this::refused);
        stopByBudget();
      }
      isAtOnce = ending.isAtOnce();
    }
    if (isAtOnce) {
      end.complete(false);
    }
  }

  private void failed(Ticket ticket, SampleResult result, SampleRun sampleRun) {
    String why = "sample %s failed: %s".formatted(result.id(), result.error().orElse(""));
    // Only that would happen again; a fault after which we gave up ourselves need not.
    Optional<Response.Failure> refusal = sampleRun.failure().filter(Ending::isForGood);
    if (refusal.isPresent()) {
      ending.refuse(why, result.traceback(), refusal.get());
      stopCalling();
      return;
    }
    if (sampleRun.isPoisoned()) {
      tally.poisoned();
      return;
    }
    // Who ends one sample does not want to end all; whether too many failed is told at the end.
    boolean isWanted = ticket.earlyEnd().isPresent();
    if (tally.hasTooManyErrorsSoFar() && !isWanted && !decidesAtTheEnd()) {
      ending.fail(
          tally.failed() == 1 ? why : "%s (%s)".formatted(why, tally.failedOf()),
          result.traceback());
    }
  }

  private void refused(StoppedException before) {
    ending.refuse(before, model.name());
    stopCalling();
  }

  /** What was called by then may still answer. */
  private void stopCalling() {
    refused = true;
    stopping = true;
  }

  private boolean decidesAtTheEnd() {
    ErrorOptions errors = plan.options().errors();
    return errors.continueOnFail().orElse(false) || errors.scoreOnError().orElse(false);
  }

  /** The roles that solvers and scorers have asked for. */
  public Set<String> askedRoles() {
    return models.askedRoles();
  }

  /** The roles in which the evaluated model has graded its own answers. */
  public Set<String> selfGradedRoles() {
    return models.selfGradedRoles();
  }

  /**
   * Whether a sample failed by what says nothing of it: a key, an account, a provider that was
   * away.
   */
  public synchronized boolean hasFailedFromOutside() {
    return hasFailedFromOutside;
  }

  /** Why the provider refused for good, if that ended the run. */
  public synchronized Optional<Response.Failure> refusal() {
    return ending.refusal();
  }

  /** Whether it ended because a provider did not answer for too long. */
  public synchronized boolean hasOutage() {
    return ending.isOutage();
  }

  public synchronized RunProgress progress() {
    return new RunProgress(
        plan.task().name(),
        model.name().toString(),
        turns.total(),
        tally.scored(),
        tally.failed(),
        admission.open(),
        admission.inFlight(),
        plan.options().samples().maxSamples(),
        tally.score(),
        model.status(),
        model.waitingFor(),
        untilLookedAt(),
        tally.tokens(),
        tally.spend(),
        Duration.ofNanos(!began ? 0 : (ended ? endedAt : time.nanos()) - begun),
        ended ? Optional.empty() : holding.told(),
        ended ? Optional.empty() : ending.why(),
        ended);
  }

  private Optional<Duration> untilLookedAt() {
    OptionalLong until = model.waitingFor().untilNanos();
    return until.isPresent()
        ? Optional.of(Duration.ofNanos(Math.max(0, until.getAsLong() - time.nanos())))
        : Optional.empty();
  }

  private synchronized void broken(Throwable why) {
    ending.fail("a sample broke the run: " + why);
  }

  /** Code of the task that does not end when it is told to is left behind. */
  private void recordUnended(Ticket ticket) {
    try {
      plan.log().accept(sampleRun(ticket).notRun());
    } catch (RuntimeException unwritable) {
      // The log has said before why it takes no more.
    }
  }

  private synchronized RunResult result(boolean cancelled) {
    ended = true;
    endedAt = time.nanos();
    int total = turns.total();
    int unfinished = total - tally.scored() - tally.failed();
    // Who has ended it early has not waited for that to be judged.
    boolean isEndedEarly = unfinished > 0 && (cancelled || isCut);
    if (tally.hasTooManyErrors() && !isEndedEarly) {
      ending.fail(tally.failedOf(), tally.firstTraceback());
    }
    if (unfinished > 0 && !isEndedEarly && !ending.isStop()) {
      ending.fail(unfinished + " samples were not finished, and nothing says why");
    }
    List<RunResult.ScorerMetrics> metrics = metrics();
    return new RunResult(
        start,
        ending.status(unfinished),
        ending.error(),
        ending.traceback(),
        ending.stopped(),
        time.instant(),
        (began ? endedAt - begun : 0) / 1e9,
        metrics.isEmpty() ? Map.of() : metrics.getFirst().metrics(),
        metrics,
        tally.accuracyOverAll(),
        new RunResult.Counts(total, tally.scored(), tally.failed(), unfinished),
        tally.tokens(),
        Records.cost(tally.spend()),
        tally.cachedAnswers(),
        tally.retries(),
        tally.times(),
        models.uses(
            Duration.ofNanos(began ? endedAt - begun : 0), Duration.ofNanos(fullNanos(endedAt))),
        tally.limits(),
        tally.failures(),
        tally.retriedSamples());
  }

  /** A metric of the user's own may break; what the samples have cost and scored is told still. */
  private List<RunResult.ScorerMetrics> metrics() {
    try {
      return tally.metrics();
    } catch (RuntimeException | StackOverflowError broken) {
      ending.fail("the metrics cannot be computed: " + broken);
      return List.of();
    }
  }

  /** What reducers made of each sample. */
  public synchronized List<Reduced> reductions() {
    return tally.reductions();
  }
}
