package dev.weir.limits;

import dev.weir.limits.event.Constraint;
import dev.weir.limits.header.Dimension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Adds up what the next request in line has waited for, from change to change.
 *
 * <p>Not thread-safe: guarded by the lock of the regulator.
 */
final class HeldTime {

  private record Cause(Constraint constraint, Optional<Dimension> dimension) {}

  private static final Cause NOTHING = new Cause(Constraint.NOTHING, Optional.empty());

  private final Map<Cause, Long> nanos = new HashMap<>();
  private Cause cause = NOTHING;
  private long since;

  /** What it waits for from now on. */
  void waitsFor(long now, Waiting waiting) {
    add(now);
    boolean isSame =
        cause.constraint == waiting.constraint() && cause.dimension.equals(waiting.dimension());
    if (!isSame) {
      cause = new Cause(waiting.constraint(), waiting.dimension());
    }
  }

  private void add(long now) {
    if (cause.constraint != Constraint.NOTHING) {
      nanos.merge(cause, Math.max(0, now - since), Long::sum);
    }
    since = now;
  }

  List<Held> read(long now) {
    add(now);
    List<Held> all = new ArrayList<>();
    nanos.forEach(
        (held, sum) -> all.add(new Held(held.constraint, held.dimension, Duration.ofNanos(sum))));
    return all;
  }
}
