package dev.weir.model.tokens;

/** Tokens by kinds of characters, as vocabularies of language models commonly cut them. */
final class Characters {

  private static final double OF_ASCII = 0.25;
  private static final double OF_OTHER_ALPHABETS = 0.5;

  /** Chinese, Japanese, Korean, emoji: about one for each. */
  private static final double OF_SIGNS = 1;

  private static final int FIRST_OTHER_ALPHABET = 0x80;
  private static final int FIRST_SIGN = 0x2E80;

  private Characters() {}

  static double tokens(String text) {
    double tokens = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < FIRST_OTHER_ALPHABET) {
        tokens += OF_ASCII;
      } else if (c < FIRST_SIGN) {
        tokens += OF_OTHER_ALPHABETS;
      } else if (!Character.isLowSurrogate(c)) {
        tokens += OF_SIGNS;
      }
    }
    return tokens;
  }
}
