package dev.weir.log;

import static dev.weir.log.InspectNodes.content;
import static dev.weir.log.InspectNodes.map;
import static dev.weir.log.InspectNodes.ownCost;
import static dev.weir.log.InspectNodes.ownTimes;
import static dev.weir.log.InspectNodes.ownTokens;
import static dev.weir.log.InspectNodes.text;
import static dev.weir.log.InspectNodes.texts;

import dev.weir.log.SampleResult.LimitHit;
import dev.weir.log.SampleResult.LogMessage;
import dev.weir.log.SampleResult.ScoreResult;
import dev.weir.log.inspect.InspectSample;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
    json.path("messages").forEach(message -> messages.add(InspectNodes.message(message)));
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

  /** Any sample: what others have put elsewhere is looked for there. */
  static LoggedSample read(InspectSample sample) throws IOException {
    JsonNode json = LogJson.LINES.readTree(sample.json());
    return isOwn(json)
        ? new LoggedSample(read(json), null)
        : new LoggedSample(read(LogJson.LINES.readTree(sample.resolved().json())), sample.json());
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
    var events = new InspectEventReader(messages, others, isPooled);
    events.read(json.path("events"));
    List<ModelCall> calls = events.calls();
    Optional<String> error = text(json.path("error").path("message"));
    boolean cancelled =
        own.isMissingNode() ? isCancellation(error) : own.path("cancelled").asBoolean(false);
    Optional<String> failed = error.filter(message -> !cancelled || !isOnlyCancelled(message));
    return new SampleResult(
        json.path("id").asString(""),
        json.path("epoch").asInt(1),
        text(own.path("content_hash")).orElse(""),
        InspectNodes.instant(json.path("started_at")),
        input(),
        own.path("targets").isArray() ? texts(own.path("targets")) : texts(json.path("target")),
        texts(json.path("choices")),
        map(json.path("metadata")),
        messages,
        others,
        calls,
        events.toolRuns(),
        events.states(),
        output(),
        text(own.path("stop_reason"))
            .or(() -> text(json.path("output").path("choices").path(0).path("stop_reason"))),
        map(json.path("store")),
        scores(),
        failed,
        failed.flatMap(message -> traceback(json.path("error"), message)),
        cancelled,
        errors(),
        limit(),
        own.path("retries").asLong(0),
        texts(own.path("request_ids")),
        tokens(calls),
        cost(calls),
        own.path("cached_answers").asLong(0),
        events.notes(),
        times());
  }

  /** A message is in its place where no stack trace is known. */
  private static Optional<String> traceback(JsonNode error, String message) {
    return text(error.path("traceback")).filter(trace -> !trace.equals(message));
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
                InspectNodes.number(score.getValue().path("value"))
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

  private List<SampleFailure> errors() {
    List<SampleFailure> errors = new ArrayList<>();
    for (JsonNode error : json.path("error_retries")) {
      String message = error.path("message").asString("");
      errors.add(new SampleFailure(message, traceback(error, message)));
    }
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
      sum = sum.plus(InspectNodes.usage(used));
    }
    return sum;
  }

  private Cost cost(List<ModelCall> calls) {
    if (own.path("cost").isObject()) {
      return ownCost(own.path("cost"));
    }
    return calls.stream().map(ModelCall::cost).reduce(Cost.NONE, Cost::plus);
  }

  private Times times() {
    if (own.path("times").isObject()) {
      return ownTimes(own.path("times"));
    }
    double total = json.path("total_time").asDouble(0);
    double working = json.path("working_time").asDouble(total);
    return new Times(0, 0, 0, 0, 0, 0, working, total);
  }
}
