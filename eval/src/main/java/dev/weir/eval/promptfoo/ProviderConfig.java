package dev.weir.eval.promptfoo;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** The {@code config} of a provider: options, arguments and fields of requests. Not thread-safe. */
final class ProviderConfig {

  /** By promptfoo's names, of which each vendor has its own. */
  private static final Map<String, String> OPTIONS =
      Map.ofEntries(
          Map.entry("temperature", "temperature"),
          Map.entry("top_p", "top-p"),
          Map.entry("topP", "top-p"),
          Map.entry("max_tokens", "max-tokens"),
          Map.entry("maxTokens", "max-tokens"),
          Map.entry("max_completion_tokens", "max-tokens"),
          Map.entry("max_output_tokens", "max-tokens"),
          Map.entry("maxOutputTokens", "max-tokens"),
          Map.entry("num_predict", "max-tokens"),
          Map.entry("max_new_tokens", "max-tokens"),
          Map.entry("max_gen_len", "max-tokens"),
          Map.entry("reasoning_effort", "reasoning-effort"),
          Map.entry("effort", "reasoning-effort"),
          Map.entry("maxRetries", "max-retries"));

  /** What goes into the body of a request as it is. */
  private static final List<String> FIELDS =
      List.of(
          "frequency_penalty",
          "presence_penalty",
          "repetition_penalty",
          "top_k",
          "min_p",
          "logit_bias",
          "logprobs",
          "top_logprobs",
          "parallel_tool_calls",
          "verbosity",
          "thinking",
          "user",
          "store",
          "metadata",
          "include",
          "include_reasoning",
          "max_tool_calls",
          "previous_response_id",
          "prompt_cache_key",
          "prompt_cache_retention",
          "reasoning_format",
          "return_images",
          "return_related_questions",
          "safe_prompt",
          "search_after_date_filter",
          "search_before_date_filter",
          "search_domain_filter",
          "search_recency_filter",
          "truncation",
          "web_search_options");

  /** Where vendors keep options of their own. */
  private static final List<String> NESTED =
      List.of("generationConfig", "inferenceConfig", "interfaceConfig");

  private final Section section;
  private final Vendors.Named model;
  private final ConfigFiles files;
  private final Problems problems;
  private final Map<String, String> environment;
  private final Map<String, String> words = new LinkedHashMap<>();
  private final Map<String, Object> fields = new LinkedHashMap<>();
  private final Map<String, String> arguments;
  private final OfferedTools tools;
  private OptionalLong seed = OptionalLong.empty();
  private boolean parsesJson;
  private Optional<String> baseUrl = Optional.empty();

  ProviderConfig(
      Value config,
      Vendors.Named model,
      ConfigFiles files,
      Problems problems,
      Map<String, String> environment) {
    this.section = new Section(config, "the config of a provider", problems);
    this.model = model;
    this.files = files;
    this.problems = problems;
    this.environment = environment;
    this.arguments = new LinkedHashMap<>(model.arguments());
    this.tools = OfferedTools.read(section, files, problems);
    for (String key : NESTED) {
      section.value(key).ifPresent(nested -> nested(key, nested));
    }
    options(section);
    section
        .value("reasoning")
        .flatMap(reasoning -> reasoning.member("effort"))
        .flatMap(Value::text)
        .ifPresent(effort -> words.put("reasoning-effort", effort));
    section
        .value("response_format", "output_format")
        .flatMap(files::dataOf)
        .ifPresent(this::responseFormat);
    schema(section, "responseSchema", files);
    place();
    credentials();
    passedOn();
    model();
    section.ignore(
        "anthropic_version",
        "apiKeyRequired",
        "apiVersion",
        "deploymentName",
        "deployment_id",
        "inferenceModelType",
        "isReasoningModel",
        "modelName",
        "stream",
        "usage_tier");
    section.unsupported("headers", "Weir sends its own");
    for (String price : List.of("cost", "inputCost", "outputCost")) {
      section.unsupported(price, "state prices in a file for --prices, see docs/models.md");
    }
    if (section.flag("showThinking")) {
      section.unsupported("showThinking", "thoughts are never part of the output");
    }
    section.unsupported("mcp", "Weir asks models alone; offer functions in `tools`");
    section.unsupported("functionToolCallbacks", "calls are the output; assert on them");
    section.unsupported("systemInstruction", "write the prompt as messages, with a system message");
    section.unsupported("modalities", "text is what is judged here");
    section.unsupported("thinkingConfig", "give `reasoning_effort`");
    section.finish();
  }

  private void nested(String key, Value given) {
    var nested = new Section(given, "`%s`".formatted(key), problems);
    nested.unsupported("thinkingConfig", "give `reasoning_effort`");
    nested.ignore("response_mime_type", "responseMimeType");
    schema(nested, "response_schema", files);
    schema(nested, "responseSchema", files);
    for (String field : List.of("topK", "top_k")) {
      nested.unsupported(field, "give it in `passthrough`, as the provider wants it");
    }
    options(nested);
  }

  private void schema(Section from, String key, ConfigFiles files) {
    from.value(key)
        .flatMap(files::dataOf)
        .ifPresent(schema -> words.put("response-schema", Json.write(schema.plain())));
  }

  private void options(Section from) {
    OPTIONS.forEach((key, option) -> from.text(key).ifPresent(word -> words.put(option, word)));
    Optional<Value> stop = from.value("stop", "stop_sequences", "stopSequences");
    stop.ifPresent(
        value ->
            words.put(
                "stop-seqs",
                Json.write(
                    value.oneOrMore().stream().flatMap(one -> one.text().stream()).toList())));
    from.whole("seed").ifPresent(given -> seed = OptionalLong.of(given));
    if (from != section) {
      from.finish();
    }
  }

  private void responseFormat(Value format) {
    String type = format.member("type").flatMap(Value::text).orElse("");
    switch (type) {
      case "text", "" -> {}
      case "json_object" -> fields.put("response_format", Map.of("type", "json_object"));
      case "json_schema" -> {
        Value described = format.member("json_schema").orElse(format);
        Optional<Value> schema = described.member("schema");
        if (schema.isEmpty()) {
          problems.add(format.place(), "`response_format` lacks the schema");
          return;
        }
        words.put("response-schema", Json.write(schema.get().plain()));
        parsesJson = true;
      }
      default ->
          problems.add(
              format.place(),
              "`response_format` must be of the type text, json_object or json_schema, was '%s'"
                  .formatted(type));
    }
  }

  private void place() {
    baseUrl =
        section
            .text("apiBaseUrl")
            .or(() -> section.text("baseUrl"))
            .or(
                () ->
                    section
                        .text("apiHost")
                        .map(
                            host ->
                                "https://%s%s"
                                    .formatted(
                                        host,
                                        model.provider().equals("azure") ? "/openai/v1" : "/v1")));
    section.ignore("baseUrl", "apiHost");
    for (String argument : List.of("region", "organization", "project", "location")) {
      section.text(argument).ifPresent(word -> arguments.put(argument, word));
    }
    section.text("projectId").ifPresent(word -> arguments.put("project", word));
    section.text("service_tier").ifPresent(word -> arguments.put("service_tier", word));
  }

  /** Credentials come from the environment alone; one that is there, too, does no harm. */
  private void credentials() {
    List<String> variables = Vendors.credentials(model.provider());
    boolean fits =
        section
            .text("apiKey")
            .map(key -> variables.stream().anyMatch(name -> key.equals(environment.get(name))))
            .orElse(true);
    if (!fits) {
      problems.unsupported(
          section.placeOf("apiKey"),
          "a credential in the configuration",
          "set %s in the environment".formatted(String.join(" or ", variables)));
    }
    section
        .text("apiKeyEnvar")
        .filter(name -> !variables.contains(name))
        .ifPresent(
            name ->
                problems.unsupported(
                    section.placeOf("apiKeyEnvar"),
                    "the variable %s for a credential".formatted(name),
                    "set %s".formatted(String.join(" or ", variables))));
  }

  private void passedOn() {
    if ("responses".equals(arguments.get("api"))) {
      section.text("instructions").ifPresent(text -> fields.put("instructions", text));
    }
    for (String field : FIELDS) {
      section
          .value(field)
          .ifPresent(value -> fields.put(field, java.util.Objects.requireNonNull(value.plain())));
    }
    section
        .value("passthrough", "extra_body")
        .ifPresent(
            passed ->
                passed
                    .entries()
                    .forEach(
                        (name, value) -> {
                          Object plain = value.plain();
                          if (plain != null) {
                            fields.put(name, plain);
                          }
                        }));
    if (!fields.isEmpty()) {
      words.put("extra-body", Json.write(fields));
    }
  }

  /** Arguments that only Weir's own models take. */
  private void model() {
    if (List.of("sim", "mock", "exec", "http").contains(model.provider())) {
      for (String key : section.rest()) {
        section.text(key).ifPresent(word -> arguments.put(key, word));
      }
    }
  }

  Map<String, String> words() {
    return words;
  }

  Map<String, String> arguments() {
    return arguments;
  }

  Optional<String> baseUrl() {
    return baseUrl;
  }

  OptionalLong seed() {
    return seed;
  }

  OfferedTools tools() {
    return tools;
  }

  boolean parsesJson() {
    return parsesJson;
  }
}
