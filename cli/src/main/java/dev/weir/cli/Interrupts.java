package dev.weir.cli;

import dev.weir.log.journal.JournalReader;
import dev.weir.model.Printable;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jline.utils.Signals;

/**
 * Ctrl+C while something runs that is worth a clean end: the first asks for that, and the next one
 * ends the process at once. Whoever ends without that end is told what is on the disk. Listening
 * from the start, so that however soon the second comes, it counts. Thread-safe.
 */
final class Interrupts implements AutoCloseable {

  private static final String SIGNAL = "INT";

  /** A set may have hundreds. */
  private static final int MOST_NAMED = 5;

  private final BooleanSupplier ends;
  private final Resumption resumption;
  private final AtomicInteger count = new AtomicInteger();
  private final AtomicBoolean isTold = new AtomicBoolean();
  private final Object before;

  private Interrupts(BooleanSupplier ends, Resumption resumption) {
    this.ends = ends;
    this.resumption = resumption;
    // Each signal is handled on a thread of its own, so the second need not wait for the first.
    this.before = Signals.register(SIGNAL, this::interrupted);
  }

  /**
   * @param ends what the first does; false if that did not end what runs, which ends the process
   */
  static Interrupts handled(BooleanSupplier ends, Resumption resumption) {
    return new Interrupts(ends, resumption);
  }

  private void interrupted() {
    if (count.getAndIncrement() > 0) {
      sayLastWords("weir: ended at once");
      Runtime.getRuntime().halt(ExitCode.INTERRUPTED);
    } else if (!ends.getAsBoolean()) {
      sayGivenUp();
      System.exit(ExitCode.INTERRUPTED);
    }
  }

  /** What was asked to end did not. */
  void sayGivenUp() {
    sayLastWords(
        "weir: given up, since it did not end and wrote nothing for %d s"
            .formatted(Patience.WITHOUT_A_WRITE.toSeconds()));
  }

  private void sayLastWords(String end) {
    // Once: should nobody read it, another interrupt still ends the process.
    if (isTold.compareAndSet(false, true)) {
      // Not the lock of a set, which is on a hidden file, nor that of a mere name.
      List<Path> journals =
          JournalReader.writtenHere().stream()
              .filter(file -> !String.valueOf(file.getFileName()).startsWith("."))
              .filter(Files::isRegularFile)
              .toList();
      say(lastWords(end, journals, resumption));
    }
  }

  /** A clean end takes its time; who does not want to wait is told what to do. */
  static void tellWritten(long bytes) {
    say(
        "weir: ending: the log is still being written, %.1f MB so far; Ctrl+C once more ends at once, and nothing that was finished is lost"
            .formatted(bytes / 1e6));
  }

  /** Past the locks of System.err, which may be held by whatever did not end. */
  private static void say(String line) {
    // Not closed: it is not ours.
    var err = new FileOutputStream(FileDescriptor.err);
    try {
      err.write("%n%s%n".formatted(line).getBytes(StandardCharsets.UTF_8));
    } catch (IOException nobodyListens) {
      // It ends all the same.
    }
  }

  /** Where what was finished is, and what to do with it. */
  static String lastWords(String end, List<Path> journals, Resumption resumption) {
    if (journals.isEmpty()) {
      return end;
    }
    List<String> names =
        journals.stream().limit(MOST_NAMED).map(file -> Printable.line(file.toString())).toList();
    int others = journals.size() - names.size();
    String where =
        String.join(", ", names) + (others == 0 ? "" : " and %d other journals".formatted(others));
    String how =
        switch (resumption) {
          case Resumption.WithRetry() ->
              "to resume: weir eval-retry %s"
                  .formatted(names.size() == 1 ? ShellWord.of(names.getFirst()) : "FILE…");
          case Resumption.WithTheSameCommand(String command) -> "to resume: " + command;
        };
    return "%s; what was finished is in %s; %s".formatted(end, where, how);
  }

  @Override
  public void close() {
    if (count.get() == 0) {
      Signals.unregister(SIGNAL, before);
    }
  }
}
