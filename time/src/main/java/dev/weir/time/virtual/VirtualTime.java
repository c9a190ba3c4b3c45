package dev.weir.time.virtual;

import dev.weir.time.Action;
import dev.weir.time.Signal;
import dev.weir.time.Task;
import dev.weir.time.Time;
import dev.weir.time.Work;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.SplittableRandom;
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
 *   <li>When the main task ends, the tasks it left behind are cancelled, and run until they end.
 *   <li>A task that waits while it holds a monitor gets an {@link IllegalMonitorStateException}
 *       where the JVM was started with {@code --add-opens java.base/java.lang=ALL-UNNAMED}, as the
 *       build's tests are. Elsewhere the run fails when another task meets the held monitor.
 * </ul>
 *
 * <p>Only tasks of this run may wait, start, cancel or send while it runs. The clock may be read by
 * any thread.
 */
public final class VirtualTime implements Time {

  /** Where wall time starts unless told otherwise; a fixed date, so that runs are repeatable. */
  public static final Instant DEFAULT_START = Instant.parse("2026-01-01T00:00:00Z");

  /** How often, in real time, a run is checked for a task stuck at another one's monitor. */
  private static final Duration WATCH_INTERVAL = Duration.ofMillis(500);

  private final Instant start;
  private final SplittableRandom seeds;
  private final Consumer<? super Step> observer;
  private final boolean observed;
  private final HeldMonitors heldMonitors = new HeldMonitors();

  // Written by the holder of the baton; volatile because any thread may read the clock.
  private volatile long now;
  // Written at each hand-over; volatile because the driver watches it.
  private volatile @Nullable VirtualTask<?> running;
  // Set by the last task of a run, or by the driver when it gives up.
  private volatile boolean idle = true;
  private volatile boolean interrupted;
  // Set by the driver: tasks unwind in parallel, the baton is no more.
  private volatile boolean givenUp;

  // Everything below belongs to the holder of the baton.
  private final WakeQueue wakes = new WakeQueue();
  private final Set<VirtualTask<?>> alive = new LinkedHashSet<>();
  private long sequence;
  private long tasksStarted;
  private @Nullable VirtualTask<?> main;
  private @Nullable Thread driver;
  private @Nullable DeadlockException deadlock;

  private VirtualTime(long seed, Instant start, @Nullable Consumer<? super Step> observer) {
    this.start = start;
    this.seeds = new SplittableRandom(seed);
    this.observed = observer != null;
    this.observer = observer != null ? observer : step -> {};
  }

  /** Virtual time from {@link #DEFAULT_START}; the seed is what {@link #freshSeed()} draws from. */
  public static VirtualTime seeded(long seed) {
    return new VirtualTime(seed, DEFAULT_START, null);
  }

  /** As {@link #seeded(long)}, from a given date, telling each hand-over of the baton. */
  public static VirtualTime observed(long seed, Instant start, Consumer<? super Step> observer) {
    return new VirtualTime(seed, start, observer);
  }

  /**
   * Runs {@code work} as the main task, and returns when it and all that it started have ended. May
   * be called again afterwards: time goes on from where it was.
   *
   * @return what the work returned
   * @throws DeadlockException if all tasks wait and nothing is scheduled
   * @throws Exception what the work threw
   */
  public <T extends @Nullable Object> T run(Work<T> work) throws Exception {
    synchronized (this) {
      if (givenUp) {
        throw new IllegalStateException("cannot run: an earlier run was stuck at a monitor");
      }
      if (!idle) {
        throw new IllegalStateException("cannot run: this virtual time is running already");
      }
      idle = false;
    }
    driver = Thread.currentThread();
    interrupted = false;
    var task = new VirtualTask<>(this, ++tasksStarted, "main", work);
    main = task;
    admit(task);
    handOver(null);
    watchUntilIdle();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (deadlock != null) {
      var thrown = deadlock;
      deadlock = null;
      throw thrown;
    }
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
    return start.plusNanos(now);
  }

  @Override
  public void sleepUntil(long deadlineNanos) throws InterruptedException {
    VirtualTask<?> self = current("sleep");
    if (deadlineNanos <= now) {
      self.throwIfInterrupted();
      return;
    }
    pause(self, deadlineNanos, "a time");
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

  /** The task whose code this is; fails for a thread that has no business here. */
  VirtualTask<?> current(String verb) {
    if (givenUp) {
      throw new VirtualTask.AbandonedError(Thread.currentThread().getName());
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

  /**
   * The one way to wait: gives the baton away until the deadline, a wake-up or a cancellation.
   *
   * @throws InterruptedException if the task was cancelled before or during the wait
   */
  void pause(VirtualTask<?> self, long deadlineNanos, String waitingFor)
      throws InterruptedException {
    self.throwIfAbandoned();
    heldMonitors.check(self, waitingFor);
    self.throwIfInterrupted();
    self.waitingFor = waitingFor;
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
    wakes.remove(task);
    wakes.add(task, now, sequence++);
  }

  /** The last act of a task: gives the baton away for good. */
  void ended(VirtualTask<?> task) {
    if (givenUp) {
      return;
    }
    alive.remove(task);
    if (task == main && deadlock == null) {
      alive.forEach(VirtualTask::interrupt);
    }
    handOver(null);
  }

  private void admit(VirtualTask<?> task) {
    alive.add(task);
    wakes.add(task, now, sequence++);
  }

  /**
   * Gives the baton to the next task; without a hand-over if that is the giver itself.
   *
   * @param giver the task that goes on to wait, or null if it does not
   */
  private void handOver(@Nullable VirtualTask<?> giver) {
    if (interrupted && main != null && alive.contains(main)) {
      interrupted = false;
      main.interrupt();
    }
    VirtualTask<?> next = wakes.poll();
    if (next == null) {
      next = nextWhenNothingIsScheduled();
      if (next == null) {
        running = null;
        idle = true;
        LockSupport.unpark(driver);
        return;
      }
    }
    now = Math.max(now, next.wakeAt);
    running = next;
    if (observed) {
      observer.accept(new Step(now, next.wakeSequence, next.name(), next.waitingFor));
    }
    if (next == giver) {
      next.keepBaton();
    } else {
      next.takeBaton();
    }
  }

  private @Nullable VirtualTask<?> nextWhenNothingIsScheduled() {
    if (alive.isEmpty()) {
      return null;
    }
    if (deadlock == null) {
      deadlock = DeadlockException.allWait(now, alive);
    }
    // Unwind the rest one by one, so that their finally blocks still run alone.
    VirtualTask<?> stuck = alive.iterator().next();
    stuck.abandon();
    stuck.wakeAt = now;
    return stuck;
  }

  /** The driver's part: waits in real time, and notices a task that is stuck at a monitor. */
  private void watchUntilIdle() {
    @Nullable VirtualTask<?> suspect = null;
    while (!idle) {
      LockSupport.parkNanos(this, WATCH_INTERVAL.toNanos());
      if (Thread.interrupted()) {
        interrupted = true;
      }
      VirtualTask<?> holder = running;
      if (holder == null || !holder.isBlockedAtMonitor()) {
        suspect = null;
      } else if (holder != suspect) {
        suspect = holder;
      } else {
        deadlock = DeadlockException.heldMonitor(now, holder, alive);
        givenUp = true;
        // The holder of the monitor is one of those that wait: let all of them unwind at once.
        Set.copyOf(alive).forEach(VirtualTask::abandonNow);
        idle = true;
      }
    }
  }
}
