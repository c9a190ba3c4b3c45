package dev.weir.eval;

import dev.weir.log.LogFiles;
import dev.weir.log.RunLogReader;
import dev.weir.log.RunResult;
import dev.weir.log.RunStart;
import dev.weir.log.SampleSummary;
import dev.weir.log.journal.JournalReader;
import dev.weir.model.ConfigurationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The logs in the directory of a set.
 *
 * @param unreadable what is no log that can be read, and why
 */
record SetLogs(List<Log> logs, List<String> unreadable) {

  /** The newest first. */
  private static final Comparator<Log> NEWEST =
      Comparator.comparing((Log log) -> log.start().started())
          .thenComparing(log -> log.file().toString())
          .reversed();

  SetLogs {
    logs = List.copyOf(logs);
    unreadable = List.copyOf(unreadable);
  }

  /** A log, of which only the beginning is known. */
  record Log(Path file, RunStart start, String identity) {}

  /**
   * @throws ConfigurationException if one of them is being written: another process runs the set
   */
  static SetLogs in(Path directory) {
    List<Log> logs = new ArrayList<>();
    List<String> unreadable = new ArrayList<>();
    for (Path file : files(directory)) {
      try {
        if (JournalReader.isBeingWritten(file)) {
          throw new ConfigurationException(
              "%s is being written: the set runs already; wait until it has ended".formatted(file));
        }
        try (var reader = RunLogReader.open(file)) {
          RunStart start = reader.start();
          logs.add(new Log(file, start, RunIdentity.of(start)));
        }
      } catch (IOException damaged) {
        unreadable.add("%s is left alone: %s".formatted(file.getFileName(), damaged.getMessage()));
      }
    }
    logs.sort(NEWEST);
    return new SetLogs(logs, unreadable);
  }

  private static List<Path> files(Path directory) {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(SetLogs::isLog).sorted().toList();
    } catch (NoSuchFileException none) {
      return List.of();
    } catch (IOException unreadable) {
      throw new ConfigurationException(
          "the log directory %s cannot be read: %s".formatted(directory, unreadable), unreadable);
    }
  }

  private static boolean isLog(Path file) {
    String name = String.valueOf(file.getFileName());
    return !name.startsWith(".")
        && (name.endsWith(LogFiles.EVAL)
            || name.endsWith(LogFiles.JOURNAL)
            || name.endsWith(".json"));
  }

  Optional<Log> newest(String identity) {
    return logs.stream().filter(log -> log.identity().equals(identity)).findFirst();
  }

  /**
   * Removes logs of runs that did not end well, if all that was finished in them is also in the
   * newest of the same run.
   *
   * @param identities of runs that have ended well
   * @return what was removed
   */
  List<Path> removeFailed(Set<String> identities) throws IOException {
    List<Path> removed = new ArrayList<>();
    for (String identity : identities) {
      Optional<Log> last = newest(identity);
      if (last.isEmpty()) {
        continue;
      }
      Set<Retried.Place> there = finished(last.get().file());
      for (Log log : logs) {
        if (log.identity().equals(identity)
            && !log.equals(last.get())
            && !hasSucceeded(log.file())
            && there.containsAll(finished(log.file()))) {
          Files.deleteIfExists(log.file());
          removed.add(log.file());
        }
      }
    }
    return removed;
  }

  private static boolean hasSucceeded(Path log) throws IOException {
    try (var reader = RunLogReader.open(log)) {
      return reader.end().filter(end -> end.status() == RunResult.Status.SUCCESS).isPresent();
    }
  }

  private static Set<Retried.Place> finished(Path log) throws IOException {
    Set<Retried.Place> places = new HashSet<>();
    try (var reader = RunLogReader.open(log)) {
      reader.summaries().stream()
          .filter(SampleSummary::hasFinished)
          .map(Retried.Place::of)
          .forEach(places::add);
    }
    return places;
  }
}
