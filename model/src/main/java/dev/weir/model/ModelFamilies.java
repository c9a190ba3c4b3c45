package dev.weir.model;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The providers of well-known models, for names that lack one. */
final class ModelFamilies {

  /** The first that matches decides: open weights before the family that they are named after. */
  private static final Map<String, Pattern> BY_PROVIDER = new LinkedHashMap<>();

  static {
    put("ollama", "gpt-oss|(code|tiny)?llama|qwen|qwq|gemma|phi-?\\d|mixtral|deepseek-r1:");
    put("openai", "gpt-|chatgpt-|o\\d+(-|$)");
    put("anthropic", "claude-");
    put("google", "gemini-");
    put("xai", "grok-");
    put("mistral", "(open-)?mistral-|ministral-|magistral-|codestral-|devstral-|pixtral-");
    put("deepseek", "deepseek-");
    put("perplexity", "sonar(-|$)");
  }

  /** promptfoo writes {@code openai:gpt-4o} and {@code openai:chat:gpt-4o}. */
  private static final Pattern WITH_COLONS =
      Pattern.compile("([a-z][a-z0-9-]*):(?:(?:chat|responses|completion|messages):)?([^:/=]+)");

  private ModelFamilies() {}

  private static void put(String provider, String beginnings) {
    BY_PROVIDER.put(provider, Pattern.compile("(?:" + beginnings + ").*"));
  }

  static Optional<ModelName> find(String text) {
    String name = text.strip();
    if (name.contains("/")) {
      return Optional.empty();
    }
    String lower = name.toLowerCase(Locale.ROOT);
    Optional<ModelName> known =
        BY_PROVIDER.entrySet().stream()
            .filter(family -> family.getValue().matcher(lower).matches())
            .findFirst()
            .map(family -> new ModelName(family.getKey(), name));
    if (known.isPresent()) {
      return known;
    }
    Matcher parts = WITH_COLONS.matcher(name);
    return parts.matches()
        ? Optional.of(new ModelName(parts.group(1), parts.group(2)))
        : Optional.empty();
  }
}
