package dev.weir.eval;

import dev.weir.log.LogFiles;
import dev.weir.log.RunLogReader;
import dev.weir.log.RunResult;
import dev.weir.log.RunResult.Status;
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
      return of(end);
    }
    Optional<Path> scored = LogFiles.scored(file, log.start());
    try {
      for (int i = 0; scored.isPresent() && i < MOST_SCORINGS; i++) {
        Path next = scored.get();
        try (var earlier = RunLogReader.open(next)) {
          if (earlier.start().scoringOf().isEmpty()) {
            return of(earlier.end());
          }
          scored = LogFiles.scored(next, earlier.start());
        }
      }
    } catch (IOException unreadable) {
      // As if it were gone.
    }
    return asItSeems(end);
  }

  private static ScoredRun of(Optional<RunResult> end) {
    return new ScoredRun(
        // One that was killed has none.
        end.map(RunResult::status).orElse(Status.CANCELLED),
        end.flatMap(RunResult::error),
        end.flatMap(RunResult::stopped));
  }

  /** Of a run whose own log is gone: it has reached its end if all of its samples have. */
  private static ScoredRun asItSeems(Optional<RunResult> scoring) {
    boolean isWhole =
        scoring.map(RunResult::samples).filter(all -> all.scored() == all.total()).isPresent();
    return isWhole
        ? new ScoredRun(Status.SUCCESS, Optional.empty(), Optional.empty())
        : of(scoring);
  }
}
