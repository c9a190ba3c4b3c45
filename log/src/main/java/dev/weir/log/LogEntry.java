package dev.weir.log;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * What a list of logs tells of one.
 *
 * @param time when the run began, as the log says; of one that does not, as its name says, or else
 *     when the file was changed
 * @param taskId the same in all logs of a task that was gone on with; empty if it is not told
 * @param done samples that have ended, as far as that is known without reading them
 * @param total samples of the run, each repetition counted
 * @param accuracy of the first scorer, or the mean of its scores
 * @param scoringOf the log whose answers it only scores again
 * @param problem why the log cannot be read, or lacks what it goes on with
 */
public record LogEntry(
    Path file,
    Instant time,
    Status status,
    String taskId,
    String task,
    String model,
    Optional<Long> done,
    Optional<Long> total,
    Optional<Double> accuracy,
    Optional<String> scoringOf,
    Optional<String> problem) {

  /** How it stands with a run. */
  public enum Status {
    /** Its journal is being written. */
    RUNNING,
    /** Its journal has no end, and nobody writes it. */
    KILLED,
    /** A log without an end: a copy of a run that went on, or one that Inspect left. */
    STARTED,
    SUCCESS,
    CANCELLED,
    ERROR,
    UNREADABLE;

    /** Whether a retry might do more. */
    boolean isUnfinished() {
      return switch (this) {
        case KILLED, STARTED, CANCELLED, ERROR -> true;
        case RUNNING, SUCCESS, UNREADABLE -> false;
      };
    }

    /** As it is written in lists and options. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    static Status of(RunResult.Status status) {
      return switch (status) {
        case SUCCESS -> SUCCESS;
        case CANCELLED -> CANCELLED;
        case ERROR -> ERROR;
      };
    }
  }
}
