package dev.weir.cli;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jline.utils.Signals;

/**
 * Ctrl+C while something runs that is worth a clean end: the first asks for that, and the next one
 * ends the process at once. Listening from the start, so that however soon the second comes, it
 * counts. Thread-safe.
 */
final class Interrupts implements AutoCloseable {

  private static final String SIGNAL = "INT";

  private final BooleanSupplier ends;
  private final AtomicInteger count = new AtomicInteger();
  private final Object before;

  private Interrupts(BooleanSupplier ends) {
    this.ends = ends;
    // Each signal is handled on a thread of its own, so the second need not wait for the first.
    this.before = Signals.register(SIGNAL, this::interrupted);
  }

  /**
   * @param ends what the first does; false if that did not end what runs, which ends the process
   */
  static Interrupts handled(BooleanSupplier ends) {
    return new Interrupts(ends);
  }

  private void interrupted() {
    if (count.getAndIncrement() > 0) {
      Runtime.getRuntime().halt(ExitCode.INTERRUPTED);
    } else if (!ends.getAsBoolean()) {
      System.exit(ExitCode.INTERRUPTED);
    }
  }

  @Override
  public void close() {
    if (count.get() == 0) {
      Signals.unregister(SIGNAL, before);
    }
  }
}
