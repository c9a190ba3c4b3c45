package dev.weir.providers.openai;

import static dev.weir.providers.openai.Rule.code;
import static dev.weir.providers.openai.Rule.says;
import static dev.weir.providers.openai.Rule.status;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A server that is known by name.
 *
 * @param name what models of it begin with, and what its limits belong to
 * @param label for people
 * @param usual where it is found
 * @param needsKey whether a credential must be given, unless the server is on this machine
 */
record Preset(String name, String label, String usual, boolean needsKey, Traits traits) {

  private static final Traits HOSTED = Traits.COMPATIBLE.with(Refusals.COMMON);

  private static final Refusals GROQ =
      Refusals.COMMON.after(
          // The flexible tier has no room; it says nothing about limits.
          new Rule(status(498).or(code("capacity_exceeded")), Meaning.OVERLOADED),
          new Rule(code("model_terms_required"), Meaning.NO_ACCESS_TO_MODEL),
          new Rule(code("organization_restricted", "blocked_api_access"), Meaning.NO_ACCESS));

  private static final Refusals MISTRAL =
      Refusals.COMMON.after(new Rule(says("service tier capacity exceeded"), Meaning.OVERLOADED));

  private static final Refusals DEEPSEEK =
      Refusals.COMMON.after(
          new Rule(status(400).and(says("content exists risk")), Meaning.AGAINST_POLICY));

  private static final Refusals XAI =
      Refusals.COMMON.after(
          new Rule(
              status(402, 403, 429)
                  .and(
                      says(
                          "used all available credits",
                          "run out of credits",
                          "spending limit",
                          "doesn't have any credits")),
              Meaning.ACCOUNT_SPENT),
          new Rule(status(400, 403).and(says("incorrect api key")), Meaning.NO_ACCESS),
          new Rule(status(400, 404).and(says("does not exist or your team")), Meaning.NO_MODEL));

  private static final Refusals FIREWORKS =
      Refusals.COMMON.after(
          new Rule(status(412).and(says("suspended", "spending limit")), Meaning.ACCOUNT_SPENT));

  private static final Refusals OPENROUTER =
      Refusals.COMMON.after(
          // What is in flight may cost more than the balance; one less, and it does not.
          new Rule(
              status(402).and(limitSource("openrouter_in_flight_budget")),
              Meaning.TOO_MANY_AT_ONCE),
          new Rule(limitSource("openrouter_free_tier_daily"), Meaning.MODEL_SPENT),
          new Rule(
              status(403)
                  .and(
                      says("flagged", "moderation", "guardrail")
                          .or(
                              refusal ->
                                  refusal.error().json().at("metadata", "reasons").isList())),
              Meaning.AGAINST_POLICY),
          // Other requests to the same model may well find a provider.
          new Rule(
              status(404).and(says("no endpoints found that support")), Meaning.INVALID_REQUEST));

  /** All of them. */
  static final List<Preset> ALL =
      List.of(
          local("vllm", "vLLM", "http://localhost:8000/v1", Traits.COMPATIBLE.withThoughts()),
          local("sglang", "SGLang", "http://localhost:30000/v1", Traits.COMPATIBLE.withThoughts()),
          local(
              "llama-cpp",
              "llama.cpp server",
              "http://localhost:8080/v1",
              Traits.COMPATIBLE.withThoughts()),
          local("lm-studio", "LM Studio", "http://localhost:1234/v1", Traits.COMPATIBLE),
          local("ollama", "Ollama", "http://localhost:11434/v1", Traits.COMPATIBLE),
          hosted(
              "openrouter",
              "OpenRouter",
              "https://openrouter.ai/api/v1",
              HOSTED.with(OPENROUTER).withReasoningObject().withThoughts()),
          hosted("together", "Together", "https://api.together.xyz/v1", HOSTED),
          hosted(
              "groq",
              "Groq",
              "https://api.groq.com/openai/v1",
              HOSTED.with(GROQ).withMaxTokens("max_completion_tokens")),
          // Refuses every field that it does not know.
          hosted(
              "mistral",
              "Mistral",
              "https://api.mistral.ai/v1",
              HOSTED.with(MISTRAL).withSeed("random_seed").withUsageUnasked()),
          hosted(
              "deepseek",
              "DeepSeek",
              "https://api.deepseek.com",
              HOSTED.with(DEEPSEEK).withThoughts()),
          hosted(
              "xai",
              "xAI",
              "https://api.x.ai/v1",
              HOSTED.with(XAI).withMaxTokens("max_completion_tokens")),
          hosted(
              "fireworks",
              "Fireworks",
              "https://api.fireworks.ai/inference/v1",
              HOSTED.with(FIREWORKS)),
          hosted(
              "perplexity", "Perplexity", "https://api.perplexity.ai", HOSTED.withUsageUnasked()));

  /** A preset by its name, or by the name of its models. */
  static Optional<Preset> named(String name) {
    String known = name.equals("grok") ? "xai" : name;
    return ALL.stream().filter(preset -> preset.name.equals(known)).findFirst();
  }

  /** A server that nothing is known of. */
  static Preset unknown(String name) {
    return hosted(name, name, "", Traits.COMPATIBLE);
  }

  /** Such as {@code LM_STUDIO_API_KEY}. */
  String keyVariable() {
    return variable("API_KEY");
  }

  /** Such as {@code LM_STUDIO_BASE_URL}. */
  String urlVariable() {
    return variable("BASE_URL");
  }

  private String variable(String end) {
    return name.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "_") + "_" + end;
  }

  private static Preset local(String name, String label, String usual, Traits traits) {
    return new Preset(name, label, usual, false, traits);
  }

  private static Preset hosted(String name, String label, String usual, Traits traits) {
    return new Preset(name, label, usual, true, traits);
  }

  private static Predicate<Refusal> limitSource(String word) {
    return refusal ->
        refusal.error().json().text("metadata", "limit_source").orElse("").equals(word);
  }
}
