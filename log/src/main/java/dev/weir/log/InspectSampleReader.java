package dev.weir.log;

import dev.weir.log.ModelCall.Span;
import dev.weir.log.SampleResult.LimitHit;
import dev.weir.log.SampleResult.LogMessage;
import dev.weir.log.SampleResult.LogToolCall;
import dev.weir.log.SampleResult.Note;
import dev.weir.log.SampleResult.ScoreResult;
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
import tools.jackson.databind.node.MissingNode;

/**
 * A sample of one of Inspect's logs, whoever wrote it. What Weir wrote comes back as it was; of
 * others, what Weir has a place for.
 */
final class InspectSampleReader {

  private static final String ATTACHMENT = "attachment://";

  private final JsonNode json;
  private final JsonNode own;
  private final List<LogMessage> messages;
  private final List<LogMessage> others = new ArrayList<>();
  // Where messages of calls are counted from: the pool, if the log has one.
  private final boolean isPooled;

  private InspectSampleReader(JsonNode json) {
    this.json = json;
    this.own = own(json);
    this.messages = new ArrayList<>();
    json.path("messages").forEach(message -> messages.add(message(message)));
    this.isPooled = json.path("events_data").path("messages").isArray() && !own.isMissingNode();
    own.path("other_messages")
        .forEach(message -> others.add(LogJson.LINES.treeToValue(message, LogMessage.class)));
  }

  /**
   * @param json with attachments put back in their places
   */
  static SampleResult read(JsonNode json) {
    return new InspectSampleReader(json).read();
  }

  /** Whether Weir wrote it. */
  static boolean isOwn(JsonNode json) {
    return !own(json).isMissingNode();
  }

  /** What a list of samples tells of one. */
  static SampleSummary summary(JsonNode json) {
    var reader = new InspectSampleReader(json);
    JsonNode own = json.path(InspectJson.WEIR);
    Map<String, Double> scores = new LinkedHashMap<>();
    reader.scores().forEach((scorer, score) -> scores.put(scorer, score.value()));
    Optional<String> error = text(json.path("error"));
    boolean cancelled =
        own.isMissingNode() ? isCancellation(error) : own.path("cancelled").asBoolean(false);
    return new SampleSummary(
        json.path("id").asString(""),
        json.path("epoch").asInt(1),
        own.path("content_hash").asString(""),
        own.path("content_hash").isString() ? Asked.NOT_TOLD : reader.asked(),
        scores,
        error.isPresent() && !cancelled,
        cancelled,
        json.path("retries").asInt(0),
        own.path("tokens").isObject() ? ownTokens(own.path("tokens")) : reader.tokens(List.of()),
        own.path("cost").isObject() ? ownCost(own.path("cost")) : Cost.NONE,
        own.path("times").isObject() ? ownTimes(own.path("times")) : reader.times());
  }

  /** A conversation says in many ways what it asks, and what is attached stands elsewhere. */
  private Asked asked() {
    JsonNode input = json.path("input");
    JsonNode target = json.path("target");
    return new Asked(
        input.isString() && !input.asString().startsWith(ATTACHMENT)
            ? Asked.input(input.asString())
            : "",
        target.isString() || target.isArray() ? Asked.targets(texts(target)) : "");
  }

  private static JsonNode own(JsonNode json) {
    for (JsonNode event : json.path("events")) {
      if (event.path("event").asString("").equals("info")
          && event.path("source").asString("").equals(InspectJson.WEIR)) {
        return event.path("data");
      }
    }
    return MissingNode.getInstance();
  }

  private SampleResult read() {
    List<ModelCall> calls = new ArrayList<>();
    List<ToolRun> toolRuns = new ArrayList<>();
    List<Note> notes = new ArrayList<>();
    for (JsonNode event : json.path("events")) {
      switch (event.path("event").asString("")) {
        case "model" -> calls.add(call(event));
        case "tool" -> toolRuns.add(toolRun(event));
        case "info" -> note(event).ifPresent(notes::add);
        default -> {
          // The rest of them tells what the sample tells, too.
        }
      }
    }
    Optional<String> error = text(json.path("error").path("message"));
    boolean cancelled =
        own.isMissingNode() ? isCancellation(error) : own.path("cancelled").asBoolean(false);
    return new SampleResult(
        json.path("id").asString(""),
        json.path("epoch").asInt(1),
        text(own.path("content_hash")).orElse(""),
        instant(json.path("started_at")),
        input(),
        own.path("targets").isArray() ? texts(own.path("targets")) : texts(json.path("target")),
        texts(json.path("choices")),
        map(json.path("metadata")),
        messages,
        others,
        calls,
        toolRuns,
        output(),
        text(own.path("stop_reason"))
            .or(() -> text(json.path("output").path("choices").path(0).path("stop_reason"))),
        map(json.path("store")),
        scores(),
        error.filter(message -> !cancelled || !isOnlyCancelled(message)),
        cancelled,
        errors(),
        limit(),
        own.path("retries").asLong(0),
        texts(own.path("request_ids")),
        tokens(calls),
        cost(calls),
        own.path("cached_answers").asLong(0),
        notes,
        times());
  }

  private boolean isOnlyCancelled(String message) {
    return own.isMissingNode() || message.equals(InspectSampleWriter.CANCELLED);
  }

  /** Others tell a cancellation by what they write into the error. */
  private static boolean isCancellation(Optional<String> error) {
    return error.filter(message -> message.startsWith("CancelledError")).isPresent();
  }

  private String input() {
    JsonNode input = json.path("input");
    if (!input.isArray()) {
      return input.asString("");
    }
    String last = "";
    for (JsonNode message : input) {
      if (message.path("role").asString("").equals("user")) {
        last = content(message.path("content"));
      }
    }
    return last;
  }

  private Optional<String> output() {
    JsonNode choice = json.path("output").path("choices").path(0);
    return choice.isMissingNode()
        ? Optional.empty()
        : Optional.of(content(choice.path("message").path("content")));
  }

  private Map<String, ScoreResult> scores() {
    Map<String, ScoreResult> scores = new LinkedHashMap<>();
    json.path("scores")
        .properties()
        .forEach(
            score ->
                number(score.getValue().path("value"))
                    .ifPresent(
                        value ->
                            scores.put(
                                score.getKey(),
                                new ScoreResult(
                                    value,
                                    text(score.getValue().path("answer")),
                                    text(score.getValue().path("explanation")),
                                    map(score.getValue().path("metadata"))))));
    return scores;
  }

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

  private List<String> errors() {
    List<String> errors = new ArrayList<>();
    json.path("error_retries").forEach(error -> errors.add(error.path("message").asString("")));
    return errors;
  }

  private Optional<LimitHit> limit() {
    if (own.path("limit").isObject()) {
      return Optional.of(LogJson.LINES.treeToValue(own.path("limit"), LimitHit.class));
    }
    JsonNode limit = json.path("limit");
    if (!limit.isObject()) {
      return Optional.empty();
    }
    double value = limit.path("limit").asDouble(0);
    String type = limit.path("type").asString("custom");
    return Optional.of(new LimitHit(type, value, value, type + " limit"));
  }

  private Tokens tokens(List<ModelCall> calls) {
    if (own.path("tokens").isObject()) {
      return ownTokens(own.path("tokens"));
    }
    Tokens sum = Tokens.NONE;
    if (json.path("model_usage").isEmpty()) {
      for (ModelCall call : calls) {
        sum = sum.plus(call.tokens());
      }
      return sum;
    }
    for (JsonNode used : json.path("model_usage")) {
      sum = sum.plus(usage(used));
    }
    return sum;
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

  private Cost cost(List<ModelCall> calls) {
    if (own.path("cost").isObject()) {
      return ownCost(own.path("cost"));
    }
    return calls.stream().map(ModelCall::cost).reduce(Cost.NONE, Cost::plus);
  }

  private static Cost cost(JsonNode used) {
    JsonNode total = used.path("total_cost");
    return total.isNumber()
        ? new Cost(Optional.of(total.decimalValue()), total.decimalValue(), 1, 0)
        : new Cost(Optional.empty(), BigDecimal.ZERO, 0, 1);
  }

  private Times times() {
    if (own.path("times").isObject()) {
      return ownTimes(own.path("times"));
    }
    double total = json.path("total_time").asDouble(0);
    double working = json.path("working_time").asDouble(total);
    return new Times(0, 0, 0, 0, 0, 0, working, total);
  }

  // Weir's own numbers: those that are 0 are left out.

  private static Tokens ownTokens(JsonNode tokens) {
    return new Tokens(
        tokens.path("input").asLong(0),
        tokens.path("output").asLong(0),
        tokens.path("cache_read").asLong(0),
        tokens.path("cache_write").asLong(0),
        tokens.path("reasoning").asLong(0));
  }

  private static Cost ownCost(JsonNode cost) {
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

  private static Times ownTimes(JsonNode times) {
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

  // Events.

  private static Optional<Note> note(JsonNode event) {
    String source = event.path("source").asString("");
    Object data = value(event.path("data"));
    return source.equals(InspectJson.WEIR) || data == null
        ? Optional.empty()
        : Optional.of(new Note(source, data));
  }

  private ModelCall call(JsonNode event) {
    JsonNode weir = event.path("metadata").path(InspectJson.WEIR);
    JsonNode output = event.path("output");
    JsonNode choice = output.path("choices").path(0);
    double total = event.path("working_time").asDouble(output.path("time").asDouble(0));
    return new ModelCall(
        instant(event.path("timestamp")),
        event.path("working_start").asDouble(0),
        event.path("model").asString(""),
        text(event.path("role")).orElse(ModelCall.EVALUATED),
        input(event),
        answer(weir, choice),
        text(choice.path("stop_reason")),
        tools(event.path("tools")),
        usage(output.path("usage")),
        weir.path("cost").isObject() ? ownCost(weir.path("cost")) : cost(output.path("usage")),
        event.path("retries").asLong(0),
        weir.path("times").isObject()
            ? ownTimes(weir.path("times"))
            : new Times(0, 0, 0, 0, total, 0, total, total),
        event.path("cache").asString("").equals("read"),
        text(weir.path("request_id")),
        text(event.path("error")));
  }

  private static List<String> tools(JsonNode tools) {
    List<String> names = new ArrayList<>();
    tools.forEach(tool -> names.add(tool.path("name").asString("")));
    return names;
  }

  private List<Span> input(JsonNode event) {
    List<Span> spans = new ArrayList<>();
    if (isPooled && event.path("input_refs").isArray()) {
      event
          .path("input_refs")
          .forEach(ref -> spans.add(new Span(ref.path(0).asInt(0), ref.path(1).asInt(0))));
      return spans;
    }
    for (JsonNode shown : event.path("input")) {
      int index = index(message(shown));
      if (!spans.isEmpty() && spans.getLast().to() == index) {
        spans.set(spans.size() - 1, new Span(spans.getLast().from(), index + 1));
      } else {
        spans.add(new Span(index, index + 1));
      }
    }
    return spans;
  }

  private Optional<Integer> answer(JsonNode weir, JsonNode choice) {
    if (weir.path("answer").isInt()) {
      return Optional.of(weir.path("answer").asInt());
    }
    return choice.isMissingNode()
        ? Optional.empty()
        : Optional.of(index(message(choice.path("message"))));
  }

  /** Where the message stands; the conversation changes, so it need not be part of it any more. */
  private int index(LogMessage message) {
    int index = messages.indexOf(message);
    if (index >= 0) {
      return index;
    }
    int other = others.indexOf(message);
    if (other < 0) {
      other = others.size();
      others.add(message);
    }
    return messages.size() + other;
  }

  private static ToolRun toolRun(JsonNode event) {
    return new ToolRun(
        instant(event.path("timestamp")),
        event.path("working_start").asDouble(0),
        event.path("id").asString(""),
        event.path("function").asString(""),
        event.path("arguments").isMissingNode() ? "{}" : event.path("arguments").toString(),
        content(event.path("result")),
        event.path("error").isObject() || event.path("failed").asBoolean(false),
        event.path("working_time").asDouble(0));
  }

  // Parts.

  private static LogMessage message(JsonNode message) {
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
        message.path("error").isObject());
  }

  private static String arguments(JsonNode call) {
    String error = call.path("parse_error").asString("");
    return error.startsWith(InspectParts.NOT_AN_OBJECT)
        ? error.substring(InspectParts.NOT_AN_OBJECT.length())
        : call.path("arguments").toString();
  }

  /** The text of it; pictures and sounds are told in brackets. */
  private static String content(JsonNode content) {
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

  private static Optional<String> text(JsonNode node) {
    return node.isString() ? Optional.of(node.asString()) : Optional.empty();
  }

  private static List<String> texts(JsonNode node) {
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

  private static Map<String, Object> map(JsonNode node) {
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

  private static @Nullable Object value(JsonNode node) {
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
