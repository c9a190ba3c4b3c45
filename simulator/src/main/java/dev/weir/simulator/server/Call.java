package dev.weir.simulator.server;

import java.util.OptionalInt;

/**
 * What a client asks for, whichever API it speaks.
 *
 * @param prompt all texts of the conversation
 * @param maxTokens what the client allows for output, if it says so
 * @param streamUsage whether the stream is to end with the tokens used
 */
record Call(
    String model, String prompt, OptionalInt maxTokens, boolean stream, boolean streamUsage) {

  private static final int CHARACTERS_PER_TOKEN = 4;

  /** An estimate, as good as any without the model's own tokenizer. */
  static int tokens(String text) {
    return Math.ceilDiv(text.length(), CHARACTERS_PER_TOKEN);
  }

  int promptTokens() {
    return tokens(prompt);
  }

  /** What of a text the client wants to have. */
  Output cut(String text) {
    if (maxTokens.isEmpty() || tokens(text) <= maxTokens.getAsInt()) {
      return new Output(text, tokens(text), false);
    }
    int end = maxTokens.getAsInt() * CHARACTERS_PER_TOKEN;
    // Not in the middle of a character that takes two.
    int whole = Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end;
    return new Output(text.substring(0, whole), maxTokens.getAsInt(), true);
  }

  /**
   * @param cut whether the answer was longer than allowed
   */
  record Output(String text, int tokens, boolean cut) {}
}
