package dev.weir.model.cache;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How long an answer is good for.
 *
 * @param longest older ones are as good as absent
 */
public record CacheAge(Duration longest) {

  /** Answers do not grow old. */
  public static final CacheAge NEVER = new CacheAge(Duration.ofSeconds(Long.MAX_VALUE));

  /** A week. */
  public static final CacheAge DEFAULT = new CacheAge(Duration.ofDays(7));

  /** What {@link #parse} understands, to complete a sentence that begins with "must be". */
  public static final String RULE = "an age such as 30m, 12h, 2d or 1w, or never";

  /** A century; it also keeps sums of times in range. */
  private static final Duration MOST = Duration.ofDays(36_500);

  private static final Pattern AGE = Pattern.compile("(\\d{1,9}) ?([smhdDwW])");

  public CacheAge {
    if (longest.isNegative() || longest.isZero()) {
      throw new IllegalArgumentException("`longest` must be > 0, was " + longest);
    }
  }

  /** Empty if the text is not an age, or is more than a century. */
  public static Optional<CacheAge> parse(String text) {
    String word = text.strip();
    if (word.equalsIgnoreCase("never")) {
      return Optional.of(NEVER);
    }
    Matcher matcher = AGE.matcher(word);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    long count = Long.parseLong(matcher.group(1));
    // Small letters only, but for those that mean nothing else: M is a month to some.
    Duration age =
        switch (matcher.group(2).toLowerCase(Locale.ROOT)) {
          case "s" -> Duration.ofSeconds(count);
          case "m" -> Duration.ofMinutes(count);
          case "h" -> Duration.ofHours(count);
          case "d" -> Duration.ofDays(count);
          default -> Duration.ofDays(7 * count);
        };
    return age.isZero() || age.compareTo(MOST) > 0
        ? Optional.empty()
        : Optional.of(new CacheAge(age));
  }

  /** Whether something of that time is too old now. */
  boolean isOver(Instant stored, Instant now) {
    // Not a sum of a time and the age, which may be out of range.
    return stored.isBefore(now) && Duration.between(stored, now).compareTo(longest) > 0;
  }
}
