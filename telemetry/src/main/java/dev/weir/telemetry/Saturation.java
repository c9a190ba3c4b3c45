package dev.weir.telemetry;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * How full each known limit is at one moment. Shares are of the limit as it is now, also those of
 * the past.
 *
 * @param points by engine, then model; those of a whole engine first
 */
public record Saturation(List<Point> points) {

  private static final int PERCENT_PER_STEP = 5;
  private static final double STEPS = 100.0 / PERCENT_PER_STEP;

  /** Steps of five of a lower limit would be single calls, and could be counted. */
  private static final int LOWEST_IN_STEPS = 20;

  /** Three fifths may be a little less than 0.6 in binary. */
  private static final double ROUNDING = 1e-9;

  public Saturation {
    points = List.copyOf(points);
  }

  /** How much a limit is in the way. */
  public enum Level {
    OK,
    /** Time to ask for more. */
    SOFT,
    /** Calls are about to wait or to be refused. */
    HARD;

    /** As it is written: {@code soft}. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Where the use of a limit is going, by the last ten minutes.
   *
   * @param perMinute by which share of the limit it rises; negative if it falls
   * @param untilFull when the limit would be reached if it continued; absent if it does not rise,
   *     the limit is reached, or that takes longer than a day
   */
  public record Trend(double perMinute, Optional<Duration> untilFull) {}

  /**
   * The use of one limit.
   *
   * @param model absent for the limit of a whole engine
   * @param limit in flight, or per minute; confidential
   * @param use of it now: the mean of the last 5 s in flight, or what was used within a minute
   * @param peak the highest use of the last ten minutes
   */
  public record Point(
      String engine,
      Optional<String> model,
      Resource resource,
      LimitSource source,
      double limit,
      double use,
      double peak,
      Trend trend) {

    /** Which part of the limit is used, from 0 to 1. */
    public double share() {
      return part(use);
    }

    /** Which part of the limit was used at the highest use of the last ten minutes. */
    public double peakShare() {
      return part(peak);
    }

    /** The level of the peak. */
    public Level level() {
      return level(peakShare());
    }

    /** The level at such a share of the limit. */
    public Level level(double share) {
      return share + ROUNDING >= resource.hard()
          ? Level.HARD
          : share + ROUNDING >= resource.soft() ? Level.SOFT : Level.OK;
    }

    /** {@link #share} as {@link #percent(double)} shows it. */
    public int percent() {
      return percent(share());
    }

    /** {@link #peakShare} as {@link #percent(double)} shows it. */
    public int peakPercent() {
      return percent(peakShare());
    }

    /**
     * What those may see of a share who may not know the limit: percent rounded down to a multiple
     * of five, or if {@link #isCoarse}, to the threshold of its level.
     */
    public int percent(double share) {
      return isCoarse()
          ? switch (level(share)) {
            case OK -> 0;
            case SOFT -> percentOf(resource.soft());
            case HARD -> percentOf(resource.hard());
          }
          : PERCENT_PER_STEP * (int) (Math.clamp(share, 0, 1) * STEPS + ROUNDING);
    }

    /** Whether {@link #percent} only has the thresholds, since the limit is low. */
    public boolean isCoarse() {
      return limit < LOWEST_IN_STEPS;
    }

    private double part(double amount) {
      return Math.clamp(amount / limit, 0, 1);
    }

    private static int percentOf(double share) {
      return (int) Math.round(100 * share);
    }

    /** Without the limit, and without what gives it away. */
    @Override
    public String toString() {
      return "Point[%s%s %s %d %% (%s)]"
          .formatted(
              engine,
              model.map(name -> "/" + name).orElse(""),
              resource.word(),
              peakPercent(),
              source.word());
    }
  }

  /**
   * How full a limit was.
   *
   * @param step between two values
   * @param shares of the limit, not bounded by 1, oldest first; the last is of the last complete
   *     step
   */
  public record History(Duration step, List<Double> shares) {

    public History {
      shares = List.copyOf(shares);
    }
  }
}
