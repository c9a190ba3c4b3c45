package dev.weir.providers.custom;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Ends programs with all that they have started, by force. What is no longer below its program,
 * since a parent has ended, is found by a mark in its environment instead, which children inherit.
 * Only a process that has both lost its parent and removed the mark is not found; and none of these
 * where there is no {@code /proc}.
 *
 * <p>A look at all processes costs the more the more there are, and when a run is interrupted
 * hundreds of programs end at once. So a look is for all that are to end at that moment.
 *
 * <p>Thread-safe.
 */
final class LeftBehind {

  /** The variable that carries the mark. */
  static final String VARIABLE = "WEIR_EXEC";

  private static final Path PROCESSES = Path.of("/proc");

  /** Against those that start others faster than they are found. */
  private static final int MOST_ROUNDS = 100;

  /** One for all programs: only so is a look shared. */
  static final LeftBehind OF_ALL = new LeftBehind();

  private final ConcurrentLinkedQueue<Entry> toEnd = new ConcurrentLinkedQueue<>();

  // Guarded by this.
  private int looks;

  /** A program that is to end. */
  static final class Entry {

    private final Process process;
    private final String mark;

    // Guarded by the outer object.
    private boolean ended;

    private Entry(Process process, String mark) {
      this.process = process;
      this.mark = mark;
    }
  }

  /**
   * Ends a program and all that it started; returns when all of it was told to end.
   *
   * @param mark the value of the variable, which no other program has
   */
  void end(Process process, String mark) {
    end(add(process, mark));
  }

  /** The next look is for this one, too. */
  Entry add(Process process, String mark) {
    var entry = new Entry(process, mark);
    toEnd.add(entry);
    return entry;
  }

  /** Whoever comes while another looks waits, and the next look is for all of these. */
  synchronized void end(Entry entry) {
    if (!entry.ended) {
      endAll();
    }
  }

  /** How often it has looked at all processes. */
  synchronized int looks() {
    return looks;
  }

  private void endAll() {
    List<Entry> programs = new ArrayList<>();
    for (Entry next = toEnd.poll(); next != null; next = toEnd.poll()) {
      programs.add(next);
    }
    Set<String> marks = new HashSet<>();
    Set<ProcessHandle> ended = new HashSet<>();
    for (Entry program : programs) {
      marks.add(program.mark);
      if (program.process.isAlive()) {
        ended.add(program.process.toHandle());
      }
    }
    for (int round = 0; round < MOST_ROUNDS; round++) {
      looks++;
      List<ProcessHandle> found = found(marks, ended);
      // After the first look, which needs them alive: what they started is below them until then.
      programs.forEach(program -> program.process.destroyForcibly());
      found.forEach(ProcessHandle::destroyForcibly);
      if (found.isEmpty()) {
        break;
      }
      // Those that were found may have started others meanwhile.
      ended.addAll(found);
    }
    programs.forEach(program -> program.ended = true);
  }

  /** What has one of the marks, is below what has, or below what is known; without the known. */
  private static List<ProcessHandle> found(Set<String> marks, Set<ProcessHandle> known) {
    Map<ProcessHandle, List<ProcessHandle>> below = new HashMap<>();
    List<ProcessHandle> found = new ArrayList<>();
    Set<ProcessHandle> seen = new HashSet<>(known);
    for (ProcessHandle process : ProcessHandle.allProcesses().toList()) {
      if (mark(process).filter(marks::contains).isPresent()) {
        if (seen.add(process)) {
          found.add(process);
        }
      } else {
        process
            .parent()
            .ifPresent(
                parent -> below.computeIfAbsent(parent, _ -> new ArrayList<>()).add(process));
      }
    }
    List<ProcessHandle> parents = new ArrayList<>(seen);
    for (int i = 0; i < parents.size(); i++) {
      for (ProcessHandle child : below.getOrDefault(parents.get(i), List.of())) {
        if (seen.add(child)) {
          found.add(child);
          parents.add(child);
        }
      }
    }
    return found;
  }

  private static Optional<String> mark(ProcessHandle process) {
    try {
      Path file = PROCESSES.resolve(Long.toString(process.pid())).resolve("environ");
      String variables = "\0" + new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
      int at = variables.indexOf("\0" + VARIABLE + "=");
      if (at < 0) {
        return Optional.empty();
      }
      int begin = at + VARIABLE.length() + 2;
      int end = variables.indexOf('\0', begin);
      return Optional.of(variables.substring(begin, end < 0 ? variables.length() : end));
    } catch (IOException goneOrForeign) {
      return Optional.empty();
    }
  }
}
