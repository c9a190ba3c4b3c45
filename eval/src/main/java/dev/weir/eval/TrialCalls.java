package dev.weir.eval;

import dev.weir.eval.run.CallWatch;
import dev.weir.model.Usage;
import dev.weir.model.price.Spend;
import java.util.concurrent.atomic.AtomicInteger;

/** The calls of all trials together that have left and are not back. Thread-safe. */
final class TrialCalls {

  private final AtomicInteger inFlight = new AtomicInteger();
  private volatile Runnable listener = () -> {};

  /** Who is told when a call leaves or is back; he must not wait. */
  void tell(Runnable changed) {
    listener = changed;
  }

  int inFlight() {
    return inFlight.get();
  }

  /** The same watch, whose calls are counted. */
  CallWatch counted(CallWatch watch) {
    return new CallWatch() {
      @Override
      public void left() {
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
