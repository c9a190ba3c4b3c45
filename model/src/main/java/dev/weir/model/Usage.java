package dev.weir.model;

/** Tokens that were paid for. */
public record Usage(long inputTokens, long outputTokens) {

  public static final Usage NONE = new Usage(0, 0);

  public Usage {
    if (inputTokens < 0 || outputTokens < 0) {
      throw new IllegalArgumentException(
          "tokens must be >= 0, were " + inputTokens + " in and " + outputTokens + " out");
    }
  }

  public Usage plus(Usage other) {
    return new Usage(inputTokens + other.inputTokens, outputTokens + other.outputTokens);
  }

  public long totalTokens() {
    return inputTokens + outputTokens;
  }
}
