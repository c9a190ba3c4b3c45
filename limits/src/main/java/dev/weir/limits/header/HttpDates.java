package dev.weir.limits.header;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.Locale;
import java.util.Optional;

/**
 * Reads the three date forms of RFC 9110, section 5.6.7. The day of the week says nothing that the
 * date does not, so a wrong one does no harm.
 */
final class HttpDates {

  /** Of the last form; spares most of what is no date an exception. */
  private static final int MIN_LENGTH = 24;

  private static final int MAX_LENGTH = 40;

  /** {@code Sun, 06 Nov 1994 08:49:37 GMT} */
  private static final DateTimeFormatter CURRENT = formatter("d MMM uuuu HH:mm:ss 'GMT'");

  /** {@code Sunday, 06-Nov-94 08:49:37 GMT}; a response is of this century. */
  private static final DateTimeFormatter RFC_850 =
      new DateTimeFormatterBuilder()
          .parseCaseInsensitive()
          .appendPattern("d-MMM-")
          .appendValueReduced(ChronoField.YEAR, 2, 2, LocalDate.of(2000, 1, 1))
          .appendPattern(" HH:mm:ss 'GMT'")
          .toFormatter(Locale.US);

  /** {@code Sun Nov 6 08:49:37 1994}, a day below 10 padded with a blank. */
  private static final DateTimeFormatter ASCTIME = formatter("MMM ppd HH:mm:ss uuuu");

  private HttpDates() {}

  static Optional<Instant> parse(String text) {
    String date = text.strip();
    if (date.length() < MIN_LENGTH || date.length() > MAX_LENGTH) {
      return Optional.empty();
    }
    int comma = date.indexOf(',');
    if (comma < 0) {
      return parse(date.substring(date.indexOf(' ') + 1), ASCTIME);
    }
    String withoutDay = date.substring(comma + 1).strip();
    return parse(withoutDay, withoutDay.indexOf('-') < 0 ? CURRENT : RFC_850);
  }

  private static Optional<Instant> parse(String withoutDay, DateTimeFormatter form) {
    try {
      return Optional.of(LocalDateTime.parse(withoutDay, form).toInstant(ZoneOffset.UTC));
    } catch (DateTimeException notADate) {
      // What a server sends may be anything; not a date is as good as none.
      return Optional.empty();
    }
  }

  private static DateTimeFormatter formatter(String pattern) {
    return new DateTimeFormatterBuilder()
        .parseCaseInsensitive()
        .appendPattern(pattern)
        .toFormatter(Locale.US);
  }
}
