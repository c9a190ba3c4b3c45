package dev.weir.eval;

import dev.weir.log.LogFiles;
import dev.weir.log.LogRecovery;
import dev.weir.log.RunLogReader;
import dev.weir.log.RunResult;
import dev.weir.log.RunResult.Status;
import dev.weir.log.journal.JournalReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * How the run ended whose answers a log has. That log may be a scoring, or one of a scoring: a
 * scoring that was interrupted or failed says nothing of the answers.
 */
record ScoredRun(Status status, Optional<String> error, Optional<String> stopped) {

  private static final int MOST_SCORINGS = 100;

  static ScoredRun of(Path file, RunLogReader log) throws IOException {
    Optional<RunResult> end = log.end();
    if (log.start().scoringOf().isEmpty()) {
      return of(file, end);
    }
    Optional<Path> scored = LogFiles.scored(file, log.start());
    try {
      for (int i = 0; scored.isPresent() && i < MOST_SCORINGS; i++) {
        Path next = scored.get();
        try (var earlier = RunLogReader.open(next)) {
          if (earlier.start().scoringOf().isEmpty()) {
            return of(next, earlier.end());
          }
          scored = LogFiles.scored(next, earlier.start());
        }
      }
    } catch (IOException unreadable) {
      // As if it were gone.
    }
    return asItSeems(file, end);
  }

  private static ScoredRun of(Path file, Optional<RunResult> end) throws IOException {
    if (end.isPresent()) {
      return of(end.get());
    }
    // As the log says that is made of its journal; but a scoring has an end, and none is started.
    return JournalReader.isBeingWritten(file) || Retrying.isCopyOfRunning(file)
        ? new ScoredRun(Status.CANCELLED, Optional.empty(), Optional.empty())
        : new ScoredRun(Status.ERROR, Optional.of(LogRecovery.KILLED), Optional.empty());
  }

  private static ScoredRun of(RunResult end) {
    return new ScoredRun(end.status(), end.error(), end.stopped());
  }

  /** Of a run whose own log is gone: it has reached its end if all of its samples have. */
  private static ScoredRun asItSeems(Path file, Optional<RunResult> scoring) throws IOException {
    boolean isWhole =
        scoring.map(RunResult::samples).filter(all -> all.scored() == all.total()).isPresent();
    return isWhole
        ? new ScoredRun(Status.SUCCESS, Optional.empty(), Optional.empty())
        : of(file, scoring);
  }
}
