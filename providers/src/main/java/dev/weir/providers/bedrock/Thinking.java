package dev.weir.providers.bedrock;

import dev.weir.model.GenerationSettings;
import dev.weir.model.ReasoningEffort;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A reasoning effort in the words of the model: Converse itself has none. Claude from 4.6 on thinks
 * as it likes, guided by an effort; before, within a budget of tokens. For other models an effort
 * has no effect; what they know can be given as fields of the body.
 */
final class Thinking {

  private static final Pattern CLAUDE =
      Pattern.compile(
          ".*anthropic\\.claude-(?:[a-z]+-)?(\\d{1,2})(?!\\d)(?:-(\\d{1,2})(?!\\d))?.*");

  private static final int ADAPTIVE_SINCE = 406;
  private static final int XHIGH_SINCE = 407;
  private static final int SMALLEST_BUDGET = 1_024;

  private Thinking() {}

  /** Fields for the model. */
  static Map<String, Object> fields(String model, GenerationSettings settings) {
    Matcher claude = CLAUDE.matcher(model);
    if (settings.reasoningEffort().isEmpty() || !claude.matches()) {
      return Map.of();
    }
    String minor = claude.group(2);
    int version =
        Integer.parseInt(claude.group(1)) * 100 + (minor == null ? 0 : Integer.parseInt(minor));
    ReasoningEffort effort = settings.reasoningEffort().get();
    if (effort == ReasoningEffort.NONE) {
      return Map.of("thinking", Map.of("type", "disabled"));
    }
    Map<String, Object> fields = new LinkedHashMap<>();
    if (version >= ADAPTIVE_SINCE) {
      fields.put("thinking", Map.of("type", "adaptive"));
      fields.put("output_config", Map.of("effort", word(effort, version)));
    } else if (settings.maxTokens().orElse(Integer.MAX_VALUE) > SMALLEST_BUDGET) {
      // Less leaves no room to think.
      Map<String, Object> thinking = new LinkedHashMap<>();
      thinking.put("type", "enabled");
      thinking.put("budget_tokens", budget(effort, settings.maxTokens()));
      fields.put("thinking", thinking);
    }
    return fields;
  }

  private static String word(ReasoningEffort effort, int version) {
    return switch (effort) {
      case NONE, MINIMAL, LOW -> "low";
      case MEDIUM -> "medium";
      case HIGH -> "high";
      case XHIGH -> version >= XHIGH_SINCE ? "xhigh" : "max";
    };
  }

  private static int budget(ReasoningEffort effort, OptionalInt maxTokens) {
    int budget =
        switch (effort) {
          case NONE, MINIMAL -> SMALLEST_BUDGET;
          case LOW -> 2_048;
          case MEDIUM -> 8_192;
          case HIGH -> 16_384;
          case XHIGH -> 24_576;
        };
    // It must be smaller than what may be written, and something must be left to answer with.
    return maxTokens.isPresent()
        ? Math.max(SMALLEST_BUDGET, Math.min(budget, maxTokens.getAsInt() / 4 * 3))
        : budget;
  }
}
