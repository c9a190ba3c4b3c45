package dev.weir.providers.custom;

import dev.weir.model.ConfigurationException;
import dev.weir.model.Secret;
import dev.weir.model.spi.Surroundings;
import dev.weir.providers.http.BaseUrl;
import dev.weir.providers.http.ConfigFile.Value;
import dev.weir.providers.http.NamedCredentials;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A server as a file describes it.
 *
 * <pre>
 *   url: https://models.example/v1/chat           or a path below --model-base-url: /v1/chat
 *   headers: {authorization: "Bearer ${MY_KEY}"}   from the environment, never shown
 *   model: small                                  what {{model}} stands for; also -M model=small
 *   body:                                         see {@link BodyTemplate}
 *     model: "{{model}}"
 *     messages: "{{messages}}"
 *     max_tokens: "{{max_tokens}}"
 *   response:                                     see {@link JsonPath}
 *     text: $.choices[0].message.content
 *     tool_calls: $.choices[0].message.tool_calls
 *     stop_reason: $.choices[0].finish_reason
 *     error: $.error                              is one if it is there, in spite of status 200
 *     usage: {input: $.usage.prompt_tokens, output: $.usage.completion_tokens}
 * </pre>
 *
 * <p>Only {@code url}, {@code body} and {@code response.text} must be there. Requests are POSTs.
 *
 * @param headers hold the credential
 * @param model what the server is told to use
 */
record HttpTemplate(
    URI uri,
    Map<String, String> headers,
    String model,
    BodyTemplate body,
    JsonPath text,
    Optional<JsonPath> toolCalls,
    Optional<JsonPath> stopReason,
    Optional<JsonPath> error,
    Optional<JsonPath> inputTokens,
    Optional<JsonPath> outputTokens) {

  private static final String HEADER_NAME = "[A-Za-z0-9!#$%&'*+.^_`|~-]+";

  /**
   * @param name what the server is told to use if nobody says
   */
  static HttpTemplate read(
      Value root,
      String name,
      Optional<String> model,
      Variables variables,
      Surroundings surroundings) {
    Map<String, Value> entries =
        root.mapping("the file", List.of("url", "method", "headers", "model", "body", "response"));
    requirePost(entries);
    Value response = required(root, entries, "response");
    Map<String, Value> paths =
        response.mapping(
            "`response`", List.of("text", "tool_calls", "stop_reason", "error", "usage"));
    Map<String, Value> usage =
        paths.containsKey("usage")
            ? required(response, paths, "usage").mapping("`usage`", List.of("input", "output"))
            : Map.of();
    return new HttpTemplate(
        uri(required(root, entries, "url"), surroundings),
        headers(entries, variables),
        model.or(() -> optional(entries, "model").map(value -> value.text("`model`"))).orElse(name),
        BodyTemplate.of(required(root, entries, "body")),
        JsonPath.of(required(response, paths, "text"), "`text`"),
        path(paths, "tool_calls"),
        path(paths, "stop_reason"),
        path(paths, "error"),
        path(usage, "input"),
        path(usage, "output"));
  }

  /** Whether the server is told of tools, and its calls of them are read. */
  boolean takesTools() {
    return body.offersTools() && toolCalls.isPresent();
  }

  /** Those that stand in the file itself, though they had better not. */
  Secret credentials() {
    return Secret.all(
        List.of(
            NamedCredentials.in(headers),
            NamedCredentials.inFields(body.constants()),
            NamedCredentials.inQuery(Optional.ofNullable(uri.getRawQuery()).orElse(""))));
  }

  private static void requirePost(Map<String, Value> entries) {
    Value method = entries.get("method");
    if (method != null && !method.text("`method`").equals("POST")) {
      throw method.problem(
          "`method` must be POST, the only one there is, was '%s'"
              .formatted(method.text("`method`")));
    }
  }

  private static Map<String, String> headers(Map<String, Value> entries, Variables variables) {
    Value headers = entries.get("headers");
    if (headers == null) {
      return Map.of();
    }
    Map<String, String> filled = variables.fill(headers, "`headers`");
    filled.forEach(
        (name, value) -> {
          // A line break would begin a header of its own.
          if (!name.matches(HEADER_NAME) || value.chars().anyMatch(c -> c < ' ' || c > '~')) {
            throw headers.problem(
                "the header '%s' must be printable ASCII in one line".formatted(name));
          }
        });
    return filled;
  }

  private static URI uri(Value value, Surroundings surroundings) {
    String text = value.text("`url`");
    Variables.refuseIn(value, text);
    Optional<URI> base = surroundings.baseUrl();
    if (base.isPresent() && !text.startsWith("/")) {
      throw value.problem(
          "`url` is a whole address, so --model-base-url has no place; make it a path such as /v1");
    }
    if (base.isEmpty() && text.startsWith("/")) {
      throw value.problem("`url` is a path: give --model-base-url, or a whole address");
    }
    String whole = base.map(uri -> uri.toString().replaceAll("/+$", "")).orElse("") + text;
    try {
      var uri = new URI(whole);
      if (BaseUrl.isServer(uri)) {
        return uri;
      }
    } catch (URISyntaxException malformed) {
      // Reported below, like an address without a host.
    }
    throw value.problem(
        "`url` must be an address such as http://127.0.0.1:8080/v1/chat, was '%s'"
            .formatted(BaseUrl.withoutCredentials(whole)));
  }

  private static Optional<JsonPath> path(Map<String, Value> entries, String key) {
    return optional(entries, key).map(value -> JsonPath.of(value, "`" + key + "`"));
  }

  private static Optional<Value> optional(Map<String, Value> entries, String key) {
    return Optional.ofNullable(entries.get(key));
  }

  private static Value required(Value place, Map<String, Value> entries, String key)
      throws ConfigurationException {
    return optional(entries, key)
        .orElseThrow(() -> place.problem("`%s` is missing".formatted(key)));
  }

  /** Headers hold the credential. */
  @Override
  public String toString() {
    return "HttpTemplate[%s, %s]".formatted(uri, model);
  }
}
