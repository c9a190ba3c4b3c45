package dev.weir.time.virtual;

import dev.weir.time.Signal;
import org.jspecify.annotations.Nullable;

/** A signal on virtual time; belongs to the holder of the baton. */
final class VirtualSignal implements Signal {

  private final VirtualTime time;
  private final String waitingFor;
  private boolean sent;
  private @Nullable VirtualTask<?> waiter;

  VirtualSignal(VirtualTime time, String waitingFor) {
    this.time = time;
    this.waitingFor = waitingFor;
  }

  @Override
  public boolean await(long deadlineNanos) throws InterruptedException {
    VirtualTask<?> self = time.current("wait for " + waitingFor);
    if (waiter != null) {
      throw new IllegalStateException(
          "cannot wait for " + waitingFor + ": " + waiter.name() + " is waiting for it");
    }
    time.beforeWait(self, waitingFor);
    if (!sent && deadlineNanos > time.nanos()) {
      waiter = self;
      try {
        time.pause(self, deadlineNanos, waitingFor);
      } finally {
        waiter = null;
      }
    }
    boolean taken = sent;
    sent = false;
    return taken;
  }

  @Override
  public void send() {
    time.current("send a signal");
    if (!sent) {
      sent = true;
      if (waiter != null) {
        time.wake(waiter);
      }
    }
  }

  @Override
  public String toString() {
    return waitingFor;
  }
}
