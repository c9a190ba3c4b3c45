package dev.weir.providers.anthropic;

import dev.weir.model.Content;
import dev.weir.model.GenerationSettings;
import dev.weir.model.Message;
import dev.weir.model.ReasoningEffort;
import dev.weir.model.Request;
import dev.weir.model.ResponseSchema;
import dev.weir.model.Tool;
import dev.weir.model.ToolCall;
import dev.weir.model.ToolChoice;
import dev.weir.providers.http.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/**
 * The body of a request.
 *
 * <p>The API wants {@code max_tokens} always, and thoughts count against it. Where the user leaves
 * it open, a model that thinks as it likes gets {@value #MAX_TOKENS_WITH_THOUGHTS}, twice that if
 * it is to think hard; an older one gets {@value #MAX_TOKENS} and what it is told to think on top.
 * More would be reserved from the limit on output tokens for nothing.
 *
 * <p>A reasoning effort becomes {@code thinking: adaptive} with an effort, and for models before
 * 4.6 a budget of tokens. The API has no seed.
 */
final class MessagesRequest {

  private static final int MAX_TOKENS = 4_096;
  private static final int MAX_TOKENS_WITH_THOUGHTS = 16_384;

  /** The API takes no smaller one. */
  private static final int SMALLEST_BUDGET = 1_024;

  private final String model;
  private final ClaudeModel claude;

  MessagesRequest(String model, ClaudeModel claude) {
    this.model = model;
    this.claude = claude;
  }

  byte[] body(Request request, boolean stream) {
    GenerationSettings settings = request.settings();
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("model", model);
    body.put("max_tokens", maxTokens(settings));
    String system = system(request.messages());
    if (!system.isEmpty()) {
      body.put("system", system);
    }
    body.put("messages", messages(request.messages()));
    if (!request.tools().isEmpty()) {
      body.put("tools", request.tools().stream().map(MessagesRequest::tool).toList());
      body.put("tool_choice", toolChoice(request.toolChoice()));
    }
    settings.temperature().ifPresent(value -> body.put("temperature", value));
    settings.topP().ifPresent(value -> body.put("top_p", value));
    if (!settings.stop().isEmpty()) {
      body.put("stop_sequences", settings.stop());
    }
    settings
        .reasoningEffort()
        .map(effort -> thinking(effort, settings.maxTokens()))
        .filter(thinking -> !thinking.isEmpty())
        .ifPresent(thinking -> body.put("thinking", thinking));
    Map<String, Object> output =
        outputConfig(settings.reasoningEffort(), settings.responseSchema());
    if (!output.isEmpty()) {
      body.put("output_config", output);
    }
    if (stream) {
      body.put("stream", true);
    }
    settings.extraBody().forEach((name, json) -> body.put(name, Json.embed(json)));
    return Json.write(body);
  }

  /** What is sent as {@code max_tokens}, which the API demands. */
  int maxTokens(GenerationSettings settings) {
    return settings.maxTokens().orElseGet(() -> maxTokens(settings.reasoningEffort()));
  }

  private int maxTokens(Optional<ReasoningEffort> effort) {
    if (!claude.thinksAsItLikes()) {
      return MAX_TOKENS + effort.map(MessagesRequest::budget).orElse(0);
    }
    boolean hard = effort.filter(it -> it.compareTo(ReasoningEffort.HIGH) >= 0).isPresent();
    return hard ? 2 * MAX_TOKENS_WITH_THOUGHTS : MAX_TOKENS_WITH_THOUGHTS;
  }

  /** Nothing if there is no room to think. */
  private Map<String, Object> thinking(ReasoningEffort effort, OptionalInt maxTokens) {
    if (effort == ReasoningEffort.NONE) {
      return Map.of("type", "disabled");
    }
    if (claude.thinksAsItLikes()) {
      return Map.of("type", "adaptive");
    }
    int budget = budget(effort);
    if (maxTokens.isPresent()) {
      if (maxTokens.getAsInt() <= SMALLEST_BUDGET) {
        return Map.of();
      }
      // It must be smaller than max_tokens, and something must be left to answer with.
      budget = Math.max(SMALLEST_BUDGET, Math.min(budget, maxTokens.getAsInt() / 4 * 3));
    }
    Map<String, Object> thinking = new LinkedHashMap<>();
    thinking.put("type", "enabled");
    thinking.put("budget_tokens", budget);
    return thinking;
  }

  private static int budget(ReasoningEffort effort) {
    return switch (effort) {
      case NONE -> 0;
      case MINIMAL -> SMALLEST_BUDGET;
      case LOW -> 2_048;
      case MEDIUM -> 8_192;
      case HIGH -> 16_384;
      case XHIGH -> 24_576;
    };
  }

  private Map<String, Object> outputConfig(
      Optional<ReasoningEffort> effort, Optional<ResponseSchema> schema) {
    Map<String, Object> config = new LinkedHashMap<>();
    if (claude.thinksAsItLikes()) {
      effort.flatMap(this::effortWord).ifPresent(word -> config.put("effort", word));
    }
    schema.ifPresent(
        wanted -> {
          Map<String, Object> format = new LinkedHashMap<>();
          format.put("type", "json_schema");
          format.put("schema", Json.embed(wanted.schema()));
          config.put("format", format);
        });
    return config;
  }

  private Optional<String> effortWord(ReasoningEffort effort) {
    return switch (effort) {
      case NONE -> Optional.empty();
      case MINIMAL, LOW -> Optional.of("low");
      case MEDIUM -> Optional.of("medium");
      case HIGH -> Optional.of("high");
      case XHIGH -> Optional.of(claude.knowsXhigh() ? "xhigh" : "max");
    };
  }

  /** The API knows instructions only before the conversation. */
  private static String system(List<Message> messages) {
    return messages.stream()
        .filter(Message.Instructions.class::isInstance)
        .map(Message::text)
        .filter(text -> !text.isBlank())
        .collect(Collectors.joining("\n\n"));
  }

  private static List<Map<String, Object>> messages(List<Message> messages) {
    List<Map<String, Object>> turns = new ArrayList<>();
    List<Object> results = new ArrayList<>();
    for (Message message : messages) {
      if (!(message instanceof Message.ToolResult)) {
        addTurn("user", List.copyOf(results), turns);
        results.clear();
      }
      switch (message) {
        case Message.Instructions _ -> {}
        case Message.User user ->
            addTurn("user", user.content().stream().map(MessagesRequest::part).toList(), turns);
        case Message.Assistant assistant -> addTurn("assistant", assistant(assistant), turns);
        // The results of one turn belong into one message, or the API misses some of them.
        case Message.ToolResult result -> results.add(toolResult(result));
      }
    }
    addTurn("user", List.copyOf(results), turns);
    return turns;
  }

  /** Empty turns are refused; nobody misses them. */
  private static void addTurn(String role, Object content, List<Map<String, Object>> turns) {
    if (content instanceof List<?> blocks && blocks.isEmpty()) {
      return;
    }
    Map<String, Object> turn = new LinkedHashMap<>();
    turn.put("role", role);
    turn.put("content", content);
    turns.add(turn);
  }

  private static Object assistant(Message.Assistant message) {
    Json own = Blocks.ownContent(message);
    if (own.isPresent()) {
      return own.embedded();
    }
    List<Object> blocks = new ArrayList<>();
    if (!message.text().isBlank()) {
      blocks.add(text(message.text()));
    }
    message.toolCalls().forEach(call -> blocks.add(toolUse(call)));
    return blocks;
  }

  private static Map<String, Object> toolUse(ToolCall call) {
    return Blocks.toolUse(call.id(), call.name(), Blocks.input(call.arguments()));
  }

  private static Map<String, Object> toolResult(Message.ToolResult result) {
    Map<String, Object> block = typed("tool_result");
    block.put("tool_use_id", result.callId());
    block.put("content", result.text());
    if (result.failed()) {
      block.put("is_error", true);
    }
    return block;
  }

  private static Map<String, Object> part(Content content) {
    return switch (content) {
      case Content.Text(String text) -> text(text);
      case Content.Image image -> image(image);
    };
  }

  private static Map<String, Object> text(String text) {
    Map<String, Object> block = typed("text");
    block.put("text", text);
    return block;
  }

  private static Map<String, Object> image(Content.Image image) {
    Map<String, Object> source;
    if (image.isData()) {
      source = typed("base64");
      source.put("media_type", image.mediaType());
      source.put("data", image.base64());
    } else {
      source = typed("url");
      source.put("url", image.url());
    }
    Map<String, Object> block = typed("image");
    block.put("source", source);
    return block;
  }

  private static Map<String, Object> tool(Tool tool) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("name", tool.name());
    document.put("description", tool.description());
    document.put("input_schema", Json.embed(tool.parameters()));
    return document;
  }

  private static Map<String, Object> toolChoice(ToolChoice choice) {
    return switch (choice) {
      case ToolChoice.Auto _ -> typed("auto");
      case ToolChoice.None _ -> typed("none");
      case ToolChoice.Required _ -> typed("any");
      case ToolChoice.Named(String tool) -> {
        Map<String, Object> named = typed("tool");
        named.put("name", tool);
        yield named;
      }
    };
  }

  private static Map<String, Object> typed(String type) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("type", type);
    return document;
  }
}
