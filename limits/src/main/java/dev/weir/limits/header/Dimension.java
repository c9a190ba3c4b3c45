package dev.weir.limits.header;

/** What a quota counts. */
public enum Dimension {
  REQUESTS("requests"),
  /** Tokens without telling input and output apart, or both together. */
  TOKENS("tokens"),
  INPUT_TOKENS("input-tokens"),
  OUTPUT_TOKENS("output-tokens");

  private final String word;

  Dimension(String word) {
    this.word = word;
  }

  /** The word for people, and for {@link ResponseFacts#limitKind}: {@code "input-tokens"}. */
  public String word() {
    return word;
  }
}
