package dev.weir.log;

import java.time.Instant;

/**
 * How many calls to a model may be in flight has changed.
 *
 * @param reason why, in a word: {@code rate_limit}
 */
public record LimitChange(Instant at, String model, int before, int after, String reason) {}
