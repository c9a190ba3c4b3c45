package dev.weir.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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

  private static final String LAST_WORDS =
      "%nweir: ended at once; what was finished is in the journal in the log directory: `weir log list` names it, and `weir eval-retry FILE` goes on with a run%n"
          .formatted();

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
    int before = count.getAndIncrement();
    if (before > 0) {
      // Once: should nobody read it, another interrupt still ends the process.
      if (before == 1) {
        sayLastWords();
      }
      Runtime.getRuntime().halt(ExitCode.INTERRUPTED);
    } else if (!ends.getAsBoolean()) {
      System.exit(ExitCode.INTERRUPTED);
    }
  }

  /** Past the locks of System.err, which may be held by whatever did not end. */
  private static void sayLastWords() {
    // Not closed: it is not ours.
    var err = new FileOutputStream(FileDescriptor.err);
    try {
      err.write(LAST_WORDS.getBytes(StandardCharsets.UTF_8));
    } catch (IOException nobodyListens) {
      // It ends all the same.
    }
  }

  @Override
  public void close() {
    if (count.get() == 0) {
      Signals.unregister(SIGNAL, before);
    }
  }
}
