package dev.weir.limits.retry;

import java.time.Duration;

/** What follows a finished attempt. */
public sealed interface Decision {

  /** The request is done: it has an answer, or a failure that no further attempt would mend. */
  record Done() implements Decision {}

  /** Another attempt, not before {@code after} has passed. */
  record Again(Duration after) implements Decision {}
}
