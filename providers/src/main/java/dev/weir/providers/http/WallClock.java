package dev.weir.providers.http;

import dev.weir.time.Time;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/**
 * Our wall time in the form that a library asks for, so that it does not look at a clock itself.
 */
public final class WallClock {

  private WallClock() {}

  public static Clock of(Time time) {
    return new Seam(time, ZoneOffset.UTC);
  }

  private static final class Seam extends Clock {

    private final Time time;
    private final ZoneId zone;

    Seam(Time time, ZoneId zone) {
      this.time = time;
      this.zone = zone;
    }

    @Override
    public ZoneId getZone() {
      return zone;
    }

    @Override
    public Clock withZone(ZoneId other) {
      return new Seam(time, other);
    }

    @Override
    public Instant instant() {
      return time.instant();
    }
  }
}
