package dev.weir.limits.header;

import java.time.Duration;
import java.util.Optional;

/** The periods that providers name. */
enum Period {
  SECOND("second", Duration.ofSeconds(1)),
  MINUTE("minute", Duration.ofMinutes(1)),
  HOUR("hour", Duration.ofHours(1)),
  DAY("day", Duration.ofDays(1)),
  MONTH("month", Duration.ofDays(30));

  private final String word;
  private final Duration length;

  Period(String word, Duration length) {
    this.word = word;
    this.length = length;
  }

  static Optional<Period> ofWord(String word) {
    for (Period period : values()) {
      if (period.word.equals(word)) {
        return Optional.of(period);
      }
    }
    return Optional.empty();
  }

  String word() {
    return word;
  }

  Duration length() {
    return length;
  }
}
