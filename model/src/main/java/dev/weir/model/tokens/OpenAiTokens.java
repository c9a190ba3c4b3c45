package dev.weir.model.tokens;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingType;

/**
 * Tokens as OpenAI counts them. A vocabulary takes about half a second to load, so that happens
 * when the first text is counted, and not for texts that are too long to be counted exactly.
 */
final class OpenAiTokens implements TokenCounter {

  static final TokenCounter O200K = new OpenAiTokens(EncodingType.O200K_BASE);
  static final TokenCounter CL100K = new OpenAiTokens(EncodingType.CL100K_BASE);

  /** In characters: an estimate must not take longer than a call is worth. */
  private static final int LONGEST = 200_000;

  /** Text that repeats itself without a break is slow to cut; so much of it is looked at. */
  private static final int LONGEST_RUN = 2_000;

  private final EncodingType type;

  private OpenAiTokens(EncodingType type) {
    this.type = type;
  }

  @Override
  public double count(String text) {
    if (text.isEmpty()) {
      return 0;
    }
    if (text.length() > LONGEST || hasLongRun(text)) {
      return Characters.tokens(text);
    }
    // Ordinary: what looks like a control token in a prompt is only text.
    return encoding().countTokensOrdinary(text);
  }

  private Encoding encoding() {
    return switch (type) {
      case CL100K_BASE -> Cl100k.LOADED;
      default -> O200k.LOADED;
    };
  }

  private static boolean hasLongRun(String text) {
    int run = 0;
    for (int i = 0; i < text.length(); i++) {
      run = Character.isWhitespace(text.charAt(i)) ? 0 : run + 1;
      if (run > LONGEST_RUN) {
        return true;
      }
    }
    return false;
  }

  /** Loaded when it is first used. */
  private static final class O200k {
    private static final Encoding LOADED =
        Encodings.newLazyEncodingRegistry().getEncoding(EncodingType.O200K_BASE);
  }

  /** Loaded when it is first used. */
  private static final class Cl100k {
    private static final Encoding LOADED =
        Encodings.newLazyEncodingRegistry().getEncoding(EncodingType.CL100K_BASE);
  }
}
