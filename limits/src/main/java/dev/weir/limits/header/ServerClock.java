package dev.weir.limits.header;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * Turns what a server writes for a time, a span or a moment, into a span from now.
 *
 * <p>A plain number is told by its size, as no header says which it is: seconds from now below 1e9,
 * seconds since 1970 below 1e11, milliseconds since 1970 above.
 *
 * @param date what the server's clock said when it sent the response, empty if it did not tell;
 *     read only for a moment, as most responses name none
 * @param ourNow what ours says
 */
record ServerClock(String date, Instant ourNow) {

  private static final BigDecimal EPOCH_SECONDS_FROM = new BigDecimal("1e9");
  private static final BigDecimal EPOCH_MILLIS_FROM = new BigDecimal("1e11");
  private static final BigDecimal MILLIS_PER_SECOND = new BigDecimal(1000);
  private static final int SHORTEST_RFC_3339 = 20;
  private static final int LONGEST_RFC_3339 = 40;

  /**
   * The server's clock as its {@code Date} header shows it, else ours: a moment the server names is
   * a moment of its clock, which may differ from ours by minutes.
   */
  static ServerClock of(ResponseHeaders headers, Instant ourNow) {
    return new ServerClock(headers.first(ResponseHeaders.DATE), ourNow);
  }

  /** A date is cut off at the second: the response was sent half a second later, more or less. */
  private static final Duration HALF_SECOND = Duration.ofMillis(500);

  /** Without the server's clock, a moment further away may be a moment of another hour. */
  private static final Duration UNSURE_FROM = Duration.ofMinutes(5);

  /** What a header says about when a bucket is full, with its resolution. */
  Optional<Reset> reset(String text) {
    if (text.isEmpty()) {
      return Optional.empty();
    }
    Optional<BigDecimal> number = Numbers.decimal(text);
    if (number.isPresent() && number.get().compareTo(EPOCH_SECONDS_FROM) < 0) {
      return Durations.ofSeconds(number.get())
          .map(after -> Reset.in(after, Durations.resolution(text)));
    }
    Optional<Duration> duration = number.isPresent() ? Optional.empty() : Durations.parse(text);
    if (duration.isPresent()) {
      return duration.map(after -> Reset.in(after, Durations.resolution(text)));
    }
    return number
        .flatMap(ServerClock::epoch)
        .or(() -> rfc3339(text))
        .or(() -> HttpDates.parse(text))
        .flatMap(this::reset);
  }

  /** Cut off or rounded at the second if there is no fraction. */
  private Optional<Reset> reset(Instant moment) {
    boolean whole = moment.equals(moment.truncatedTo(ChronoUnit.SECONDS));
    Duration resolution = Duration.ofMillis(whole ? 1_000 : 1);
    Instant sentAt = HttpDates.parse(date).map(second -> second.plus(HALF_SECOND)).orElse(ourNow);
    Duration after = Duration.between(sentAt, moment);
    if (HttpDates.parse(date).isEmpty() && after.abs().compareTo(UNSURE_FROM) > 0) {
      resolution = after.abs();
    }
    return after.abs().compareTo(Durations.LONGEST) > 0
        ? Optional.empty()
        : Optional.of(new Reset(after, resolution.plus(HALF_SECOND), Reset.Base.RESPONSE));
  }

  Optional<Duration> until(String text) {
    if (text.isEmpty()) {
      return Optional.empty();
    }
    return Numbers.decimal(text)
        .map(this::untilNumber)
        .orElseGet(
            () ->
                Durations.parse(text)
                    .or(() -> rfc3339(text).or(() -> HttpDates.parse(text)).flatMap(this::until)));
  }

  private Optional<Duration> untilNumber(BigDecimal number) {
    return number.compareTo(EPOCH_SECONDS_FROM) < 0
        ? Durations.ofSeconds(number)
        : epoch(number).flatMap(this::until);
  }

  private static Optional<Instant> epoch(BigDecimal number) {
    BigDecimal epochMillis =
        number.compareTo(EPOCH_MILLIS_FROM) < 0 ? number.multiply(MILLIS_PER_SECOND) : number;
    return epochMillis.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0
        ? Optional.empty()
        : Optional.of(Instant.ofEpochMilli(epochMillis.longValue()));
  }

  /** A moment that has just passed is no time away; one that is far off either way is absurd. */
  private Optional<Duration> until(Instant moment) {
    Instant now = HttpDates.parse(date).orElse(ourNow);
    Duration distance = Duration.between(now, moment);
    if (distance.abs().compareTo(Durations.LONGEST) > 0) {
      return Optional.empty();
    }
    return Optional.of(distance.isNegative() ? Duration.ZERO : distance);
  }

  private static Optional<Instant> rfc3339(String text) {
    String moment = text.strip();
    if (moment.length() < SHORTEST_RFC_3339
        || moment.length() > LONGEST_RFC_3339
        || moment.charAt(4) != '-') {
      return Optional.empty();
    }
    try {
      return Optional.of(OffsetDateTime.parse(moment).toInstant());
    } catch (DateTimeException notAMoment) {
      // What a server sends may be anything; not a moment is as good as none.
      return Optional.empty();
    }
  }
}
