package dev.weir.telemetry;

import dev.weir.limits.event.LimitEvent;
import java.util.Locale;

/** How a limit is known. Where several are, the first in this order counts. */
public enum LimitSource {
  /** Configured for the engine, or stated by an option. */
  CONFIGURED,
  /** The engine says so in its responses. */
  ADVERTISED,
  /** Refusals showed it. */
  LEARNED,
  /** An earlier run learned it. */
  REMEMBERED;

  /** As it is written: {@code configured}. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static LimitSource of(LimitEvent.Source source) {
    return switch (source) {
      case HEADER -> ADVERTISED;
      case OBSERVED -> LEARNED;
      case STATED -> CONFIGURED;
      case REMEMBERED -> REMEMBERED;
    };
  }
}
