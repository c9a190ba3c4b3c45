package dev.weir.eval.sandbox;

import dev.weir.time.Time;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A process that was started, and what it has printed so far.
 *
 * <p>It reads a file, so that no thread hangs on input that nobody takes. Its output is looked at
 * every few milliseconds: so a wait for it can be interrupted, and a process that leaves others
 * behind which keep its output open has an end all the same. Used by one task.
 */
final class RunningProcess implements AutoCloseable {

  private static final File NOTHING = new File("/dev/null");
  private static final long LONGEST_LOOK_MILLIS = 10;

  private final Process process;
  private final Time time;
  private final Captured output;
  private final Captured errors;
  private boolean ended;

  private RunningProcess(Process process, Time time, int outputLimit) {
    this.process = process;
    this.time = time;
    this.output = new Captured(outputLimit);
    this.errors = new Captured(outputLimit);
  }

  /**
   * @param folder of this machine, where the input is kept until the process has it
   * @throws IOException if it cannot be started
   */
  static RunningProcess start(Launch launch, byte[] input, Path folder, int outputLimit, Time time)
      throws IOException {
    var builder = new ProcessBuilder(launch.command()).directory(folder.toFile());
    builder.environment().clear();
    builder.environment().putAll(launch.environment());
    if (input.length == 0) {
      builder.redirectInput(NOTHING);
      return new RunningProcess(ProcessStarter.start(builder), time, outputLimit);
    }
    Path file = Files.createTempFile(folder, "stdin", "");
    try {
      Files.write(file, input);
      builder.redirectInput(file.toFile());
      return new RunningProcess(ProcessStarter.start(builder), time, outputLimit);
    } finally {
      // The process has it open.
      Files.delete(file);
    }
  }

  /** Waits for the end, but no longer than that; says whether it has ended. */
  boolean await(Duration timeout) throws InterruptedException, IOException {
    long deadline = time.after(timeout);
    long look = 1;
    while (true) {
      // Before reading: what was printed by then is read below, or already was.
      boolean last = !process.isAlive();
      boolean printed = output.readFrom(process.getInputStream());
      boolean complained = errors.readFrom(process.getErrorStream());
      boolean silent = !printed && !complained;
      if (last && silent) {
        ended = true;
        return true;
      }
      if (time.nanos() >= deadline) {
        return false;
      }
      look = silent ? Math.min(2 * look, LONGEST_LOOK_MILLIS) : 1;
      process.waitFor(look, TimeUnit.MILLISECONDS);
    }
  }

  /** As {@link #await}, for cleaning up: an interrupt has to wait, and is kept. */
  boolean awaitPatiently(Duration timeout) throws IOException {
    long deadline = time.after(timeout);
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return await(Duration.ofNanos(deadline - time.nanos()));
        } catch (InterruptedException later) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  Captured output() {
    return output;
  }

  Captured errors() {
    return errors;
  }

  /** Only after its end. */
  int exitCode() {
    return process.exitValue();
  }

  /** By force, with all it started, if it has not ended. */
  @Override
  public void close() {
    if (!ended) {
      ProcessTree.end(process.toHandle());
    }
    closeQuietly(process.getInputStream());
    closeQuietly(process.getErrorStream());
  }

  private static void closeQuietly(InputStream stream) {
    try {
      stream.close();
    } catch (IOException alreadyGone) {
      // Nobody reads it any more.
    }
  }
}
