package dev.weir.limits.header;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What an error message for people says about limits: "Rate limit reached on tokens per min (TPM):
 * Limit 15000, Used 11972, Requested 4351. Please try again in 5.289s."
 */
final class ErrorMessage {

  private static final int MAX_LENGTH = 4096;

  private static final List<String> BEFORE_A_WAIT =
      List.of("try again in", "retry in", "retry after", "try again after", "please wait");

  private static final List<Wording<String>> KINDS =
      List.of(
          new Wording<>("concurren", ResponseFacts.CONCURRENCY),
          new Wording<>("input tokens", Dimension.INPUT_TOKENS.word()),
          new Wording<>("output tokens", Dimension.OUTPUT_TOKENS.word()),
          new Wording<>("tokens per", Dimension.TOKENS.word()),
          new Wording<>("too many tokens", Dimension.TOKENS.word()),
          new Wording<>("token rate limit", Dimension.TOKENS.word()),
          new Wording<>("(tpm)", Dimension.TOKENS.word()),
          new Wording<>("(tpd)", Dimension.TOKENS.word()),
          new Wording<>("requests per", Dimension.REQUESTS.word()),
          new Wording<>("call rate limit", Dimension.REQUESTS.word()),
          new Wording<>("(rpm)", Dimension.REQUESTS.word()),
          new Wording<>("(rpd)", Dimension.REQUESTS.word()));

  private static final List<Wording<Period>> PERIODS =
      List.of(
          new Wording<>("per sec", Period.SECOND),
          new Wording<>("per min", Period.MINUTE),
          new Wording<>("per hour", Period.HOUR),
          new Wording<>("per day", Period.DAY));

  /** In lower case. */
  private final String text;

  ErrorMessage(String message) {
    this.text =
        message.substring(0, Math.min(message.length(), MAX_LENGTH)).toLowerCase(Locale.ROOT);
  }

  Optional<Duration> serverWait() {
    for (String words : BEFORE_A_WAIT) {
      for (int at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
        Optional<Duration> wait = Durations.at(at + words.length(), text);
        if (wait.isPresent()) {
          return wait;
        }
      }
    }
    return Optional.empty();
  }

  Optional<String> limitKind() {
    return earliest(KINDS);
  }

  /**
   * The bucket of which it states the limit.
   *
   * @param kind which limit refused, as far as the response tells; empty if it does not
   */
  Optional<QuotaSnapshot> quota(String kind) {
    Optional<Dimension> dimension = dimension(kind);
    OptionalDouble limit = numberAfter("limit");
    if (dimension.isEmpty() || limit.isEmpty()) {
      return Optional.empty();
    }
    OptionalDouble used = numberAfter("used");
    OptionalDouble remaining =
        used.isPresent()
            ? OptionalDouble.of(Math.max(0, limit.getAsDouble() - used.getAsDouble()))
            : OptionalDouble.empty();
    Optional<Period> period = earliest(PERIODS);
    // Named with its period: an account has several for tokens, and the headers show but one.
    String suffix = period.map(named -> "-" + named.word()).orElse("");
    return Optional.of(
        new QuotaSnapshot(
            dimension.get(),
            dimension.get().word() + suffix,
            limit,
            remaining,
            Optional.empty(),
            period.map(Period::length),
            1,
            "error message"));
  }

  private Optional<Dimension> dimension(String kind) {
    for (Dimension dimension : Dimension.values()) {
      if (dimension.word().equals(kind)) {
        return Optional.of(dimension);
      }
    }
    // One request asks for one request; what asks for more at once counts tokens.
    return kind.isEmpty() && numberAfter("requested").orElse(0) > 1
        ? Optional.of(Dimension.TOKENS)
        : Optional.empty();
  }

  /** What the message says first is what it is about; advice comes later. */
  private <T> Optional<T> earliest(List<Wording<T>> wordings) {
    Optional<T> meaning = Optional.empty();
    int first = text.length();
    for (Wording<T> wording : wordings) {
      int at = text.indexOf(wording.words());
      if (at >= 0 && at < first) {
        first = at;
        meaning = Optional.of(wording.meaning());
      }
    }
    return meaning;
  }

  /** The number behind the first such word that has one: {@code Limit 15000}, {@code limit: 3}. */
  private OptionalDouble numberAfter(String word) {
    for (int at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
      int start = at + word.length();
      while (start < text.length() && (text.charAt(start) == ' ' || text.charAt(start) == ':')) {
        start++;
      }
      int end = start;
      while (end < text.length() && isOfNumber(end)) {
        end++;
      }
      OptionalDouble number = Numbers.count(text.substring(start, end).replace(",", ""));
      if (number.isPresent() && (at == 0 || !Character.isLetter(text.charAt(at - 1)))) {
        return number;
      }
    }
    return OptionalDouble.empty();
  }

  /** A digit, or a separator within a number: "40,000" and "1.5", but not the end of a clause. */
  private boolean isOfNumber(int index) {
    char character = text.charAt(index);
    boolean separator = character == ',' || character == '.';
    return Numbers.isDigit(character)
        || (separator && index + 1 < text.length() && Numbers.isDigit(text.charAt(index + 1)));
  }

  private record Wording<T>(String words, T meaning) {}
}
