package dev.weir.time;

import java.security.SecureRandom;
import java.time.Instant;
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

  private static final class SystemSignal implements Signal {

    private final SystemTime time;
    private final String waitingFor;

    // Guarded by this: a sender must see either the waiter or be seen by it.
    private boolean sent;
    private @Nullable Thread waiter;

    SystemSignal(SystemTime time, String waitingFor) {
      this.time = time;
      this.waitingFor = waitingFor;
    }

    @Override
    public boolean await(long deadlineNanos) throws InterruptedException {
      enter();
      try {
        while (true) {
          if (Thread.interrupted()) {
            throw new InterruptedException();
          }
          if (take()) {
            return true;
          }
          long now = time.nanos();
          if (deadlineNanos <= now) {
            return false;
          }
          LockSupport.parkNanos(this, deadlineNanos - now);
        }
      } finally {
        leave();
      }
    }

    @Override
    public void send() {
      Thread woken;
      synchronized (this) {
        sent = true;
        woken = waiter;
      }
      LockSupport.unpark(woken);
    }

    private synchronized void enter() {
      if (waiter != null) {
        throw new IllegalStateException(
            "cannot wait for " + waitingFor + ": " + waiter.getName() + " is waiting for it");
      }
      waiter = Thread.currentThread();
    }

    private synchronized void leave() {
      waiter = null;
    }

    private synchronized boolean take() {
      boolean taken = sent;
      sent = false;
      return taken;
    }

    @Override
    public String toString() {
      return waitingFor;
    }
  }
}
