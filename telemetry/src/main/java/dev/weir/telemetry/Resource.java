package dev.weir.telemetry;

import dev.weir.limits.header.Dimension;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What a limit is on. */
public enum Resource {
  /** Attempts in flight. */
  CONCURRENCY(0.60, 0.80),
  /** Attempts per minute. */
  REQUESTS(0.85, 0.90),
  /** Tokens per minute, input and output together. */
  TOKENS(0.85, 0.90),
  INPUT_TOKENS(0.85, 0.90),
  OUTPUT_TOKENS(0.85, 0.90);

  static final List<Resource> PER_MINUTE = List.of(REQUESTS, TOKENS, INPUT_TOKENS, OUTPUT_TOKENS);

  private final double soft;
  private final double hard;

  Resource(double soft, double hard) {
    this.soft = soft;
    this.hard = hard;
  }

  /** As it is written: {@code input_tokens}. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The share of a limit from which more should be asked for. */
  public double soft() {
    return soft;
  }

  /** The share of a limit from which calls are about to be refused. */
  public double hard() {
    return hard;
  }

  /** As providers name it in refusals: {@code input-tokens}. */
  static Optional<Resource> named(String kind) {
    return Arrays.stream(values())
        .filter(each -> each.word().equals(kind.replace('-', '_')))
        .findFirst();
  }

  static Resource of(Dimension dimension) {
    return switch (dimension) {
      case REQUESTS -> REQUESTS;
      case TOKENS -> TOKENS;
      case INPUT_TOKENS -> INPUT_TOKENS;
      case OUTPUT_TOKENS -> OUTPUT_TOKENS;
    };
  }

  /** The dimension of a rate; of {@link #CONCURRENCY} there is none. */
  Dimension dimension() {
    return switch (this) {
      case REQUESTS -> Dimension.REQUESTS;
      case TOKENS -> Dimension.TOKENS;
      case INPUT_TOKENS -> Dimension.INPUT_TOKENS;
      case OUTPUT_TOKENS -> Dimension.OUTPUT_TOKENS;
      case CONCURRENCY -> throw new IllegalStateException("cannot name the rate of " + this);
    };
  }
}
