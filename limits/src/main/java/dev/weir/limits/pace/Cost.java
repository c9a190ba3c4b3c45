package dev.weir.limits.pace;

import dev.weir.limits.header.Dimension;

/**
 * What a request takes of a quota.
 *
 * @param inputTokens of the prompt
 * @param outputTokens of the answer: before it, what the provider reserves for it
 */
public record Cost(double inputTokens, double outputTokens) {

  /** A request whose tokens do not count. */
  public static final Cost ONE_REQUEST = new Cost(0, 0);

  /** More than any request has; less than what would upset the sums. */
  private static final double MOST_TOKENS = 1e9;

  public Cost {
    if (!isCount(inputTokens) || !isCount(outputTokens)) {
      throw new IllegalArgumentException(
          "tokens must be from 0 to %s, were %s in and %s out"
              .formatted(MOST_TOKENS, inputTokens, outputTokens));
    }
  }

  private static boolean isCount(double tokens) {
    return tokens >= 0 && tokens <= MOST_TOKENS;
  }

  /** Units of one dimension. */
  public double of(Dimension dimension) {
    return switch (dimension) {
      case REQUESTS -> 1;
      case TOKENS -> inputTokens + outputTokens;
      case INPUT_TOKENS -> inputTokens;
      case OUTPUT_TOKENS -> outputTokens;
    };
  }
}
