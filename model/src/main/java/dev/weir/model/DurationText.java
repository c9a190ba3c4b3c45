package dev.weir.model;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write them: {@code 250ms}, {@code 1.5s}, {@code 2m}, {@code 1h}. */
public final class DurationText {

  /** What {@link #parse} understands, to complete a sentence that begins with "must be". */
  public static final String RULE = "a duration such as 250ms, 1.5s, 2m or 1h";

  /** Longer than anything waits, and short enough for every sum of durations. */
  public static final Duration LONGEST = Duration.ofDays(30);

  private static final Pattern DURATION =
      Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?) ?(ms|s|m|h)?");

  private DurationText() {}

  /**
   * @param unit of a number without one: {@code ms}, {@code s}, {@code m} or {@code h}
   * @return empty if the text is not a duration, or longer than {@link #LONGEST}
   */
  public static Optional<Duration> parse(String text, String unit) {
    Matcher matcher = DURATION.matcher(text.strip());
    if (!matcher.matches()) {
      return Optional.empty();
    }
    String given = matcher.group(2);
    BigDecimal nanos =
        new BigDecimal(matcher.group(1))
            .multiply(BigDecimal.valueOf(nanosOf(given == null ? unit : given)));
    return nanos.compareTo(BigDecimal.valueOf(LONGEST.toNanos())) > 0
        ? Optional.empty()
        : Optional.of(Duration.ofNanos(nanos.longValue()));
  }

  /** In seconds, as exact as it is, for people: {@code 1.5 s}. */
  public static String words(Duration duration) {
    BigDecimal seconds = BigDecimal.valueOf(duration.toNanos(), 9).stripTrailingZeros();
    return seconds.toPlainString() + " s";
  }

  private static long nanosOf(String unit) {
    return switch (unit) {
      case "ms" -> 1_000_000L;
      case "s" -> 1_000_000_000L;
      case "m" -> 60_000_000_000L;
      case "h" -> 3_600_000_000_000L;
      default -> throw new IllegalArgumentException("there is no unit '" + unit + "'");
    };
  }
}
