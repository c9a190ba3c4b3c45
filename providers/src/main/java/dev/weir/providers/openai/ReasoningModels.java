package dev.weir.providers.openai;

import java.util.Locale;
import java.util.regex.Pattern;

/** Tells from the name of one of OpenAI's models whether it thinks before it answers. */
final class ReasoningModels {

  /**
   * The o series, and GPT from 5 on; {@code gpt-5-chat} and its kin do not think, nor does {@code
   * gpt-35-turbo}.
   */
  private static final Pattern NAME =
      Pattern.compile(
          "(?:ft:)?(?:o\\d|gpt-(?:[5-9](?!\\d)|[12]\\d)|codex-|computer-use)(?!.*-chat).*");

  private ReasoningModels() {}

  static boolean isOne(String model) {
    return NAME.matcher(model.toLowerCase(Locale.ROOT)).matches();
  }
}
