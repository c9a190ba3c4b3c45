package dev.weir.model.tokens;

import java.util.Locale;
import java.util.regex.Pattern;

/** How many tokens a text has: exactly, or about. Thread-safe. */
@FunctionalInterface
public interface TokenCounter {

  /** Of one text, without what a provider puts around it. */
  double count(String text);

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
    String name = model.substring(model.lastIndexOf('/') + 1).toLowerCase(Locale.ROOT);
    if (!OpenAiNames.SERVES_ONLY_ITS_OWN.matcher(provider).matches()
        && !OpenAiNames.ITS_OWN.matcher(name).matches()) {
      return byCharacters();
    }
    return OpenAiNames.FORMER.matcher(name).matches() ? OpenAiTokens.CL100K : OpenAiTokens.O200K;
  }

  /** What OpenAI's models are called. */
  final class OpenAiNames {

    private static final Pattern SERVES_ONLY_ITS_OWN = Pattern.compile("openai|azure.*");
    private static final Pattern ITS_OWN = Pattern.compile("(gpt-|chatgpt-|o[1-9](-|$)).*");

    /** Those before gpt-4o. */
    private static final Pattern FORMER = Pattern.compile("(gpt-3\\.5|gpt-35|gpt-4($|-)).*");

    private OpenAiNames() {}
  }
}
