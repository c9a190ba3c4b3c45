package dev.weir.time;

import java.security.SecureRandom;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The system's clock; each task is a virtual thread. Thread-safe. */
final class SystemTime implements Time {

  static final SystemTime INSTANCE = new SystemTime();

  // Readings count from here, so that they are never negative and compare plainly.
  private final long origin = System.nanoTime();
  private final SecureRandom entropy = new SecureRandom();

  private SystemTime() {}

  @Override
  public long nanos() {
    return System.nanoTime() - origin;
  }

  @Override
  public Instant instant() {
    return Instant.now();
  }

  @Override
  public void sleepUntil(long deadlineNanos) throws InterruptedException {
    while (true) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      // Compared before subtracting: the difference to a deadline far in the past overflows.
      long now = nanos();
      if (deadlineNanos <= now) {
        return;
      }
      LockSupport.parkNanos(this, deadlineNanos - now);
    }
  }

  @Override
  public <T extends @Nullable Object> Task<T> start(String name, Work<T> work) {
    var task = new SystemTask<>(this, name, work);
    task.thread.start();
    return task;
  }

  @Override
  public Signal signal(String waitingFor) {
    return new SystemSignal(this, waitingFor);
  }

  @Override
  public long freshSeed() {
    return entropy.nextLong();
  }

  private static final class SystemTask<T extends @Nullable Object> implements Task<T> {

    private final String name;
    private final Completion<T> end;
    private final Thread thread;

    SystemTask(Time time, String name, Work<T> work) {
      this.name = name;
      this.end = new Completion<>(time, "the end of task " + name);
      this.thread = Thread.ofVirtual().name(name).unstarted(() -> body(work));
    }

    private void body(Work<T> work) {
      end.completeWith(work);
      if (end.failure().orElse(null) instanceof Error error) {
        // To the uncaught exception handler: an error must be seen even if nobody ever joins.
        throw error;
      }
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public T join() throws InterruptedException {
      return end.await();
    }

    @Override
    public boolean join(long deadlineNanos) throws InterruptedException {
      return end.await(deadlineNanos);
    }

    @Override
    public boolean isDone() {
      return end.isDone();
    }

    @Override
    public void cancel() {
      thread.interrupt();
    }
  }

  /**
   * Lock-free, because a limiter makes one for every request that waits. The value is null (not
   * sent, nobody waits), the thread that waits, or {@link #SENT}.
   */
  private static final class SystemSignal extends AtomicReference<@Nullable Object>
      implements Signal {

    private static final long serialVersionUID = 1L;
    private static final Object SENT = new Object();

    private final transient SystemTime time;
    private final String waitingFor;

    SystemSignal(SystemTime time, String waitingFor) {
      this.time = time;
      this.waitingFor = waitingFor;
    }

    @Override
    public boolean await(long deadlineNanos) throws InterruptedException {
      Thread waiter = Thread.currentThread();
      letOthersSend(waiter);
      enter(waiter);
      while (true) {
        if (Thread.interrupted()) {
          // If it was sent meanwhile, it stays so.
          compareAndSet(waiter, null);
          throw new InterruptedException();
        }
        if (compareAndSet(SENT, null)) {
          return true;
        }
        long now = time.nanos();
        if (deadlineNanos <= now) {
          return !compareAndSet(waiter, null) && compareAndSet(SENT, null);
        }
        if (deadlineNanos == NEVER) {
          LockSupport.park(this);
        } else {
          LockSupport.parkNanos(this, deadlineNanos - now);
        }
      }
    }

    @Override
    public void send() {
      if (getAndSet(SENT) instanceof Thread waiter) {
        LockSupport.unpark(waiter);
      }
    }

    /** What comes at once is cheaper to have without parking. */
    @SuppressWarnings(
        "ThreadPriorityCheck") // not a hint for the scheduler, but a place in its line
    private void letOthersSend(Thread waiter) {
      if (get() == null && waiter.isVirtual()) {
        Thread.yield();
      }
    }

    private void enter(Thread waiter) {
      Object before = compareAndExchange(null, waiter);
      if (before instanceof Thread other) {
        throw new IllegalStateException(
            "cannot wait for " + waitingFor + ": " + other.getName() + " is waiting for it");
      }
    }

    @Override
    public String toString() {
      return waitingFor;
    }
  }
}
