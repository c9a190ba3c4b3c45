package dev.weir.cli;

import java.util.concurrent.atomic.AtomicInteger;
import org.jline.utils.Signals;

/**
 * Ctrl+C while something runs that is worth a clean end: the first ends the process as usual, with
 * what it has to do before; the next one at once. Listening from the start, so that however soon
 * the second comes, it counts. Thread-safe.
 */
final class Interrupts implements AutoCloseable {

  private static final String SIGNAL = "INT";

  private final AtomicInteger count = new AtomicInteger();
  private final Object before;

  private Interrupts() {
    // Each signal is handled on a thread of its own, so the second need not wait for the first.
    this.before = Signals.register(SIGNAL, this::interrupted);
  }

  static Interrupts handled() {
    return new Interrupts();
  }

  private void interrupted() {
    if (count.getAndIncrement() == 0) {
      System.exit(ExitCode.INTERRUPTED);
    } else {
      Runtime.getRuntime().halt(ExitCode.INTERRUPTED);
    }
  }

  @Override
  public void close() {
    if (count.get() == 0) {
      Signals.unregister(SIGNAL, before);
    }
  }
}
