package dev.weir.model;

/**
 * Tokens that were paid for.
 *
 * @param inputTokens all that was read, from a cache or not
 * @param outputTokens all that was written, thoughts included
 * @param cacheReadTokens the part of the input that the provider had in its cache
 * @param cacheWriteTokens the part of the input that it put there
 * @param reasoningTokens the part of the output that was thought
 */
public record Usage(
    long inputTokens,
    long outputTokens,
    long cacheReadTokens,
    long cacheWriteTokens,
    long reasoningTokens) {

  public static final Usage NONE = new Usage(0, 0);

  public Usage {
    if (inputTokens < 0
        || outputTokens < 0
        || cacheReadTokens < 0
        || cacheWriteTokens < 0
        || reasoningTokens < 0) {
      throw new IllegalArgumentException(
          "tokens must be >= 0, were %d in (%d and %d of them cached) and %d out (%d thought)"
              .formatted(
                  inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens));
    }
  }

  /** Without caching or reasoning. */
  public Usage(long inputTokens, long outputTokens) {
    this(inputTokens, outputTokens, 0, 0, 0);
  }

  public Usage plus(Usage other) {
    return new Usage(
        inputTokens + other.inputTokens,
        outputTokens + other.outputTokens,
        cacheReadTokens + other.cacheReadTokens,
        cacheWriteTokens + other.cacheWriteTokens,
        reasoningTokens + other.reasoningTokens);
  }

  /** Whether anything is known: a server that tells nothing is not one that took nothing. */
  public boolean isTold() {
    return inputTokens > 0 || outputTokens > 0;
  }

  public long totalTokens() {
    return inputTokens + outputTokens;
  }
}
