package dev.weir.limits.event;

import java.time.Instant;

/**
 * An event with its time and place.
 *
 * @param at wall time, for people and logs
 * @param nanos the same moment on the clock of {@link dev.weir.time.Time#nanos()}
 * @param scope which limits: {@code "openai@3f9a…/gpt-4o"}
 */
public record Notice(Instant at, long nanos, String scope, LimitEvent event) {}
