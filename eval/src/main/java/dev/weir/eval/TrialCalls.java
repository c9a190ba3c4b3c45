package dev.weir.eval;

import dev.weir.eval.run.CallWatch;
import dev.weir.model.Usage;
import dev.weir.model.price.Spend;
import java.math.BigDecimal;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

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

  /**
   * The same watch, whose calls are counted.
   *
   * @param paid is told the known dollars of each answer
   */
  CallWatch counted(CallWatch watch, Consumer<BigDecimal> paid) {
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
        paid.accept(cost.known());
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
