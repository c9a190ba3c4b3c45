package dev.weir.telemetry;

import dev.weir.telemetry.Saturation.History;
import dev.weir.telemetry.Saturation.Point;
import dev.weir.telemetry.Saturation.Trend;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;

/** Makes shares of limits, and trends, of what rings hold. */
final class Shares {

  /** How long a peak is shown. */
  static final Duration PEAK = Duration.ofMinutes(10);

  static final int PEAK_SLOTS = (int) PEAK.dividedBy(LevelRing.SLOT);

  /** How long the fullest minute of a rate is exposed: the window of published quota points. */
  static final Duration RATE_PEAK = Duration.ofMinutes(5);

  static final int RATE_PEAK_SLOTS = (int) RATE_PEAK.dividedBy(LevelRing.SLOT);

  private static final Duration LONGEST_OUTLOOK = Duration.ofDays(1);
  private static final double SLOTS_PER_MINUTE =
      (double) Duration.ofMinutes(1).dividedBy(LevelRing.SLOT);

  /** A minute; less says nothing of a trend. */
  private static final int FEWEST_SLOTS = 12;

  private Shares() {}

  static Point concurrency(
      String engine,
      Optional<String> model,
      LimitSource source,
      double limit,
      InFlight inFlight,
      long now) {
    LevelRing ring = inFlight.ring();
    return new Point(
        engine,
        model,
        Resource.CONCURRENCY,
        source,
        limit,
        ring.mean(now),
        ring.peak(now, PEAK),
        trend(ring.means(now, PEAK_SLOTS), limit, ring.mean(now)));
  }

  static History history(double[] amounts, double limit) {
    return new History(
        LevelRing.SLOT, Arrays.stream(amounts).map(amount -> amount / limit).boxed().toList());
  }

  /** The line through the amounts with the least squares. */
  static Trend trend(double[] amounts, double limit, double now) {
    if (amounts.length < FEWEST_SLOTS) {
      return new Trend(0, Optional.empty());
    }
    double middle = (amounts.length - 1) / 2.0;
    double mean = Arrays.stream(amounts).average().orElse(0);
    double covariance = 0;
    double variance = 0;
    for (int i = 0; i < amounts.length; i++) {
      covariance += (i - middle) * (amounts[i] - mean);
      variance += (i - middle) * (i - middle);
    }
    double perMinute = covariance / variance * SLOTS_PER_MINUTE / limit;
    double minutes = (1 - now / limit) / perMinute;
    boolean isForeseen = perMinute > 0 && minutes > 0 && minutes <= LONGEST_OUTLOOK.toMinutes();
    return new Trend(
        perMinute,
        isForeseen ? Optional.of(Duration.ofSeconds(Math.round(minutes * 60))) : Optional.empty());
  }
}
