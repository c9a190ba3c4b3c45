package dev.weir.limits;

import dev.weir.time.Signal;
import dev.weir.time.Task;
import dev.weir.time.Time;
import dev.weir.time.Work;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A clock that stands, and signals made of nothing but a monitor: a model checker sees through it,
 * and what nobody wakes is a deadlock instead of a timeout.
 */
final class StillTime implements Time {

  @Override
  public long nanos() {
    return 0;
  }

  @Override
  public Instant instant() {
    return Instant.EPOCH;
  }

  @Override
  public void sleepUntil(long deadlineNanos) {
    if (deadlineNanos > 0) {
      throw new IllegalStateException("cannot sleep: the clock stands");
    }
  }

  @Override
  public <T extends @Nullable Object> Task<T> start(String name, Work<T> work) {
    throw new IllegalStateException("cannot start " + name + ": the model checker has the threads");
  }

  @Override
  public Signal signal(String waitingFor) {
    return new MonitorSignal();
  }

  @Override
  public long freshSeed() {
    return 0;
  }

  private static final class MonitorSignal implements Signal {

    // Guarded by this.
    private boolean sent;

    @Override
    public synchronized boolean await(long deadlineNanos) throws InterruptedException {
      while (!sent && deadlineNanos > 0) {
        wait();
      }
      boolean taken = sent;
      sent = false;
      return taken;
    }

    @Override
    public synchronized void send() {
      sent = true;
      notifyAll();
    }
  }
}
