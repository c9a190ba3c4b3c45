package dev.weir.eval.sandbox;

import dev.weir.model.Printable;
import dev.weir.time.Task;
import dev.weir.time.TaskFailedException;
import dev.weir.time.Time;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A program that is spoken to, and answers, in lines while it runs.
 *
 * <p>What it says is taken by those who look for it: no thread hangs on its output. While nobody
 * looks it can say as much as a pipe holds, and then waits. Closing ends it with all it started.
 * Thread-safe.
 */
public final class Dialogue implements AutoCloseable {

  /** Bytes of the longest line that is understood: 16 MiB. */
  public static final int LONGEST_LINE = 16 << 20;

  private static final int MOST_AT_ONCE = 65_536;
  private static final int MOST_LOOKS = 16;
  private static final int COMPLAINT_LIMIT = 8_192;

  /** For a program to end by itself when nobody speaks to it any more. */
  private static final long GRACE_MILLIS = 500;

  private final Process process;
  private final Time time;
  private final Runnable ending;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final AtomicInteger writing = new AtomicInteger();
  private volatile boolean forced;

  // Guarded by this.
  private final Queue<String> lines = new ArrayDeque<>();
  private final ByteArrayOutputStream begun = new ByteArrayOutputStream();
  private byte[] complaints = {};
  private long heard;
  private boolean over;

  private Dialogue(Process process, Time time, Runnable ending) {
    this.process = process;
    this.time = time;
    this.ending = ending;
  }

  /**
   * Starts a program of this machine, outside of any sandbox. Of the variables of this program it
   * gets PATH, HOME, LANG, TMPDIR and USER, and no credentials but those it is given.
   *
   * @param environment added to these, and stronger
   * @param directory where it runs
   * @throws SandboxException if it cannot be started
   */
  public static Dialogue start(
      List<String> command, Map<String, String> environment, Path directory, Time time) {
    ExecRequest.requireVariables(environment);
    String mark = HexFormat.of().toHexDigits(time.freshSeed()) + ".";
    Map<String, String> all =
        new LinkedHashMap<>(HostEnvironment.forServers(System.getenv(), environment));
    all.put(ProcessTree.MARK, mark);
    try {
      return start(new Launch(command, all), directory, time, () -> ProcessTree.endMarked(mark));
    } catch (IOException failed) {
      throw new SandboxException(
          whyNot(command.getFirst(), directory)
              .orElseGet(() -> String.valueOf(failed.getMessage())),
          failed);
    }
  }

  private static Optional<String> whyNot(String program, Path directory) {
    String shown = Printable.line(program);
    if (isMissing(program, directory)) {
      return Optional.of(
          "there is no program '%s'%s"
              .formatted(shown, isPath(program) ? " in " + directory : " on the PATH"));
    }
    Path file = directory.resolve(program);
    return isPath(program) && !(Files.isRegularFile(file) && Files.isExecutable(file))
        ? Optional.of("'%s' cannot be executed".formatted(shown))
        : Optional.empty();
  }

  private static boolean isPath(String program) {
    return program.contains("/");
  }

  private static boolean isMissing(String program, Path directory) {
    try {
      return isPath(program)
          ? !Files.exists(directory.resolve(program))
          : HostEnvironment.find(program, System.getenv()).isEmpty();
    } catch (InvalidPathException none) {
      return true;
    }
  }

  /**
   * @param ending ends what ending the process did not end
   */
  static Dialogue start(Launch launch, Path folder, Time time, Runnable ending) throws IOException {
    var builder = new ProcessBuilder(launch.command()).directory(folder.toFile());
    builder.environment().clear();
    builder.environment().putAll(launch.environment());
    return new Dialogue(ProcessStarter.start(builder), time, ending);
  }

  /**
   * Says a line; waits until the program has room for it.
   *
   * @throws SandboxException if it does not take it in time, or has ended
   */
  public void say(String line, long deadlineNanos) throws InterruptedException {
    Task<@Nullable Void> write = sayLater(line);
    try {
      if (!write.join(deadlineNanos)) {
        throw new SandboxException("the program does not read what it is told");
      }
      write.join();
    } catch (TaskFailedException | CancellationException failed) {
      throw new SandboxException("the program does not read what it is told any more", failed);
    }
  }

  /** Says a line, but does not wait until the program takes it. */
  public Task<@Nullable Void> sayLater(String line) {
    byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
    writing.incrementAndGet();
    // A task of its own: nothing but the end of the process interrupts a write.
    return time.start(
        "a line for a program",
        () -> {
          try {
            // In one piece: the stream lets others write only afterwards.
            process.getOutputStream().write(bytes);
            process.getOutputStream().flush();
          } finally {
            writing.decrementAndGet();
          }
        });
  }

  /**
   * The next line that the program has said; empty if there is none yet. Does not wait.
   *
   * @throws SandboxException if the line is too long
   */
  public synchronized Optional<String> next() {
    try {
      takeComplaints();
      while (lines.isEmpty()) {
        // Before reading: what was said by then is read below, or already was.
        boolean isLast = !process.isAlive();
        byte[] read = readFrom(process.getInputStream());
        if (read.length == 0) {
          over |= isLast;
          return Optional.empty();
        }
        heard += read.length;
        split(read);
      }
      return Optional.of(lines.remove());
    } catch (IOException closedMeanwhile) {
      over = true;
      return Optional.empty();
    }
  }

  /** How many bytes it has said so far: it may be in the middle of a long line. */
  public synchronized long heard() {
    return heard;
  }

  /** Whether the program has ended, and all that it said was taken. */
  public synchronized boolean isOver() {
    return over;
  }

  /** What it returned, if it has ended by itself. */
  public Optional<Integer> exitCode() {
    return process.isAlive() || forced ? Optional.empty() : Optional.of(process.exitValue());
  }

  /** The last words on its stream for errors, a few thousand bytes. */
  public synchronized String complaints() {
    try {
      takeComplaints();
    } catch (IOException closedMeanwhile) {
      // What was taken before is what there is.
    }
    return new String(complaints, StandardCharsets.UTF_8);
  }

  /** Lets the program end by itself, for a moment; then ends it with all it started. */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    try {
      if (writing.get() == 0) {
        closeQuietly(process.getOutputStream());
        awaitEnd();
      }
    } finally {
      forced = process.isAlive();
      ProcessTree.end(process.toHandle());
      ending.run();
      // Its last words are asked for later.
      complaints();
      closeQuietly(process.getInputStream());
      closeQuietly(process.getErrorStream());
    }
  }

  private void awaitEnd() {
    try {
      process.waitFor(GRACE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException hurry) {
      Thread.currentThread().interrupt();
    }
  }

  private void split(byte[] read) {
    int start = 0;
    for (int i = 0; i < read.length; i++) {
      if (read[i] == '\n') {
        begun.write(read, start, i - start);
        lines.add(begun.toString(StandardCharsets.UTF_8));
        begun.reset();
        start = i + 1;
      }
    }
    begun.write(read, start, read.length - start);
    if (begun.size() > LONGEST_LINE) {
      begun.reset();
      throw new SandboxException(
          "the program said a line of more than %d bytes".formatted(LONGEST_LINE));
    }
  }

  private void takeComplaints() throws IOException {
    // Not until it is silent: it may never be.
    for (int i = 0; i < MOST_LOOKS; i++) {
      byte[] read = readFrom(process.getErrorStream());
      if (read.length == 0) {
        return;
      }
      byte[] all = new byte[complaints.length + read.length];
      System.arraycopy(complaints, 0, all, 0, complaints.length);
      System.arraycopy(read, 0, all, complaints.length, read.length);
      int dropped = Math.max(0, all.length - COMPLAINT_LIMIT);
      complaints = Arrays.copyOfRange(all, dropped, all.length);
    }
  }

  private static byte[] readFrom(InputStream stream) throws IOException {
    return stream.readNBytes(Math.min(stream.available(), MOST_AT_ONCE));
  }

  private static void closeQuietly(Closeable stream) {
    try {
      stream.close();
    } catch (IOException alreadyGone) {
      // Nobody uses it any more.
    }
  }
}
