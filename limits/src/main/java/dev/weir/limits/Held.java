package dev.weir.limits;

import dev.weir.limits.event.Constraint;
import dev.weir.limits.header.Dimension;
import java.time.Duration;
import java.util.Optional;

/**
 * How long requests of a lane have waited for one thing: the time during which at least one did.
 *
 * @param dimension what the quota or pace counts, if it is one of those
 */
public record Held(Constraint constraint, Optional<Dimension> dimension, Duration time) {}
