package dev.weir.limits.header;

import java.time.Duration;
import java.util.Optional;

/**
 * What the name of a bucket tells: {@code "tokens"}, {@code "project-tokens"}, {@code
 * "req-minute"}, {@code "requests-day"}, {@code "tokens-prompt"}, {@code "minute"}.
 */
record BucketName(Dimension dimension, Optional<Duration> window) {

  /** Absent if the name does not say what is counted: images, say, or something unheard of. */
  static Optional<BucketName> parse(String name) {
    boolean requests = false;
    boolean tokens = false;
    boolean input = false;
    boolean output = false;
    boolean unknown = false;
    Optional<Period> period = Optional.empty();
    for (String word : name.split("-", -1)) {
      switch (word) {
        case "req", "request", "requests" -> requests = true;
        case "token", "tokens" -> tokens = true;
        case "input", "prompt" -> input = true;
        case "output", "completion", "generated" -> output = true;
        default -> {
          Optional<Period> named = Period.ofWord(word);
          if (named.isPresent()) {
            period = named;
          } else {
            unknown = true;
          }
        }
      }
    }
    // A name that is only a period counts requests, as gateways always did.
    boolean onlyPeriod = period.isPresent() && !unknown && !input && !output;
    if (!tokens && !requests && !onlyPeriod) {
      return Optional.empty();
    }
    return Optional.of(
        new BucketName(dimension(tokens, input, output), period.map(Period::length)));
  }

  private static Dimension dimension(boolean tokens, boolean input, boolean output) {
    if (!tokens) {
      return Dimension.REQUESTS;
    }
    if (input == output) {
      return Dimension.TOKENS;
    }
    return input ? Dimension.INPUT_TOKENS : Dimension.OUTPUT_TOKENS;
  }
}
