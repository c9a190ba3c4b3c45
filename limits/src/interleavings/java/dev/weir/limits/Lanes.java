package dev.weir.limits;

import dev.weir.limits.pace.Cost;
import java.util.SplittableRandom;

/** The one place where lanes for model checking are made. */
final class Lanes {

  static final Demand DEMAND = Demand.of("task", Cost.ONE_REQUEST);

  /** Does not wait: its deadline has come. */
  static final Demand IMPATIENT = DEMAND.until(0);

  private Lanes() {}

  static Lane ofWindow(int window) {
    return Regulator.unbounded(new StillTime(), new SplittableRandom(1))
        .lane("sim/checked", new Mode.Static(window));
  }
}
