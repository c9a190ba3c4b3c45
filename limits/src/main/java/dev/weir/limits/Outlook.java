package dev.weir.limits;

import dev.weir.limits.event.Constraint;
import dev.weir.limits.header.Dimension;
import dev.weir.limits.pace.Cost;
import dev.weir.time.Time;
import java.util.Optional;
import java.util.OptionalLong;

/** Says what a request on a path of scopes waits for, without changing anything. */
final class Outlook {

  private final Regulator regulator;
  private final Scope[] path;

  Outlook(Regulator regulator, Scope[] path) {
    this.regulator = regulator;
    this.path = path;
  }

  /** What holds it longest; called under the lock of the regulator. */
  Waiting waitingFor(long now, Cost cost) {
    long until = Long.MIN_VALUE;
    var constraint = Constraint.NOTHING;
    Optional<Dimension> dimension = Optional.empty();
    String where = "";
    if (regulator.gapNanos(now) > 0) {
      until = now + regulator.gapNanos(now);
      constraint = Constraint.DELAY;
    }
    for (Scope scope : path) {
      long wait = scope.outlookNanos(now, cost);
      if (wait > 0) {
        long end = wait == FlowControl.UNTIL_ANSWERED ? Time.NEVER : now + wait;
        if (end > until) {
          until = end;
          where = scope.name;
          constraint = constraint(scope, now, cost);
          dimension = dimension(scope, now, cost);
        }
      }
    }
    return new Waiting(
        constraint,
        dimension,
        where,
        until == Time.NEVER || constraint == Constraint.NOTHING
            ? OptionalLong.empty()
            : OptionalLong.of(until));
  }

  private static Optional<Dimension> dimension(Scope scope, long now, Cost cost) {
    FlowControl by = scope.flow();
    return scope.isFull() || by == null ? Optional.empty() : by.bindingDimension(now, cost);
  }

  private Constraint constraint(Scope scope, long now, Cost cost) {
    if (scope.isFull()) {
      if (regulator.isHeld()) {
        return Constraint.PAUSE;
      }
      return scope.whenFull;
    }
    FlowControl by = scope.flow();
    Constraint told = by == null ? Constraint.WINDOW : by.binding(now, cost);
    return told == Constraint.NOTHING ? Constraint.WINDOW : told;
  }
}
