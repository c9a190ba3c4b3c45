package dev.weir.providers.google;

import dev.weir.model.ReasoningEffort;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the name of a model tells about it.
 *
 * @param version the major one; {@link #NEWEST} if the name does not tell
 */
record GeminiModel(int version) {

  /** Names such as {@code gemini-flash-latest} stand for new models. */
  static final int NEWEST = Integer.MAX_VALUE;

  private static final Pattern NAME = Pattern.compile(".*gemini-(\\d{1,3})(?:\\D.*)?");

  private static final int LEVELS_SINCE = 3;

  static GeminiModel of(String name) {
    Matcher matcher = NAME.matcher(name);
    return new GeminiModel(matcher.matches() ? Integer.parseInt(matcher.group(1)) : NEWEST);
  }

  /** Whether thoughts are told by a level, and are signed; before, by a number of tokens. */
  boolean hasLevels() {
    return version >= LEVELS_SINCE;
  }

  /**
   * {@code thinkingConfig}. The budgets are those that Google's own OpenAI-compatible interface
   * translates the efforts to. Models with levels cannot be kept from thinking: {@code none} is the
   * least of them.
   */
  Map<String, Object> thinking(ReasoningEffort effort) {
    Map<String, Object> config = new LinkedHashMap<>();
    if (hasLevels()) {
      config.put(
          "thinkingLevel",
          switch (effort) {
            case NONE, MINIMAL -> "minimal";
            case LOW -> "low";
            case MEDIUM -> "medium";
            case HIGH, XHIGH -> "high";
          });
    } else {
      config.put(
          "thinkingBudget",
          switch (effort) {
            case NONE -> 0;
            case MINIMAL, LOW -> 1_024;
            case MEDIUM -> 8_192;
            case HIGH, XHIGH -> 24_576;
          });
    }
    if (effort != ReasoningEffort.NONE) {
      config.put("includeThoughts", true);
    }
    return config;
  }
}
