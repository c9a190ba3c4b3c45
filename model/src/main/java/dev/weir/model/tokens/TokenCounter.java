package dev.weir.model.tokens;

/** How many tokens a text has: exactly, or about. Thread-safe. */
@FunctionalInterface
public interface TokenCounter {

  /** Of one text, without what a provider puts around it. */
  double count(String text);

  /** Whether {@link #load} takes so long that nobody should wait for it without need. */
  default boolean isSlowToLoad() {
    return false;
  }

  /** Makes it ready to count; else the first count does. */
  default void load() {}

  /** From the kinds of characters alone; it costs next to nothing, and is often a fifth off. */
  static TokenCounter byCharacters() {
    return Characters::tokens;
  }

  /**
   * The best there is for a model: OpenAI's vocabularies are public, and are used for its models
   * wherever they are served; all others are counted by characters.
   *
   * @param provider the first part of the model's name
   * @param model the rest of it
   */
  static TokenCounter of(String provider, String model) {
    return OpenAiTokens.of(provider, model).orElseGet(TokenCounter::byCharacters);
  }
}
