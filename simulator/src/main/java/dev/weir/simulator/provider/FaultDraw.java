package dev.weir.simulator.provider;

import dev.weir.simulator.provider.ProviderSettings.Faults;
import dev.weir.simulator.provider.ProviderSettings.Span;
import java.util.OptionalInt;
import java.util.random.RandomGenerator;

/** Decides by time and chance what goes wrong with a request. */
final class FaultDraw {

  private final Faults faults;
  private final RandomGenerator random;

  FaultDraw(Faults faults, RandomGenerator random) {
    this.faults = faults;
    this.random = random;
  }

  /** The status with which a request fails at arrival, if it does. */
  OptionalInt atArrival(long now) {
    if (nanosUntilOutageEnds(now) > 0) {
      return OptionalInt.of(Response.Failure.OUTAGE);
    }
    if (faults.overload().isPresent()
        && faults.overload().get().span().contains(now)
        && random.nextDouble() < faults.overload().get().rate()) {
      return OptionalInt.of(Response.Failure.OVERLOAD);
    }
    return strikes(faults.errorRate())
        ? OptionalInt.of(Response.Failure.ERROR)
        : OptionalInt.empty();
  }

  boolean refusesAtRandom() {
    return strikes(faults.strayRate());
  }

  boolean hangs() {
    return strikes(faults.hangRate());
  }

  long nanosUntilOutageEnds(long now) {
    long wait = 0;
    for (Span outage : faults.outages()) {
      if (outage.contains(now)) {
        wait = Math.max(wait, outage.until().toNanos() - now);
      }
    }
    return wait;
  }

  /** Draws only where there is a choice, so that a rate of 0 leaves the other draws alone. */
  private boolean strikes(double rate) {
    return rate > 0 && random.nextDouble() < rate;
  }
}
