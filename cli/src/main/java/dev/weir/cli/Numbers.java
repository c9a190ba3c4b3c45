package dev.weir.cli;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Locale;

/** Numbers as people read them, the same in every country. */
final class Numbers {

  private static final double LONG_SCORE = 1e7;

  private Numbers() {}

  /** Minutes and seconds; hours when there are any. */
  static String clock(Duration duration) {
    return duration.toHours() > 0
        ? String.format(
            Locale.ROOT,
            "%d:%02d:%02d",
            duration.toHours(),
            duration.toMinutesPart(),
            duration.toSecondsPart())
        : String.format(
            Locale.ROOT, "%02d:%02d", duration.toMinutesPart(), duration.toSecondsPart());
  }

  /** A wait: {@code 1.2 s}, {@code 15 s}, {@code 02:10}. Never less than it is. */
  static String wait(Duration wait) {
    long tenths = Math.ceilDiv(wait.toMillis(), 100);
    if (tenths < 100) {
      return String.format(Locale.ROOT, "%.1f s", tenths / 10.0);
    }
    long seconds = Math.ceilDiv(wait.toMillis(), 1_000);
    return seconds < 60 ? seconds + " s" : clock(Duration.ofSeconds(seconds));
  }

  /** How long something took: {@code 3.1 s}, {@code 02:10}. */
  static String span(double seconds) {
    Duration took = Duration.ofNanos((long) (seconds * 1e9));
    return took.toMinutes() > 0
        ? clock(took)
        : String.format(Locale.ROOT, "%.1f s", took.toMillis() / 1e3);
  }

  /** A count with three digits at most: {@code 480}, {@code 61.2k}, {@code 1.5M}. */
  static String brief(double count) {
    double rounded = Math.rint(count);
    if (rounded < 1_000) {
      return count < 10 && count != rounded
          ? String.format(Locale.ROOT, "%.1f", count)
          : String.format(Locale.ROOT, "%.0f", rounded);
    }
    String[] units = {"k", "M", "G", "T"};
    double scaled = rounded;
    int unit = -1;
    while (scaled >= 999.5 && unit < units.length - 1) {
      scaled /= 1_000;
      unit++;
    }
    String digits = String.format(Locale.ROOT, scaled < 99.95 ? "%.1f" : "%.0f", scaled);
    return (digits.endsWith(".0") ? digits.substring(0, digits.length() - 2) : digits)
        + units[unit];
  }

  /** What nobody knows is not nothing. */
  static String cost(BigDecimal known, long pricedCalls, long unknownCalls) {
    BigDecimal rounded = known.setScale(4, RoundingMode.HALF_UP);
    String dollars =
        rounded.signum() == 0 && known.signum() > 0 ? "<$0.0001" : "$" + rounded.toPlainString();
    if (unknownCalls == 0) {
      return dollars;
    }
    return pricedCalls == 0 ? "unknown" : "at least " + dollars;
  }

  /** {@code 0.880}; from ten million on {@code 1.235e+07}, since 300 digits are no table. */
  static String score(double score) {
    return String.format(Locale.ROOT, Math.abs(score) < LONG_SCORE ? "%.3f" : "%.3e", score);
  }

  /** {@code 0.880 [0.762, 0.944]}. */
  static String score(double score, double low, double high) {
    return "%s [%s, %s]".formatted(score(score), score(low), score(high));
  }

  /** {@code 1 sample}, {@code 2 samples}. */
  static String count(long count, String noun) {
    return count + " " + noun + (count == 1 ? "" : "s");
  }

  /** {@code 1 retry}, {@code 2 retries}. */
  static String retries(long count) {
    return count == 1 ? "1 retry" : count + " retries";
  }
}
