package dev.weir.simulator.provider;

/** The quota that a refused request would have exceeded. */
public enum RefusalKind {
  REQUESTS("requests"),
  TOKENS("tokens"),
  INPUT_TOKENS("input-tokens"),
  OUTPUT_TOKENS("output-tokens");

  private final String word;

  RefusalKind(String word) {
    this.word = word;
  }

  /** Its name in headers: {@code "input-tokens"}. */
  public String word() {
    return word;
  }

  /** What a request takes from a quota of this kind when it is admitted. */
  double cost(Request request) {
    return switch (this) {
      case REQUESTS -> 1;
      case TOKENS -> (double) request.reservedTokens();
      case INPUT_TOKENS -> request.promptTokens();
      case OUTPUT_TOKENS -> request.maxTokens();
    };
  }

  /** What it turns out to have taken when it is answered. */
  double used(Request request) {
    return switch (this) {
      case REQUESTS -> 1;
      case TOKENS -> (double) request.usedTokens();
      case INPUT_TOKENS -> request.promptTokens();
      case OUTPUT_TOKENS -> request.outputTokens();
    };
  }
}
