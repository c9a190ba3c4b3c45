package dev.weir.cli;

import dev.weir.time.Time;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Output that is longer than a screen, through the pager of the user, as {@code git log} does it.
 *
 * <p>The pager is the command in WEIR_PAGER or PAGER, else {@code less}. What does not go to a
 * terminal is written as it is, and so is everything if the pager is {@code cat} or cannot be
 * started.
 */
final class Pager {

  private static final String USUAL = "less";

  /**
   * Quit if it fits on one screen, keep colours, leave the text on the screen, and end with Ctrl+C
   * as Weir does.
   */
  private static final String LESS = "FRXK";

  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(20);

  private final Time time;
  private final PrintWriter out;
  private final @Nullable Process process;

  private Pager(Time time, PrintWriter out, @Nullable Process process) {
    this.time = time;
    this.out = out;
    this.process = process;
  }

  /**
   * @param wanted false to write to the terminal itself
   */
  static Pager open(Surroundings surroundings, boolean wanted) {
    String command = command(surroundings);
    if (!wanted || !surroundings.terminal() || command.equals("cat")) {
      return new Pager(surroundings.time(), surroundings.out(), null);
    }
    surroundings.out().flush();
    var builder =
        new ProcessBuilder("sh", "-c", command)
            .redirectOutput(ProcessBuilder.Redirect.INHERIT)
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().putIfAbsent("LESS", LESS);
    // less shows what it takes for binary in angle brackets, unless it knows the character set.
    builder.environment().putIfAbsent("LESSCHARSET", "utf-8");
    try {
      Process process = builder.start();
      var writer = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
      return new Pager(surroundings.time(), new PrintWriter(writer), process);
    } catch (IOException noShell) {
      return new Pager(surroundings.time(), surroundings.out(), null);
    }
  }

  private static String command(Surroundings surroundings) {
    String own = surroundings.environment().getOrDefault("WEIR_PAGER", "").strip();
    String shared = surroundings.environment().getOrDefault("PAGER", "").strip();
    return own.isEmpty() ? shared.isEmpty() ? USUAL : shared : own;
  }

  PrintWriter out() {
    return out;
  }

  /** Whether the reader has seen enough and left. */
  boolean isLeft() {
    return process != null && out.checkError();
  }

  /** Ends the text, and waits until the reader leaves the pager. */
  void finish() throws InterruptedException {
    out.flush();
    if (process == null) {
      return;
    }
    out.close();
    while (process.isAlive()) {
      time.sleep(BETWEEN_LOOKS);
    }
  }
}
