package dev.weir.limits;

import dev.weir.limits.header.Dimension;
import java.util.OptionalDouble;

/**
 * The most that may be sent to a model per minute. Nothing that a response says raises it. (What
 * {@code --rpm} and {@code --tpm} say in mode {@code pace} stands in its settings.)
 *
 * @param requestsPerMinute attempts, retries included
 * @param tokensPerMinute input and output, as estimated before an attempt and corrected after it
 * @param inputTokensPerMinute input tokens, estimated and corrected likewise
 * @param outputTokensPerMinute output tokens, estimated and corrected likewise
 */
public record RateCeiling(
    OptionalDouble requestsPerMinute,
    OptionalDouble tokensPerMinute,
    OptionalDouble inputTokensPerMinute,
    OptionalDouble outputTokensPerMinute) {

  public static final RateCeiling NONE =
      new RateCeiling(OptionalDouble.empty(), OptionalDouble.empty());

  public RateCeiling {
    requirePositive("requestsPerMinute", requestsPerMinute);
    requirePositive("tokensPerMinute", tokensPerMinute);
    requirePositive("inputTokensPerMinute", inputTokensPerMinute);
    requirePositive("outputTokensPerMinute", outputTokensPerMinute);
  }

  /** Without ceilings for input and output alone. */
  public RateCeiling(OptionalDouble requestsPerMinute, OptionalDouble tokensPerMinute) {
    this(requestsPerMinute, tokensPerMinute, OptionalDouble.empty(), OptionalDouble.empty());
  }

  /** The ceiling of one dimension. */
  public OptionalDouble perMinute(Dimension dimension) {
    return switch (dimension) {
      case REQUESTS -> requestsPerMinute;
      case TOKENS -> tokensPerMinute;
      case INPUT_TOKENS -> inputTokensPerMinute;
      case OUTPUT_TOKENS -> outputTokensPerMinute;
    };
  }

  /** The lower ceiling of each dimension. */
  RateCeiling lowest(RateCeiling other) {
    return new RateCeiling(
        lower(requestsPerMinute, other.requestsPerMinute),
        lower(tokensPerMinute, other.tokensPerMinute),
        lower(inputTokensPerMinute, other.inputTokensPerMinute),
        lower(outputTokensPerMinute, other.outputTokensPerMinute));
  }

  private static OptionalDouble lower(OptionalDouble one, OptionalDouble other) {
    if (one.isEmpty() || other.isEmpty()) {
      return one.isPresent() ? one : other;
    }
    return OptionalDouble.of(Math.min(one.getAsDouble(), other.getAsDouble()));
  }

  private static void requirePositive(String name, OptionalDouble rate) {
    double value = rate.orElse(1);
    if (!(value > 0 && Double.isFinite(value))) {
      throw new IllegalArgumentException("`%s` must be > 0, was %s".formatted(name, value));
    }
  }
}
