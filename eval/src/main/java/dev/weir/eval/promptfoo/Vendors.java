package dev.weir.eval.promptfoo;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What promptfoo's names of models are here. */
final class Vendors {

  /** Those whose name is followed by nothing but the model. */
  private static final Map<String, String> PLAIN =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("anthropic", "anthropic"),
              Map.entry("bedrock", "bedrock"),
              Map.entry("deepseek", "deepseek"),
              Map.entry("fireworks", "fireworks"),
              Map.entry("google", "google"),
              Map.entry("groq", "groq"),
              Map.entry("mistral", "mistral"),
              Map.entry("ollama", "ollama"),
              Map.entry("openrouter", "openrouter"),
              Map.entry("perplexity", "perplexity"),
              Map.entry("togetherai", "together"),
              Map.entry("vertex", "vertex"),
              Map.entry("xai", "xai")));

  /** What may stand between vendor and model, and is how the model is asked anyway. */
  private static final Map<String, List<String>> USUAL_KINDS =
      Map.of(
          "anthropic", List.of("messages"),
          "bedrock", List.of("converse"),
          "ollama", List.of("chat"));

  /** Kinds of models that are no chat models. */
  private static final List<String> OTHER_KINDS =
      List.of(
          "assistant",
          "completion",
          "completions",
          "embedding",
          "embeddings",
          "image",
          "live",
          "moderation",
          "realtime",
          "speech",
          "transcription",
          "video",
          "agents",
          "codex-sdk",
          "chatkit",
          "claude-agent-sdk");

  private Vendors() {}

  /**
   * A model as Weir names it.
   *
   * @param model {@code provider/model}
   * @param arguments for its provider
   */
  record Named(String model, Map<String, String> arguments) {

    String provider() {
      return model.substring(0, model.indexOf('/'));
    }
  }

  /** Empty if Weir has no such model. */
  static Optional<Named> find(String id) {
    if (id.equals("echo")) {
      return Optional.of(new Named("mock/echo", Map.of()));
    }
    int colon = id.indexOf(':');
    if (colon < 1 || colon == id.length() - 1) {
      return Optional.empty();
    }
    String vendor = id.substring(0, colon);
    String rest = id.substring(colon + 1);
    return switch (vendor) {
      case "weir" -> Optional.of(rest).filter(Vendors::isWeir).map(name -> named(name, Map.of()));
      case "openai" -> withApi("openai", rest);
      case "azure", "azureopenai" -> withApi("azure", rest);
      default ->
          Optional.ofNullable(PLAIN.get(vendor))
              .flatMap(
                  provider -> plain(provider, rest, USUAL_KINDS.getOrDefault(vendor, List.of())));
    };
  }

  /** The variable that holds the credential of a provider of Weir's. */
  static List<String> credentials(String provider) {
    return switch (provider) {
      case "azure" -> List.of("AZURE_OPENAI_API_KEY");
      case "google" -> List.of("GEMINI_API_KEY", "GOOGLE_API_KEY");
      case "bedrock" -> List.of("AWS_BEARER_TOKEN_BEDROCK");
      case "vertex" -> List.of("VERTEX_ACCESS_TOKEN", "GOOGLE_ACCESS_TOKEN");
      default -> List.of(provider.toUpperCase(java.util.Locale.ROOT) + "_API_KEY");
    };
  }

  /** For people who used another. */
  static String known() {
    return "openai, azure, echo, http(s) addresses, exec:PROGRAM, weir:PROVIDER/MODEL, "
        + String.join(", ", PLAIN.keySet());
  }

  private static boolean isWeir(String name) {
    return name.indexOf('/') > 0 || name.startsWith("exec:") || name.startsWith("http:");
  }

  private static Named named(String name, Map<String, String> arguments) {
    return new Named(
        name.startsWith("exec:") || name.startsWith("http:") ? name.replaceFirst(":", "/") : name,
        arguments);
  }

  /** {@code gpt-4o}, {@code chat:gpt-4o} or {@code responses:gpt-4o}. */
  private static Optional<Named> withApi(String provider, String rest) {
    for (String api : List.of("chat", "responses")) {
      if (rest.startsWith(api + ":")) {
        String model = rest.substring(api.length() + 1);
        return model.isEmpty()
            ? Optional.empty()
            : Optional.of(new Named(provider + "/" + model, Map.of("api", api)));
      }
    }
    return plain(provider, rest, List.of());
  }

  private static Optional<Named> plain(String provider, String rest, List<String> usualKinds) {
    String[] parts = rest.split(":", 2);
    if (parts.length == 2 && usualKinds.contains(parts[0])) {
      return Optional.of(new Named(provider + "/" + parts[1], Map.of()));
    }
    return Arrays.stream(parts).findFirst().filter(OTHER_KINDS::contains).isPresent()
        ? Optional.empty()
        : Optional.of(new Named(provider + "/" + rest, Map.of()));
  }
}
