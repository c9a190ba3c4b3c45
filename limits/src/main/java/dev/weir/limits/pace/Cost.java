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

  public Cost {
    if (!(inputTokens >= 0) || !(outputTokens >= 0)) {
      throw new IllegalArgumentException(
          "tokens must be >= 0, were " + inputTokens + " in and " + outputTokens + " out");
    }
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
