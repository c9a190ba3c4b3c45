package dev.weir.providers.custom;

import dev.weir.time.Time;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Runs a program once: writes its standard input, reads what it prints, waits for its end.
 *
 * <p>It looks at the program every few milliseconds instead of waiting inside of a read: so it can
 * be interrupted, no thread is held by a silent program, and one that leaves others behind which
 * keep its output open ends all the same. Then these are ended, too: nobody else would.
 */
final class Program {

  /** Enough for the last lines of a stack trace. */
  private static final int LONGEST_COMPLAINT = 4_096;

  private static final Duration SHORTEST_LOOK = Duration.ofMillis(1);
  private static final Duration LONGEST_LOOK = Duration.ofMillis(10);

  /** What every program needs to run at all; no credentials. */
  private static final Set<String> PASSED_ON =
      Set.of(
          "PATH",
          "HOME",
          "USER",
          "LOGNAME",
          "LANG",
          "LC_ALL",
          "LC_CTYPE",
          "TMPDIR",
          "TEMP",
          "TMP",
          "TZ",
          "SystemRoot",
          "PATHEXT",
          "ComSpec");

  private final ExecConfig config;
  private final Time time;

  Program(ExecConfig config, Time time) {
    this.config = config;
    this.time = time;
  }

  /** How a program ended. */
  sealed interface End {

    /**
     * @param output all that it printed
     * @param complaint the end of its standard error
     */
    record Exited(int code, String output, String complaint) implements End {}

    record TimedOut(String complaint) implements End {}

    record PrintedTooMuch() implements End {}
  }

  /**
   * @param arguments after those of its command
   * @throws IOException if it cannot be started
   */
  End run(List<String> arguments, byte[] input) throws IOException, InterruptedException {
    List<String> command = Stream.concat(config.command().stream(), arguments.stream()).toList();
    var builder = new ProcessBuilder(command).directory(config.folder().toFile());
    builder.environment().keySet().retainAll(PASSED_ON);
    builder.environment().putAll(config.environment());
    String mark =
        "%d-%s"
            .formatted(ProcessHandle.current().pid(), HexFormat.of().toHexDigits(time.freshSeed()));
    builder.environment().put(LeftBehind.VARIABLE, mark);
    Process process = builder.start();
    try (InputStream output = process.getInputStream();
        InputStream errors = process.getErrorStream()) {
      // By another task: a program may print much before it reads.
      time.start("standard input of " + config.source(), () -> write(process, input));
      return watch(process, output, errors);
    } finally {
      LeftBehind.OF_ALL.end(process, mark);
    }
  }

  private static void write(Process process, byte[] input) {
    try (OutputStream to = process.getOutputStream()) {
      to.write(input);
    } catch (IOException notRead) {
      // A program need not read what it is asked.
    }
  }

  private End watch(Process process, InputStream output, InputStream errors)
      throws IOException, InterruptedException {
    long deadline = time.after(config.timeout());
    var printed = new ByteArrayOutputStream();
    var complaint = new Tail();
    Duration look = SHORTEST_LOOK;
    while (true) {
      // Before reading: what was printed by then is read below, or already was.
      boolean ended = !process.isAlive();
      byte[] out = available(output);
      byte[] err = available(errors);
      printed.writeBytes(out);
      complaint.add(err);
      if (printed.size() > config.maxOutput()) {
        return new End.PrintedTooMuch();
      }
      boolean silent = out.length == 0 && err.length == 0;
      if (ended && silent) {
        return new End.Exited(
            process.exitValue(), printed.toString(StandardCharsets.UTF_8), complaint.text());
      }
      if (time.nanos() >= deadline) {
        return new End.TimedOut(complaint.text());
      }
      look = silent ? doubled(look) : SHORTEST_LOOK;
      time.sleep(look);
    }
  }

  private static Duration doubled(Duration look) {
    Duration twice = look.multipliedBy(2);
    return twice.compareTo(LONGEST_LOOK) > 0 ? LONGEST_LOOK : twice;
  }

  /** What can be read without waiting. */
  private static byte[] available(InputStream from) throws IOException {
    return from.readNBytes(from.available());
  }

  /** The end of a text that may have none. */
  private static final class Tail {

    private byte[] kept = new byte[0];
    private boolean cut;

    void add(byte[] more) {
      byte[] both = Arrays.copyOf(kept, kept.length + more.length);
      System.arraycopy(more, 0, both, kept.length, more.length);
      cut |= both.length > LONGEST_COMPLAINT;
      kept = Arrays.copyOfRange(both, Math.max(0, both.length - LONGEST_COMPLAINT), both.length);
    }

    /** Not from the middle of a word: the rest of a credential would not be known for one. */
    String text() {
      String text = new String(kept, StandardCharsets.UTF_8);
      return cut ? text.replaceFirst("\\A\\S*", "") : text;
    }
  }
}
