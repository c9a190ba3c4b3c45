package dev.weir.eval.sandbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Ends processes with all that they started, by force.
 *
 * <p>A process whose parent has ended is no longer below it. It is found by a mark in its
 * environment, which children inherit: each command of a sandbox has its own. Only a process that
 * both lost its parent and emptied its environment is not found, and none where there is no {@code
 * /proc}.
 */
final class ProcessTree {

  /** The variable that carries the mark. */
  static final String MARK = "WEIR_SANDBOX";

  private static final Path PROCESSES = Path.of("/proc");

  /** Against those that start others faster than they are found; a round is a few milliseconds. */
  private static final int MOST_ROUNDS = 200;

  private static final long BETWEEN_ROUNDS_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private ProcessTree() {}

  static void end(ProcessHandle process) {
    List<ProcessHandle> started = process.descendants().toList();
    process.destroyForcibly();
    for (ProcessHandle handle : started) {
      // Since the list was made, it may have started more.
      handle.descendants().forEach(ProcessHandle::destroyForcibly);
      handle.destroyForcibly();
    }
  }

  /**
   * Ends all processes with a mark in their environment, and returns when they are gone.
   *
   * @param mark how the value of the variable begins
   */
  static void endMarked(String mark) {
    String variable = "\0" + MARK + "=" + mark;
    for (int round = 0; round < MOST_ROUNDS; round++) {
      if (!endFound(variable)) {
        return;
      }
      LockSupport.parkNanos(BETWEEN_ROUNDS_NANOS);
    }
  }

  private static boolean endFound(String variable) {
    boolean found = false;
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROCESSES, "[0-9]*")) {
      for (Path process : processes) {
        // The handle first: it notices when the number has become another process's.
        var handle = ProcessHandle.of(Long.parseLong(process.getFileName().toString()));
        if (handle.isPresent() && environment(process).contains(variable)) {
          handle.get().destroyForcibly();
          found = true;
        }
      }
    } catch (IOException noSuchFileSystem) {
      // Not Linux: only what is still below its parent can be found.
      return false;
    }
    return found;
  }

  private static String environment(Path process) {
    try {
      byte[] variables = Files.readAllBytes(process.resolve("environ"));
      return "\0" + new String(variables, StandardCharsets.ISO_8859_1);
    } catch (IOException goneOrForeign) {
      return "";
    }
  }
}
