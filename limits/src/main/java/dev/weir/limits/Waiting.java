package dev.weir.limits;

import dev.weir.limits.event.Constraint;
import dev.weir.limits.header.Dimension;
import dev.weir.time.Time;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a request waits for, and until when: of several that hold it, the one that is due last.
 *
 * @param constraint what holds it
 * @param dimension what the quota or pace counts that holds it, if it is one of those
 * @param scope where: a model, a family, an account; empty for all calls together
 * @param untilNanos when it will be looked at again, on the clock of {@link Time#nanos()}; absent
 *     if only the end of another attempt can help
 */
public record Waiting(
    Constraint constraint, Optional<Dimension> dimension, String scope, OptionalLong untilNanos) {

  /** For something that counts nothing. */
  public Waiting(Constraint constraint, String scope, OptionalLong untilNanos) {
    this(constraint, Optional.empty(), scope, untilNanos);
  }

  static final Waiting FOR_NOTHING = new Waiting(Constraint.NOTHING, "", OptionalLong.empty());
}
