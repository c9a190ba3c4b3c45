package dev.weir.eval;

import dev.weir.log.LogFiles;
import dev.weir.log.RunLogReader;
import dev.weir.log.RunResult;
import dev.weir.log.RunStart;
import dev.weir.log.SampleSummary;
import dev.weir.log.journal.JournalLock;
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
  record Log(Path file, RunStart start, String identity) {

    /** How many samples are finished in it; none if that cannot be read. */
    int finished() {
      try {
        return SetLogs.finished(file).size();
      } catch (IOException damaged) {
        return 0;
      }
    }
  }

  /**
   * @throws ConfigurationException if one of them is being written: another process runs the set
   */
  static SetLogs in(Path directory) {
    List<Log> logs = new ArrayList<>();
    List<String> unreadable = new ArrayList<>();
    for (Path file : files(directory)) {
      try {
        if (JournalReader.isBeingWritten(file) && !isScoring(file)) {
          throw new ConfigurationException(
              "%s is being written: the set runs already; wait until it has ended".formatted(file));
        }
        try (var reader = RunLogReader.open(file)) {
          RunStart start = reader.start();
          // Answers that are scored again are no run, while the log is there that has them.
          if (LogFiles.scored(file, start).isEmpty()) {
            logs.add(new Log(file, start, RunIdentity.of(start)));
          }
        }
      } catch (IOException damaged) {
        unreadable.add("%s is left alone: %s".formatted(file.getFileName(), damaged.getMessage()));
      }
    }
    logs.sort(NEWEST);
    return new SetLogs(logs, unreadable);
  }

  private static boolean isScoring(Path file) {
    try (var reader = RunLogReader.open(file)) {
      return reader.start().scoringOf().isPresent();
    } catch (IOException hasOnlyBegun) {
      return false;
    }
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

  /** Those of a run, the newest first. */
  List<Log> of(String identity) {
    return logs.stream().filter(log -> log.identity().equals(identity)).toList();
  }

  /**
   * Removes logs of runs that did not end well, if all that was finished in them is also in the
   * newest of the same run that did.
   *
   * @param identities of runs that have ended well
   * @return what was removed
   */
  List<Path> removeFailed(Set<String> identities) throws IOException {
    List<Path> removed = new ArrayList<>();
    for (String identity : identities) {
      List<Path> failed = new ArrayList<>();
      Optional<Path> whole = Optional.empty();
      for (Log log : of(identity)) {
        if (!hasSucceeded(log.file())) {
          failed.add(log.file());
        } else if (whole.isEmpty()) {
          whole = Optional.of(log.file());
        }
      }
      if (whole.isEmpty() || failed.isEmpty()) {
        continue;
      }
      Set<Answer> there = finished(whole.get());
      for (Path log : failed) {
        if (there.containsAll(finished(log))) {
          remove(log);
          removed.add(log);
        }
      }
    }
    return removed;
  }

  /** With the lock that a killed process has left beside it. */
  private static void remove(Path log) throws IOException {
    if (log.toString().endsWith(LogFiles.JOURNAL)) {
      try (var _ = JournalLock.take(log)) {
        Files.deleteIfExists(log);
      }
    } else {
      Files.deleteIfExists(log);
    }
  }

  private static boolean hasSucceeded(Path log) throws IOException {
    try (var reader = RunLogReader.open(log)) {
      return reader.end().filter(end -> end.status() == RunResult.Status.SUCCESS).isPresent();
    }
  }

  /** One repetition of a sample, and what it was asked. */
  private record Answer(String id, int epoch, String contentHash) {}

  private static Set<Answer> finished(Path log) throws IOException {
    Set<Answer> answers = new HashSet<>();
    try (var reader = RunLogReader.open(log)) {
      for (SampleSummary sample : reader.summaries()) {
        if (sample.hasFinished()) {
          answers.add(new Answer(sample.id(), sample.epoch(), sample.contentHash()));
        }
      }
    }
    return answers;
  }
}
