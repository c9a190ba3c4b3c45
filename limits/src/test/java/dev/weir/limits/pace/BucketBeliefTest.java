package dev.weir.limits.pace;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class BucketBeliefTest {

  /** A provider's bucket that is not advertised, and what was sent to it. */
  private static final class Hidden {
    private final double rate;
    private final double size;
    private final SendTotals sends = new SendTotals();
    private double level;
    private double at;

    Hidden(double rate, double size) {
      this.rate = rate;
      this.size = size;
      this.level = size;
    }

    boolean send(double now) {
      level = Math.min(size, level + rate * (now - at));
      at = now;
      sends.add(now, 1);
      if (level < 1) {
        sends.giveBack(now, 1);
        return false;
      }
      level--;
      return true;
    }
  }

  /** A handful of refusals is enough for most, for any refill and size. */
  @Test
  void findsTheRefillInAFewRefusals() {
    List<String> missed = new ArrayList<>();
    for (long seed = 0; seed < 100; seed++) {
      var random = new SplittableRandom(seed);
      double rate = 0.5 * Math.pow(100, random.nextDouble());
      double size = 3 * Math.pow(60, random.nextDouble());
      var hidden = new Hidden(rate, size);
      var belief = new BucketBelief();
      double now = 0;
      double pace = 2 * rate;
      while (hidden.send(now)) {
        now += 1 / pace;
      }
      belief.begin(1.15 * pace, hidden.sends.total() + 1, 1);
      belief.refused(hidden.sends, 0, true, now, 1, 1);
      for (int refusals = 1; refusals < 6; refusals++) {
        double mark = now;
        pace = belief.quantile(0.65);
        now += Math.min(5 / belief.quantile(0.5), now);
        int sent = 0;
        while (hidden.send(now)) {
          // As a search does: faster, while nothing is refused.
          pace *= ++sent % 5 == 0 ? 1.25 : 1;
          now += 1 / pace;
        }
        belief.refused(hidden.sends, mark, false, now, 1, 1);
      }
      double found = belief.quantile(0.5) / rate;
      if (!(found > 0.8 && found < 1.25)) {
        missed.add("seed %d: %.2f/s, size %.0f: %s".formatted(seed, rate, size, belief));
      }
    }
    assertThat(missed).hasSizeLessThanOrEqualTo(10);
  }

  @Test
  void aStateIsComplete() {
    var belief = new BucketBelief();
    belief.begin(20, 30, 1);
    assertThat(new BucketBelief(belief.state()).quantile(0.4)).isEqualTo(belief.quantile(0.4));
  }
}
