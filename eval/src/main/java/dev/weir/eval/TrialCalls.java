package dev.weir.eval;

import dev.weir.eval.run.CallWatch;
import dev.weir.model.Usage;
import dev.weir.model.price.Spend;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The calls of all trials together that have left and are not back, and the gate that they leave
 * by. Thread-safe.
 */
final class TrialCalls {

  private final AtomicInteger inFlight = new AtomicInteger();
  private volatile boolean isClosed;
  private volatile Runnable listener = () -> {};

  /** Who is told when a call leaves or is back; he must not wait. */
  void tell(Runnable changed) {
    listener = changed;
  }

  /** From now on none leaves any more. */
  void close() {
    isClosed = true;
  }

  boolean isClosed() {
    return isClosed;
  }

  int inFlight() {
    return inFlight.get();
  }

  /** The same watch, whose calls are counted. */
  CallWatch counted(CallWatch watch) {
    return new CallWatch() {
      @Override
      public void left() {
        if (isClosed) {
          throw new CancellationException("no call is made any more: all of it is being ended");
        }
        watch.left();
        inFlight.incrementAndGet();
        listener.run();
      }

      @Override
      public void answered(Usage usage, Spend cost) {
        watch.answered(usage, cost);
      }

      @Override
      public void back() {
        inFlight.decrementAndGet();
        watch.back();
        listener.run();
      }
    };
  }
}
