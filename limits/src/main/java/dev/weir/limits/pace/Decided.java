package dev.weir.limits.pace;

import dev.weir.limits.event.LimitEvent;
import java.util.List;

/**
 * What follows from observations.
 *
 * @param state to go on from
 * @param slice what may be done now; all of it, and not leased to anybody
 * @param events what is new, oldest first
 */
public record Decided(PaceState state, Slice slice, List<LimitEvent> events) {

  public Decided {
    events = List.copyOf(events);
  }
}
