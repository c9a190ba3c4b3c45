package dev.weir.log;

import dev.weir.log.SampleResult.LogMessage;
import dev.weir.log.SampleResult.LogToolCall;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** What the parts of Inspect's logs mean. What is not there, or is something else, is nothing. */
final class InspectNodes {

  private InspectNodes() {}

  /** Inspect's letters: correct, incorrect, partly, no answer. */
  static Optional<Double> number(JsonNode value) {
    if (value.isNumber()) {
      return Optional.of(value.asDouble());
    }
    if (value.isBoolean()) {
      return Optional.of(value.asBoolean() ? 1.0 : 0.0);
    }
    return switch (value.asString("")) {
      case "C", "true", "yes" -> Optional.of(1.0);
      case "P" -> Optional.of(0.5);
      case "I", "N", "false", "no" -> Optional.of(0.0);
      default -> parsed(value.asString(""));
    };
  }

  private static Optional<Double> parsed(String word) {
    try {
      return Optional.of(Double.parseDouble(word));
    } catch (NumberFormatException notOne) {
      return Optional.empty();
    }
  }

  static Tokens usage(JsonNode used) {
    long read = used.path("input_tokens_cache_read").asLong(0);
    long written = used.path("input_tokens_cache_write").asLong(0);
    return new Tokens(
        used.path("input_tokens").asLong(0) + read + written,
        used.path("output_tokens").asLong(0),
        read,
        written,
        used.path("reasoning_tokens").asLong(0));
  }

  static Cost cost(JsonNode used) {
    JsonNode total = used.path("total_cost");
    return total.isNumber()
        ? new Cost(Optional.of(total.decimalValue()), total.decimalValue(), 1, 0)
        : new Cost(Optional.empty(), BigDecimal.ZERO, 0, 1);
  }

  // Weir's own numbers: those that are 0 are left out.

  static Tokens ownTokens(JsonNode tokens) {
    return new Tokens(
        tokens.path("input").asLong(0),
        tokens.path("output").asLong(0),
        tokens.path("cache_read").asLong(0),
        tokens.path("cache_write").asLong(0),
        tokens.path("reasoning").asLong(0));
  }

  static Cost ownCost(JsonNode cost) {
    Optional<BigDecimal> usd = decimal(cost.path("usd"));
    return new Cost(
        usd,
        decimal(cost.path("known_usd")).or(() -> usd).orElse(BigDecimal.ZERO),
        cost.path("priced_calls").asLong(0),
        cost.path("unknown_calls").asLong(0));
  }

  private static Optional<BigDecimal> decimal(JsonNode number) {
    return number.isNumber() ? Optional.of(number.decimalValue()) : Optional.empty();
  }

  static Times ownTimes(JsonNode times) {
    return new Times(
        times.path("queued").asDouble(0),
        times.path("paced").asDouble(0),
        times.path("backed_off").asDouble(0),
        times.path("failed").asDouble(0),
        times.path("called").asDouble(0),
        times.path("shared").asDouble(0),
        times.path("working").asDouble(0),
        times.path("total").asDouble(0));
  }

  static LogMessage message(JsonNode message) {
    List<LogToolCall> calls = new ArrayList<>();
    message
        .path("tool_calls")
        .forEach(
            call ->
                calls.add(
                    new LogToolCall(
                        call.path("id").asString(""),
                        call.path("function").asString(""),
                        arguments(call))));
    return new LogMessage(
        message.path("role").asString(""),
        content(message.path("content")),
        calls,
        message.path("role").asString("").equals("tool")
            ? text(message.path("tool_call_id"))
            : Optional.empty(),
        text(message.path("function")),
        message.path("error").isObject(),
        isTimeout(message));
  }

  /** Whether the tool of a message or an event took too long. */
  static boolean isTimeout(JsonNode node) {
    return node.path("error").path("type").asString("").equals(InspectParts.TIMEOUT);
  }

  private static String arguments(JsonNode call) {
    String error = call.path("parse_error").asString("");
    return error.startsWith(InspectParts.NOT_AN_OBJECT)
        ? error.substring(InspectParts.NOT_AN_OBJECT.length())
        : call.path("arguments").toString();
  }

  /** The text of it; pictures and sounds are told in brackets. */
  static String content(JsonNode content) {
    if (!content.isArray()) {
      return content.isValueNode() ? content.asString("") : content.toString();
    }
    List<String> parts = new ArrayList<>();
    for (JsonNode part : content) {
      String type = part.path("type").asString("");
      switch (type) {
        case "text" -> parts.add(part.path("text").asString(""));
        case "reasoning" -> {
          // What it thought is not what it said.
        }
        default -> parts.add("[" + type + "]");
      }
    }
    return String.join("\n", parts);
  }

  static Optional<String> text(JsonNode node) {
    return node.isString() ? Optional.of(node.asString()) : Optional.empty();
  }

  static List<String> texts(JsonNode node) {
    if (node.isMissingNode() || node.isNull()) {
      return List.of();
    }
    if (!node.isArray()) {
      return List.of(node.asString(""));
    }
    List<String> texts = new ArrayList<>();
    node.forEach(text -> texts.add(text.asString("")));
    return texts;
  }

  static Map<String, Object> map(JsonNode node) {
    Map<String, Object> map = new LinkedHashMap<>();
    node.properties()
        .forEach(
            entry -> {
              Object value = value(entry.getValue());
              if (value != null) {
                map.put(entry.getKey(), value);
              }
            });
    return map;
  }

  static @Nullable Object value(JsonNode node) {
    return node.isMissingNode() || node.isNull()
        ? null
        : LogJson.LINES.treeToValue(node, Object.class);
  }

  static Instant instant(JsonNode node) {
    try {
      return OffsetDateTime.parse(node.asString("")).toInstant();
    } catch (DateTimeParseException untold) {
      return Instant.EPOCH;
    }
  }
}
