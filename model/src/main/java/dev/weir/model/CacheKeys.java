package dev.weir.model;

import dev.weir.model.cache.CacheKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Keys of cached answers: a hash of all that shapes an answer, written as JSON in a fixed order.
 *
 * <p>Whoever is asked, where, what, with which settings, and for which repetition; and what else an
 * adapter says that shapes its answers. Not: credential, deadline, target and limits, which do not
 * change what a provider answers.
 *
 * <p>The form must not change from one version of Weir to the next, or every cache is lost. What is
 * added later must be left out of the JSON where it is absent.
 */
final class CacheKeys {

  /** To be changed only if old answers must not be found any more. */
  private static final int SCHEMA = 1;

  /** Arguments of models that say how an answer travels, and not what is answered. */
  private static final Set<String> WITHOUT_SHAPE = Set.of("stream");

  // Escaped, so that no text is too odd to be written, and none is written like another one.
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  private final ModelName model;
  private final String endpoint;
  private final Map<String, String> arguments;
  private final Function<Request, String> shape;

  /** Of a model whose answers nothing else shapes. */
  CacheKeys(ModelName model, String endpoint, Map<String, String> arguments) {
    this(model, endpoint, arguments, _ -> "");
  }

  /**
   * @param arguments of the model; those that shape no answer are left out
   * @param shape see {@link Adapter#shape}
   */
  CacheKeys(
      ModelName model,
      String endpoint,
      Map<String, String> arguments,
      Function<Request, String> shape) {
    this.model = model;
    this.endpoint = endpoint;
    this.arguments = new TreeMap<>(arguments);
    this.arguments.keySet().removeAll(WITHOUT_SHAPE);
    this.shape = shape;
  }

  CacheKey of(Request request) {
    return CacheKey.of(JSON.writeValueAsBytes(document(request)));
  }

  private Map<String, Object> document(Request request) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("schema", SCHEMA);
    document.put("model", model.toString());
    document.put("endpoint", endpoint);
    if (!arguments.isEmpty()) {
      document.put("arguments", arguments);
    }
    String more = shape.apply(request);
    if (!more.isEmpty()) {
      document.put("shape", more);
    }
    document.put("epoch", request.epoch());
    document.put("messages", request.messages().stream().map(CacheKeys::message).toList());
    if (!request.tools().isEmpty()) {
      document.put("tools", request.tools().stream().map(CacheKeys::tool).toList());
      document.put("tool_choice", choice(request.toolChoice()));
    }
    document.put("settings", settings(request.settings()));
    return document;
  }

  private static Map<String, Object> message(Message message) {
    Map<String, Object> json = new LinkedHashMap<>();
    switch (message) {
      case Message.Instructions(String text) -> {
        json.put("role", "system");
        json.put("text", text);
      }
      case Message.User(List<Content> content) -> {
        json.put("role", "user");
        json.put("content", content.stream().map(CacheKeys::content).toList());
      }
      case Message.Assistant said -> {
        json.put("role", "assistant");
        json.putAll(ReplyCodec.message(said));
      }
      case Message.ToolResult(String callId, String tool, String text, boolean failed, _) -> {
        json.put("role", "tool");
        json.put("call", callId);
        json.put("tool", tool);
        json.put("text", text);
        json.put("failed", failed);
      }
    }
    return json;
  }

  private static Map<String, Object> content(Content content) {
    return switch (content) {
      case Content.Text(String text) -> Map.of("text", text);
      case Content.Image(String url) -> Map.of("image", url);
    };
  }

  private static List<String> tool(Tool tool) {
    return List.of(tool.name(), tool.description(), tool.parameters());
  }

  private static List<String> choice(ToolChoice choice) {
    return switch (choice) {
      case ToolChoice.Auto _ -> List.of("auto");
      case ToolChoice.None _ -> List.of("none");
      case ToolChoice.Required _ -> List.of("required");
      case ToolChoice.Named(String tool) -> List.of("named", tool);
    };
  }

  private static Map<String, Object> settings(GenerationSettings settings) {
    Map<String, Object> json = new LinkedHashMap<>();
    // As text: how a number is written must not depend on a library.
    settings.temperature().ifPresent(value -> json.put("temperature", Double.toString(value)));
    settings.topP().ifPresent(value -> json.put("top_p", Double.toString(value)));
    settings.maxTokens().ifPresent(value -> json.put("max_tokens", value));
    settings.seed().ifPresent(value -> json.put("seed", value));
    if (!settings.stop().isEmpty()) {
      json.put("stop", new ArrayList<>(settings.stop()));
    }
    Optional<ResponseSchema> schema = settings.responseSchema();
    if (schema.isPresent()) {
      ResponseSchema form = schema.get();
      json.put("schema", List.of(form.name(), form.schema(), form.strict()));
    }
    settings.reasoningEffort().ifPresent(effort -> json.put("effort", effort.name()));
    if (!settings.extraBody().isEmpty()) {
      json.put("body", settings.extraBody());
    }
    return json;
  }
}
