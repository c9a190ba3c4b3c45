package dev.weir.model;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * One attempt as a trace shows it.
 *
 * @param at when it began
 * @param scope the lane: {@code openai@3f9a…/gpt-4o}
 * @param attempt its number within the request, from 1
 * @param outcome a word: {@code clean}, {@code rate limited}
 * @param waited since the request was made, or since the attempt before
 * @param took from the first byte sent to the last one received
 * @param serverWait how long the provider asks to wait
 * @param message what the provider said, if it did not answer
 * @param usage what its answer used, if it answered and said so
 */
public record AttemptRecord(
    Instant at,
    String scope,
    int attempt,
    String outcome,
    Duration waited,
    Duration took,
    Optional<Duration> serverWait,
    Optional<String> message,
    Optional<Usage> usage,
    Origin origin) {}
