package dev.weir.model.tokens;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingType;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Tokens as OpenAI counts them. A vocabulary takes from half a second to a second to load, so that
 * happens when the first text is counted; then it takes about a microsecond for a token.
 */
final class OpenAiTokens implements TokenCounter {

  static final TokenCounter O200K = new OpenAiTokens(EncodingType.O200K_BASE);
  static final TokenCounter CL100K = new OpenAiTokens(EncodingType.CL100K_BASE);

  private static final Pattern SERVES_ONLY_ITS_OWN = Pattern.compile("openai|azure.*");
  private static final Pattern ITS_OWN = Pattern.compile("(gpt-|chatgpt-|o[1-9](-|$)).*");

  /** Models before gpt-4o. */
  private static final Pattern FORMER = Pattern.compile("(gpt-3\\.5|gpt-35|gpt-4($|-)).*");

  private final EncodingType type;

  private OpenAiTokens(EncodingType type) {
    this.type = type;
  }

  /** Empty if the model is not one of OpenAI's. */
  static Optional<TokenCounter> of(String provider, String model) {
    String name = model.substring(model.lastIndexOf('/') + 1).toLowerCase(Locale.ROOT);
    boolean isItsOwn =
        SERVES_ONLY_ITS_OWN.matcher(provider).matches() || ITS_OWN.matcher(name).matches();
    return isItsOwn
        ? Optional.of(FORMER.matcher(name).matches() ? CL100K : O200K)
        : Optional.empty();
  }

  @Override
  public double count(String text) {
    if (text.isEmpty()) {
      return 0;
    }
    // Ordinary: what looks like a control token in a prompt is only text.
    return encoding().countTokensOrdinary(text);
  }

  @Override
  public boolean isSlowToLoad() {
    return true;
  }

  @Override
  public void load() {
    Objects.requireNonNull(encoding());
  }

  private Encoding encoding() {
    return switch (type) {
      case CL100K_BASE -> Cl100k.LOADED;
      default -> O200k.LOADED;
    };
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
