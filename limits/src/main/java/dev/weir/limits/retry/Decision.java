package dev.weir.limits.retry;

import java.time.Duration;

/** What follows a finished attempt. */
public sealed interface Decision {

  /** The request is done: it has an answer, or a failure that no further attempt would mend. */
  record Done() implements Decision {}

  /** Another attempt, not before {@code after} has passed. */
  record Again(Duration after) implements Decision {}

  /**
   * No further attempt, although one might have helped.
   *
   * @param reason for people: {@code "3 retries were not enough"}
   */
  record GiveUp(String reason) implements Decision {}
}
