package dev.weir.limits;

import dev.weir.limits.event.Constraint;
import dev.weir.time.Time;
import java.util.OptionalLong;

/**
 * What a request waits for, and until when.
 *
 * @param constraint what holds it
 * @param scope where: a model, a family, an account; empty for all calls together
 * @param untilNanos when it will be looked at again, on the clock of {@link Time#nanos()}; absent
 *     if only the end of another attempt can help
 */
public record Waiting(Constraint constraint, String scope, OptionalLong untilNanos) {

  static final Waiting FOR_NOTHING = new Waiting(Constraint.NOTHING, "", OptionalLong.empty());
}
