package dev.weir.log;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Tells which logs of a directory others went on with: nobody need retry those. It is to see the
 * entries in the order of {@link LogDirectory#logs}, the newest first. Not thread-safe.
 */
public final class LogContinuations {

  private final Map<String, LogEntry> newest = new HashMap<>();

  /** The newest log of the same task, if this one is unfinished and older. */
  public Optional<Path> of(LogEntry entry) {
    // Scoring answers again goes on with nothing, and there is nothing to go on with.
    if (entry.taskId().isEmpty() || entry.scoringOf().isPresent()) {
      return Optional.empty();
    }
    LogEntry later =
        newest.merge(
            entry.taskId(), entry, (one, other) -> other.time().isAfter(one.time()) ? other : one);
    // A copy of the same log began in the same moment.
    return later.time().isAfter(entry.time()) && entry.status().isUnfinished()
        ? Optional.of(later.file())
        : Optional.empty();
  }
}
