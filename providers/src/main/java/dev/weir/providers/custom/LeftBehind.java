package dev.weir.providers.custom;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Ends what a program has started, by force. When the program itself has ended, what it started is
 * no longer below it, and is found by a mark in its environment instead, which children inherit.
 * Only a process that has both lost its parent and removed the mark is not found; and none where
 * there is no {@code /proc}.
 */
final class LeftBehind {

  /** The variable that carries the mark. */
  static final String VARIABLE = "WEIR_EXEC";

  private static final Path PROCESSES = Path.of("/proc");

  /** Against those that start others faster than they are found. */
  private static final int MOST_ROUNDS = 100;

  private LeftBehind() {}

  /**
   * Ends a program and all that it started; returns when all of it was told to end.
   *
   * @param mark the value of the variable, which no other program has
   */
  static void end(Process process, String mark) {
    if (process.isAlive()) {
      List<ProcessHandle> started = process.descendants().toList();
      process.destroyForcibly();
      for (ProcessHandle handle : started) {
        // Since the list was made, it may have started more.
        handle.descendants().forEach(ProcessHandle::destroyForcibly);
        handle.destroyForcibly();
      }
    }
    Set<Long> ended = new HashSet<>();
    for (int round = 0; round < MOST_ROUNDS && endFound(mark, ended); round++) {
      // Those that were found may have started others meanwhile.
    }
  }

  /** Whether there were any that were not found before. */
  private static boolean endFound(String mark, Set<Long> ended) {
    String variable = "\0" + VARIABLE + "=" + mark + "\0";
    boolean found = false;
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROCESSES, "[0-9]*")) {
      for (Path process : processes) {
        // The handle first: it notices when the number has become another process's.
        var handle = ProcessHandle.of(Long.parseLong(process.getFileName().toString()));
        if (handle.isPresent() && environment(process).contains(variable)) {
          handle.get().destroyForcibly();
          found |= ended.add(handle.get().pid());
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
      return "\0" + new String(variables, StandardCharsets.ISO_8859_1) + "\0";
    } catch (IOException goneOrForeign) {
      return "";
    }
  }
}
