package dev.weir.time.virtual;

import dev.weir.time.Action;
import dev.weir.time.Signal;
import dev.weir.time.Task;
import dev.weir.time.Time;
import dev.weir.time.Work;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.SequencedSet;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Simulated time: hours pass in seconds, and one seed gives one history, always the same.
 *
 * <p>Tasks are ordinary blocking code on virtual threads that pass a baton: exactly one runs at any
 * moment, and everything here is read and written by the holder of the baton only. (The JDK has no
 * public scheduler for virtual threads, so each hand-over is an unpark of the next task and a park
 * of the one before.)
 *
 * <pre>
 *   run ──> start ──> READY ──(its turn: time jumps to its wake)──> RUNNING ──> ended
 *                       ^                                             │
 *                       └──── deadline, signal, cancel ──── WAITING <─┘ sleep, await, join
 * </pre>
 *
 * <ul>
 *   <li>A task that waits is in the wake queue under (time, sequence number). When the running task
 *       waits or ends, the first of the queue runs next and the clock jumps to its time. Ties go by
 *       sequence number, which is given when a wake-up is scheduled.
 *   <li>When all wait and nothing is scheduled, the run fails at once with a {@link
 *       DeadlockException} that names who waits for what.
 *   <li>When the main task ends, the tasks it left behind are cancelled, and run until they end;
 *       tasks started after that begin cancelled.
 *   <li>A failure that no join has thrown fails the run; {@link #run(Work)} has the order.
 *   <li>A run that cannot go on is stopped: each task that is still alive gets an error out of its
 *       present and every further wait, one task after the other, so that it unwinds. A task that
 *       catches even that, again and again, is left parked and named in what the run throws.
 *   <li>A task that waits while it holds a monitor gets an {@link IllegalMonitorStateException}
 *       where the JVM was started with {@code --add-opens java.base/java.lang=ALL-UNNAMED}, as the
 *       build's tests are.
 *   <li>The thread that called {@code run}, the driver, watches in real time. It stops the run when
 *       the running task has been blocked at a monitor, or parked in something that is not virtual
 *       time, for 5 s without moving.
 * </ul>
 *
 * <p>Only tasks of this run may wait, start or send while it runs. Any thread may read the clock
 * and cancel a task; a cancellation from outside takes effect when a task next waits or ends.
 */
public final class VirtualTime implements Time {

  /** Where wall time starts unless told otherwise; a fixed date, so that runs are repeatable. */
  public static final Instant DEFAULT_START = Instant.parse("2026-01-01T00:00:00Z");

  /** About what an interrupted driver needs to wake up. */
  private static final Duration DRIVER_LATENCY = Duration.ofNanos(10_000);

  private final Settings settings;
  private final SplittableRandom seeds;
  private final HeldMonitors heldMonitors;

  // Written by the holder of the baton; volatile because any thread may read the clock.
  private volatile long now;
  // Written at each hand-over; volatile because the driver watches it.
  private volatile @Nullable VirtualTask<?> running;
  // Set by the last task of a run, or by the driver when it gives up.
  private volatile boolean idle = true;
  // Set by the driver when it gives up: tasks unwind in parallel, the baton is no more.
  private volatile boolean givenUp;

  // Cancellations from outside: the driver's own interrupt, and tasks that foreign threads cancel.
  private volatile boolean interrupted;
  private final Queue<VirtualTask<?>> cancelled = new ConcurrentLinkedQueue<>();
  // Set after either of these, so that a wait has only one place to look at.
  private volatile boolean mail;

  // Everything below belongs to the holder of the baton.
  private final WakeQueue wakes = new WakeQueue();
  private final SequencedSet<VirtualTask<?>> alive = new LinkedHashSet<>();
  private long sequence;
  private long tasksStarted;
  private @Nullable VirtualTask<?> main;
  private @Nullable Thread driver;
  private RunFailures failures = new RunFailures();
  private long handOversAllowed;
  // The driver reads it too, after `running`, which is written later and is volatile.
  private long handOvers;

  private VirtualTime(Settings settings) {
    this.settings = settings;
    this.seeds = new SplittableRandom(settings.seed);
    this.heldMonitors = new HeldMonitors(settings.thinlyChecked);
  }

  /** Virtual time from {@link #DEFAULT_START}; the seed is what {@link #freshSeed()} draws from. */
  public static VirtualTime seeded(long seed) {
    return new VirtualTime(new Settings(seed, DEFAULT_START, null, false, RunLimits.DEFAULT));
  }

  /**
   * As {@link #seeded(long)}, from a given date, telling each hand-over of the baton until the run
   * ends or fails. If the observer throws, the run fails with that.
   */
  public static VirtualTime observed(long seed, Instant start, Consumer<? super Step> observer) {
    return new VirtualTime(new Settings(seed, start, observer, false, RunLimits.DEFAULT));
  }

  /**
   * A new virtual time with the same seed, start and observer that checks for held monitors all of
   * the first 50,000 waits, then one in 64. For runs of millions of waits: a check costs more than
   * the wait.
   */
  public VirtualTime thinlyChecked() {
    return new VirtualTime(
        new Settings(settings.seed, settings.start, settings.observer, true, settings.limits));
  }

  /** A new virtual time with the same seed, start, observer and checks, more or less patient. */
  VirtualTime limitedBy(RunLimits limits) {
    return new VirtualTime(
        new Settings(
            settings.seed, settings.start, settings.observer, settings.thinlyChecked, limits));
  }

  /**
   * Runs {@code work} as the main task, and returns when it and all that it started have ended. May
   * be called again afterwards: time goes on from where it was.
   *
   * @return what the work returned
   * @throws DeadlockException if the run cannot go on or cannot end, and main had not failed before
   * @throws Exception what the work threw, with what else went wrong as suppressed; or, if it
   *     returned, what the observer threw, or the first failure of a task that no join has thrown
   */
  public <T extends @Nullable Object> T run(Work<T> work) throws Exception {
    synchronized (this) {
      if (givenUp) {
        throw new IllegalStateException("cannot run: an earlier run was stuck at a lock");
      }
      if (!idle) {
        throw new IllegalStateException("cannot run: this virtual time is running already");
      }
      idle = false;
    }
    driver = Thread.currentThread();
    interrupted = false;
    failures = new RunFailures();
    handOversAllowed = Long.MAX_VALUE;
    var task = new VirtualTask<>(this, ++tasksStarted, "main", work);
    main = task;
    admit(task);
    handOver(null);
    watchUntilIdle();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    failures.throwFirst();
    return task.result();
  }

  /** As {@link #run(Work)}, for work without a result. */
  public void run(Action action) throws Exception {
    run(action.asWork());
  }

  @Override
  public long nanos() {
    return now;
  }

  @Override
  public Instant instant() {
    return settings.start.plusNanos(now);
  }

  @Override
  public void sleepUntil(long deadlineNanos) throws InterruptedException {
    VirtualTask<?> self = current("sleep");
    beforeWait(self, "a time");
    if (deadlineNanos > now) {
      pause(self, deadlineNanos, "a time");
    }
  }

  @Override
  public <T extends @Nullable Object> Task<T> start(String name, Work<T> work) {
    current("start a task");
    var task = new VirtualTask<>(this, ++tasksStarted, name, work);
    admit(task);
    return task;
  }

  @Override
  public Signal signal(String waitingFor) {
    return new VirtualSignal(this, waitingFor);
  }

  @Override
  public long freshSeed() {
    return seeds.nextLong();
  }

  RunLimits limits() {
    return settings.limits;
  }

  /** The task whose code this is; fails for a thread that has no business here. */
  VirtualTask<?> current(String verb) {
    if (givenUp) {
      // Nobody is admitted or ends any more, so all may read who was alive.
      alive.stream().filter(VirtualTask::isCurrentThread).forEach(VirtualTask::throwIfAbandoned);
    }
    VirtualTask<?> task = running;
    if (task == null || !task.isCurrentThread()) {
      throw new IllegalStateException(
          "cannot "
              + verb
              + " on virtual time: thread "
              + Thread.currentThread().getName()
              + " is not the running task; call it from work that VirtualTime.run or start began");
    }
    return task;
  }

  private boolean isCalledByTask() {
    VirtualTask<?> task = running;
    return task != null && task.isCurrentThread() && !givenUp;
  }

  /** Cancels at once if a task asks for it, and at the next wait or end of a task if not. */
  void cancel(VirtualTask<?> task) {
    if (isCalledByTask()) {
      interruptIfAlive(task);
    } else {
      cancelled.add(task);
      mail = true;
    }
  }

  /** What {@link #beforeWait} does, as far as it applies to a join that will not wait. */
  void lookAtCaller(String waitingFor) {
    if (isCalledByTask()) {
      VirtualTask<?> self = current("wait for " + waitingFor);
      self.throwIfAbandoned();
      heldMonitors.check(self, waitingFor);
    }
  }

  /** A join has thrown what the task threw. */
  void observed(VirtualTask<?> task) {
    if (isCalledByTask()) {
      failures.observed(task);
    }
  }

  /**
   * What every wait begins with, even one that will return at once.
   *
   * @throws InterruptedException if the task was cancelled before
   */
  void beforeWait(VirtualTask<?> self, String waitingFor) throws InterruptedException {
    self.throwIfAbandoned();
    openMail();
    heldMonitors.check(self, waitingFor);
    self.throwIfInterrupted();
  }

  /**
   * The one way to wait: gives the baton away until the deadline, a wake-up or a cancellation.
   *
   * @throws InterruptedException if the task was cancelled during the wait
   */
  void pause(VirtualTask<?> self, long deadlineNanos, String waitingFor)
      throws InterruptedException {
    self.beginWaiting(waitingFor);
    if (deadlineNanos != NEVER) {
      wakes.add(self, deadlineNanos, sequence++);
    }
    handOver(self);
    self.awaitBaton();
    self.throwIfAbandoned();
    self.throwIfInterrupted();
  }

  /** Lets a waiting task run at the present time, after those that are already due. */
  void wake(VirtualTask<?> task) {
    if (failures.isStopped()) {
      return;
    }
    wakes.remove(task);
    wakes.add(task, now, sequence++);
  }

  /** The last act of a task: gives the baton away for good. */
  void ended(VirtualTask<?> task) {
    if (givenUp) {
      return;
    }
    alive.remove(task);
    if (!failures.isStopped()) {
      if (task == main) {
        failures.mainEnded(task.failure());
        handOversAllowed = handOvers + settings.limits.handOversAfterMain();
        alive.forEach(VirtualTask::interrupt);
      } else {
        task.failureToObserve().ifPresent(failure -> failures.add(task, failure));
      }
    }
    handOver(null);
  }

  /** Goes on without a task that cannot be unwound; its thread, the caller, never returns. */
  void giveUpOn(VirtualTask<?> task) {
    if (!givenUp) {
      alive.remove(task);
      failures.addToStop(DeadlockException.deaf(now, task, settings.limits.abandonedWaits()));
      handOver(null);
    }
    VirtualTask.parkForEver();
  }

  private void admit(VirtualTask<?> task) {
    alive.add(task);
    if (failures.isStopped()) {
      task.abandon();
      return;
    }
    wakes.add(task, now, sequence++);
    if (failures.hasMainEnded()) {
      task.interrupt();
    }
  }

  /**
   * Gives the baton to the next task; without a hand-over if that is the giver itself.
   *
   * @param giver the task that goes on to wait, or null if it does not
   */
  private void handOver(@Nullable VirtualTask<?> giver) {
    handOvers++;
    openMail();
    VirtualTask<?> next = next();
    running = next;
    if (next == null) {
      idle = true;
      LockSupport.unpark(driver);
    } else if (next == giver) {
      next.keepBaton();
    } else {
      next.takeBaton();
    }
  }

  /** Who runs next: by the clock, or in the order of their start when the run is stopped. */
  private @Nullable VirtualTask<?> next() {
    VirtualTask<?> next = failures.isStopped() ? null : nextByTheClock();
    return failures.isStopped() && !alive.isEmpty() ? alive.getFirst() : next;
  }

  private @Nullable VirtualTask<?> nextByTheClock() {
    VirtualTask<?> next = wakes.poll();
    if (next == null && !alive.isEmpty()) {
      waitForMailOfDriver();
      openMail();
      next = wakes.poll();
    }
    if (next == null) {
      if (!alive.isEmpty()) {
        stop(DeadlockException.allWait(now, alive));
      }
      return null;
    }
    now = Math.max(now, next.wakeAt);
    if (handOvers > handOversAllowed) {
      stop(DeadlockException.endless(now, settings.limits.handOversAfterMain(), alive));
    } else if (settings.observer != null) {
      tell(settings.observer, next);
    }
    return next;
  }

  private void tell(Consumer<? super Step> observer, VirtualTask<?> next) {
    // Nobody runs: an observer that tries to wait or start is refused.
    running = null;
    try {
      observer.accept(new Step(now, next.wakeSequence, next.name(), next.waitingFor));
    } catch (Throwable thrown) {
      // Not swallowed: the run throws it when all tasks are unwound.
      stop(thrown);
    }
  }

  /** From now on tasks only unwind, one by one, so that their finally blocks still run alone. */
  private void stop(Throwable reason) {
    failures.stop(reason);
    wakes.clear();
    alive.forEach(VirtualTask::abandon);
  }

  private void openMail() {
    if (!mail) {
      return;
    }
    mail = false;
    if (interrupted && main != null && alive.contains(main)) {
      interrupted = false;
      main.interrupt();
    }
    for (var task = cancelled.poll(); task != null; task = cancelled.poll()) {
      interruptIfAlive(task);
    }
  }

  private void interruptIfAlive(VirtualTask<?> task) {
    if (alive.contains(task)) {
      task.interrupt();
    }
  }

  /** An interrupt that the driver has not passed on yet must win over a deadlock. */
  private void waitForMailOfDriver() {
    while (driver != null && driver.isInterrupted() && !mail) {
      LockSupport.parkNanos(this, DRIVER_LATENCY.toNanos());
    }
  }

  /** The driver's part: waits in real time, passes interrupts on, and notices a stuck task. */
  private void watchUntilIdle() {
    var watch = new StuckWatch(settings.limits.stuckChecks());
    while (!idle) {
      LockSupport.parkNanos(this, settings.limits.watchInterval().toNanos());
      if (Thread.currentThread().isInterrupted()) {
        interrupted = true;
        mail = true;
        // Cleared last: who sees it clear also sees the mail.
        Thread.interrupted();
        continue;
      }
      VirtualTask<?> holder = running;
      StuckWatch.Sighting sighting = holder != null ? holder.standingStill(handOvers) : null;
      if (watch.isStuck(sighting) && sighting != null) {
        giveUp(sighting);
      }
    }
  }

  private void giveUp(StuckWatch.Sighting sighting) {
    failures.stop(DeadlockException.stuck(now, sighting, settings.limits.patience(), alive));
    givenUp = true;
    // Who holds what is wanted is probably one of those that wait: let all of them unwind at once.
    List.copyOf(alive).forEach(VirtualTask::abandonNow);
    idle = true;
  }

  private record Settings(
      long seed,
      Instant start,
      @Nullable Consumer<? super Step> observer,
      boolean thinlyChecked,
      RunLimits limits) {}
}
