package dev.weir.log;

import dev.weir.log.SampleResult.LogMessage;
import dev.weir.log.SampleResult.LogToolCall;
import dev.weir.log.SampleResult.ScoreResult;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The parts that samples and headers of Inspect's logs share, as Weir writes them. What Inspect has
 * no field for stands under {@link #WEIR}, so that nothing is lost on the way back.
 */
final class InspectJson {

  /** Whose fields they are that stand under it. */
  static final String WEIR = "weir";

  private static final Set<String> STOP_REASONS =
      Set.of("stop", "max_tokens", "model_length", "tool_calls", "content_filter");

  // With an offset, as its readers want it.
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSSxxx", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private InspectJson() {}

  static ObjectNode object() {
    return LogJson.LINES.createObjectNode();
  }

  static String time(Instant instant) {
    return TIME.format(instant);
  }

  static JsonNode tree(Object value) {
    return LogJson.LINES.valueToTree(value);
  }

  static ArrayNode texts(List<String> texts) {
    ArrayNode array = LogJson.LINES.createArrayNode();
    texts.forEach(array::add);
    return array;
  }

  /** One text, or all of them. */
  static JsonNode target(List<String> targets) {
    return targets.size() == 1
        ? LogJson.LINES.getNodeFactory().stringNode(targets.getFirst())
        : targets.isEmpty() ? LogJson.LINES.getNodeFactory().stringNode("") : texts(targets);
  }

  static ObjectNode message(LogMessage message) {
    ObjectNode json = object();
    json.put("role", message.role());
    json.put("content", message.content());
    switch (message.role()) {
      case "assistant" -> {
        json.put("source", "generate");
        if (!message.toolCalls().isEmpty()) {
          ArrayNode calls = json.putArray("tool_calls");
          message.toolCalls().forEach(call -> calls.add(toolCall(call)));
        }
      }
      case "tool" -> {
        message.toolCallId().ifPresent(id -> json.put("tool_call_id", id));
        message.tool().ifPresent(tool -> json.put("function", tool));
        if (message.failed()) {
          json.set("error", toolError(message.content()));
        }
      }
      case "user" -> json.put("source", "input");
      default -> {
        // Nothing more is known of it.
      }
    }
    return json;
  }

  private static ObjectNode toolCall(LogToolCall call) {
    ObjectNode json = object();
    json.put("id", call.id());
    json.put("function", call.name());
    json.put("type", "function");
    JsonNode arguments = arguments(call.arguments());
    json.set("arguments", arguments);
    if (arguments.isEmpty() && !call.arguments().isBlank() && !call.arguments().equals("{}")) {
      json.put("parse_error", "not a JSON object: " + call.arguments());
    }
    return json;
  }

  /** What the model wrote, if it is an object. */
  static ObjectNode arguments(String text) {
    try {
      return !text.isBlank() && LogJson.LINES.readTree(text) instanceof ObjectNode arguments
          ? arguments
          : object();
    } catch (JacksonException malformed) {
      return object();
    }
  }

  static ObjectNode toolError(String message) {
    return object().put("type", "unknown").put("message", message);
  }

  static ObjectNode error(String message) {
    return object()
        .put("message", message)
        .put("traceback", message)
        .put("traceback_ansi", message);
  }

  static ObjectNode score(ScoreResult score) {
    ObjectNode json = object();
    json.put("value", score.value());
    score.answer().ifPresent(answer -> json.put("answer", answer));
    score.explanation().ifPresent(explanation -> json.put("explanation", explanation));
    if (!score.metadata().isEmpty()) {
      json.set("metadata", tree(score.metadata()));
    }
    json.putArray("history");
    return json;
  }

  /** Inspect counts what came from a cache, or went there, apart from the other input. */
  static ObjectNode usage(Tokens tokens, Cost cost) {
    ObjectNode json = object();
    json.put(
        "input_tokens", Math.max(0, tokens.input() - tokens.cacheRead() - tokens.cacheWrite()));
    json.put("output_tokens", tokens.output());
    json.put("total_tokens", tokens.input() + tokens.output());
    if (tokens.cacheRead() > 0) {
      json.put("input_tokens_cache_read", tokens.cacheRead());
    }
    if (tokens.cacheWrite() > 0) {
      json.put("input_tokens_cache_write", tokens.cacheWrite());
    }
    if (tokens.reasoning() > 0) {
      json.put("reasoning_tokens", tokens.reasoning());
    }
    cost.usd().filter(_ -> cost.pricedCalls() > 0).ifPresent(usd -> json.put("total_cost", usd));
    return json;
  }

  static String stopReason(String reason) {
    return STOP_REASONS.contains(reason) ? reason : "unknown";
  }
}
