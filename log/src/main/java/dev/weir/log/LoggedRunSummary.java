package dev.weir.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * How the run of a log began and ended.
 *
 * @param result of a run that was killed or goes on, what its samples amount to
 */
record LoggedRunSummary(Path file, RunStart start, RunResult result) {

  static LoggedRunSummary of(Path file) throws IOException {
    try (var log = RunLogReader.open(file)) {
      Optional<RunResult> end = log.end();
      if (end.isPresent()) {
        return new LoggedRunSummary(file, log.start(), end.get());
      }
      var counted = new SampleCount(log.start());
      for (Optional<SampleResult> next = log.sample(); next.isPresent(); next = log.sample()) {
        counted.add(next.get());
      }
      return new LoggedRunSummary(file, log.start(), log.usedBefore().addedTo(counted.killed()));
    }
  }
}
