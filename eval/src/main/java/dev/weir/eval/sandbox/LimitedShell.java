package dev.weir.eval.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The shell that becomes a command: it sets the limits and changes the directory, so that both work
 * alike in every sandbox, and so do exit codes: 126 and 127.
 */
final class LimitedShell {

  private static final String BECOME_COMMAND =
      """
      cd -- "$1" || exit 126
      unset OLDPWD
      shift
      exec "$@"
      """;

  private static final int FILE_SIZE_UNIT = 512;
  private static final int MEMORY_UNIT = 1_024;

  private LimitedShell() {}

  static List<String> command(ProcessLimits limits, String directory, List<String> command) {
    var script = new StringBuilder();
    limits.cpuSeconds().ifPresent(seconds -> script.append(limit("-t", seconds)));
    limits.memory().ifPresent(bytes -> script.append(limit("-v", units(bytes, MEMORY_UNIT))));
    limits.fileSize().ifPresent(bytes -> script.append(limit("-f", units(bytes, FILE_SIZE_UNIT))));
    limits.processes().ifPresent(number -> script.append(processLimit(threadsNow() + number)));
    List<String> all =
        new ArrayList<>(
            List.of("/bin/sh", "-c", script.append(BECOME_COMMAND).toString(), "sh", directory));
    all.addAll(command);
    return all;
  }

  /** One that is higher than what is allowed here leaves the lower one in place. */
  private static String limit(String letter, long value) {
    return "ulimit %s %d 2>/dev/null || :\n".formatted(letter, value);
  }

  /** It has two letters: one in bash, one in dash. */
  private static String processLimit(long number) {
    return "ulimit -u %1$d 2>/dev/null || ulimit -p %1$d 2>/dev/null || :\n".formatted(number);
  }

  private static long units(long bytes, int unit) {
    return Math.max(1, bytes / unit);
  }

  /**
   * The threads of this machine: the kernel counts all that the user has, and these are no fewer.
   */
  private static long threadsNow() {
    try {
      // Such as: 0.20 0.18 0.12 1/80 11206
      String load = Files.readString(Path.of("/proc/loadavg"));
      int slash = load.indexOf('/');
      return Long.parseLong(load.substring(slash + 1, load.indexOf(' ', slash)));
    } catch (IOException | RuntimeException unknown) {
      // Not Linux: a generous guess, for too low a limit would stop every command.
      return 4_096;
    }
  }
}
