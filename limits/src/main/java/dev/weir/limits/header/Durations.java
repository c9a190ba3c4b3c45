package dev.weir.limits.header;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Reads durations such as {@code 6m0s}, {@code 17ms}, {@code 2m59.56s} and {@code 6 seconds}. */
final class Durations {

  /** No limit of a provider is longer; a longer time is a mistake, or a moment taken for one. */
  static final Duration LONGEST = Duration.ofDays(30);

  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration MILLISECOND = Duration.ofMillis(1);
  private static final int MAX_PARTS = 8;
  private static final BigDecimal NANOS_PER_SECOND = BigDecimal.valueOf(1_000_000_000);
  private static final BigDecimal LONGEST_SECONDS = BigDecimal.valueOf(LONGEST.toSeconds());

  private static final Map<String, BigDecimal> UNIT_SECONDS =
      Map.ofEntries(
          unit("ns", "1e-9"),
          unit("us", "1e-6"),
          unit("\u00b5s", "1e-6"), // micro sign
          unit("\u03bcs", "1e-6"), // Greek mu
          unit("ms", "1e-3"),
          unit("millisecond", "1e-3"),
          unit("milliseconds", "1e-3"),
          unit("s", "1"),
          unit("sec", "1"),
          unit("secs", "1"),
          unit("second", "1"),
          unit("seconds", "1"),
          unit("m", "60"),
          unit("min", "60"),
          unit("mins", "60"),
          unit("minute", "60"),
          unit("minutes", "60"),
          unit("h", "3600"),
          unit("hour", "3600"),
          unit("hours", "3600"),
          unit("d", "86400"),
          unit("day", "86400"),
          unit("days", "86400"));

  private Durations() {}

  /** The duration that is the whole text, apart from blanks around it. */
  static Optional<Duration> parse(String text) {
    Scan scan = new Scan(text.strip().toLowerCase(Locale.ROOT), 0);
    return scan.end == scan.text.length() ? scan.duration() : Optional.empty();
  }

  /**
   * The duration at that place of a text, up to the first word that is no part of it.
   *
   * @param text in lower case
   */
  static Optional<Duration> at(int start, String text) {
    return new Scan(text, start).duration();
  }

  /** Absent if it is longer than {@link #LONGEST}. */
  static Optional<Duration> ofSeconds(BigDecimal seconds) {
    if (seconds.signum() < 0 || seconds.compareTo(LONGEST_SECONDS) > 0) {
      return Optional.empty();
    }
    BigDecimal nanos = seconds.multiply(NANOS_PER_SECOND).setScale(0, RoundingMode.HALF_UP);
    return Optional.of(Duration.ofNanos(nanos.longValueExact()));
  }

  static void requireBounded(String field, Optional<Duration> value) {
    value.ifPresent(duration -> requireBounded(field, duration));
  }

  static void requireBounded(String field, Duration duration) {
    if (duration.isNegative() || duration.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "`" + field + "` must be between 0 and " + LONGEST + ", was " + duration);
    }
  }

  /**
   * The unit of the last digit of a time that is written so: a second for {@code 6m0s} and {@code
   * 42}, a millisecond for {@code 17ms}, a tenth of a second for {@code 2.5s}.
   */
  static Duration resolution(String text) {
    String written = text.strip().toLowerCase(Locale.ROOT);
    int point = written.lastIndexOf('.');
    if (point < 0) {
      boolean small = written.endsWith("ms") || written.endsWith("us") || written.endsWith("ns");
      return small || written.contains("milli") ? MILLISECOND : SECOND;
    }
    int digits = 0;
    while (point + 1 + digits < written.length()
        && Numbers.isDigit(written.charAt(point + 1 + digits))) {
      digits++;
    }
    return Duration.ofNanos(SECOND.toNanos() / (long) Math.pow(10, Math.min(digits, 3)));
  }

  private static Map.Entry<String, BigDecimal> unit(String word, String seconds) {
    return Map.entry(word, new BigDecimal(seconds));
  }

  /** Pairs of number and unit, as many as follow each other, the largest unit first. */
  private static final class Scan {

    private final String text;

    /** The end of the last complete pair. */
    private int end;

    private int parts;
    private BigDecimal seconds = BigDecimal.ZERO;
    private BigDecimal smallestUnit = LONGEST_SECONDS;

    Scan(String text, int start) {
      this.text = text;
      this.end = start;
      while (parts < MAX_PARTS && readPart()) {
        parts++;
      }
    }

    Optional<Duration> duration() {
      return parts == 0 ? Optional.empty() : ofSeconds(seconds);
    }

    private boolean readPart() {
      int number = skipBlanks(end);
      int numberEnd = number;
      while (numberEnd < text.length() && isOfNumber(text.charAt(numberEnd))) {
        numberEnd++;
      }
      int unit = skipBlanks(numberEnd);
      int unitEnd = unit;
      while (unitEnd < text.length() && Character.isLetter(text.charAt(unitEnd))) {
        unitEnd++;
      }
      BigDecimal unitSeconds = UNIT_SECONDS.get(text.substring(unit, unitEnd));
      Optional<BigDecimal> amount = Numbers.decimal(text.substring(number, numberEnd));
      if (unitSeconds == null || amount.isEmpty() || unitSeconds.compareTo(smallestUnit) >= 0) {
        return false;
      }
      smallestUnit = unitSeconds;
      seconds = seconds.add(amount.get().multiply(unitSeconds));
      end = unitEnd;
      return true;
    }

    private int skipBlanks(int from) {
      int index = from;
      while (index < text.length() && text.charAt(index) == ' ') {
        index++;
      }
      return index;
    }

    private static boolean isOfNumber(char character) {
      return Numbers.isDigit(character) || character == '.';
    }
  }
}
