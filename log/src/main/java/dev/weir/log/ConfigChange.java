package dev.weir.log;

import java.time.Instant;
import java.util.Optional;

/**
 * Somebody has changed a run while it ran.
 *
 * @param what was changed: {@code max_connections of openai/gpt-4o}, {@code paused}
 * @param before as it was, if it was anything
 * @param author who did
 * @param reason why, as they said it
 */
public record ConfigChange(
    Instant at,
    String what,
    Optional<String> before,
    String after,
    String author,
    Optional<String> reason) {}
