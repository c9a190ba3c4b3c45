package dev.weir.log;

import static dev.weir.log.InspectJson.object;
import static dev.weir.log.InspectJson.time;
import static dev.weir.log.InspectJson.tree;

import dev.weir.log.SampleResult.LogMessage;
import dev.weir.log.SampleResult.ScoreResult;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A sample as Inspect's logs have it: whole, and in short for lists. */
final class InspectSampleWriter {

  /** A list of samples shows the beginning of each. */
  private static final int LONGEST_SUMMARY_TEXT = 5_120;

  private static final int LONGEST_SUMMARY_METADATA = 1_024;

  private final SampleResult sample;
  private final Instant ended;

  private InspectSampleWriter(SampleResult sample) {
    this.sample = sample;
    this.ended = sample.started().plus(Duration.ofNanos(Math.round(sample.times().total() * 1e9)));
  }

  /** The member {@code samples/ID_epoch_N.json}. */
  static ObjectNode whole(SampleResult sample) {
    return new InspectSampleWriter(sample).whole();
  }

  /** Its place in {@code summaries.json}. */
  static ObjectNode summary(SampleResult sample) {
    return new InspectSampleWriter(sample).summary();
  }

  private ObjectNode whole() {
    ObjectNode json = object();
    json.put("id", sample.id());
    json.put("epoch", sample.epoch());
    json.put("input", sample.input());
    if (!sample.choices().isEmpty()) {
      json.set("choices", InspectJson.texts(sample.choices()));
    }
    json.set("target", InspectJson.target(sample.targets()));
    ArrayNode messages = json.putArray("messages");
    sample.messages().forEach(message -> messages.add(InspectJson.message(message)));
    json.set("output", output());
    if (!sample.scores().isEmpty()) {
      ObjectNode scores = json.putObject("scores");
      sample.scores().forEach((scorer, score) -> scores.set(scorer, InspectJson.score(score)));
    }
    json.set("metadata", tree(sample.metadata()));
    json.set("store", tree(sample.store()));
    json.set("events", events());
    if (usesPool()) {
      ObjectNode pool = json.putObject("events_data");
      ArrayNode pooled = pool.putArray("messages");
      sample.messages().forEach(message -> pooled.add(InspectJson.message(message)));
      sample.otherMessages().forEach(message -> pooled.add(InspectJson.message(message)));
      pool.putArray("calls");
    }
    putUsage(json);
    putTimes(json);
    json.put("uuid", uuid());
    sample.error().ifPresent(error -> json.set("error", InspectJson.error(error)));
    if (sample.cancelled() && sample.error().isEmpty()) {
      json.set("error", InspectJson.error("the sample was cancelled"));
    }
    if (!sample.errorRetries().isEmpty()) {
      ArrayNode errors = json.putArray("error_retries");
      sample.errorRetries().forEach(error -> errors.add(InspectJson.error(error)));
    }
    sample
        .limit()
        .ifPresent(
            hit -> json.putObject("limit").put("type", hit.type()).put("limit", hit.limit()));
    json.put("turn_count", turns());
    json.putObject("attachments");
    return json;
  }

  private ObjectNode summary() {
    ObjectNode json = object();
    json.put("id", sample.id());
    json.put("epoch", sample.epoch());
    json.put("input", cut(sample.input()));
    if (!sample.choices().isEmpty()) {
      json.set("choices", InspectJson.texts(sample.choices()));
    }
    json.set("target", InspectJson.target(sample.targets().stream().map(this::cut).toList()));
    ObjectNode metadata = json.putObject("metadata");
    int room = LONGEST_SUMMARY_METADATA;
    for (Map.Entry<String, Object> known : sample.metadata().entrySet()) {
      int length = known.getKey().length() + String.valueOf(known.getValue()).length();
      if (isScalar(known.getValue()) && length <= room) {
        metadata.set(known.getKey(), tree(known.getValue()));
        room -= length;
      }
    }
    if (!sample.scores().isEmpty()) {
      ObjectNode scores = json.putObject("scores");
      sample
          .scores()
          .forEach((scorer, score) -> scores.set(scorer, InspectJson.score(shortened(score))));
    }
    putUsage(json);
    putTimes(json);
    json.put("uuid", uuid());
    sample.error().ifPresent(error -> json.put("error", cut(error)));
    if (sample.cancelled() && sample.error().isEmpty()) {
      json.put("error", "the sample was cancelled");
    }
    sample.limit().ifPresent(hit -> json.put("limit", hit.type()));
    if (!sample.errorRetries().isEmpty()) {
      json.put("retries", sample.errorRetries().size());
    }
    json.put("message_count", sample.messages().size());
    json.put("turn_count", turns());
    json.put("completed", true);
    ObjectNode own = json.putObject(InspectJson.WEIR);
    own.put("content_hash", sample.contentHash());
    own.put("cancelled", sample.cancelled());
    own.set("tokens", tree(sample.tokens()));
    own.set("cost", tree(sample.cost()));
    own.set("times", tree(sample.times()));
    return json;
  }

  private static boolean isScalar(Object value) {
    return value instanceof String || value instanceof Number || value instanceof Boolean;
  }

  private ScoreResult shortened(ScoreResult score) {
    return new ScoreResult(
        score.value(), score.answer().map(this::cut), score.explanation().map(this::cut), Map.of());
  }

  private String cut(String text) {
    return text.length() <= LONGEST_SUMMARY_TEXT
        ? text
        : text.substring(0, LONGEST_SUMMARY_TEXT) + "…";
  }

  /** The same for the same sample of the same log, so that converting twice gives the same file. */
  private String uuid() {
    return "%s-%d-%s"
        .formatted(sample.contentHash(), sample.epoch(), sample.started().toEpochMilli());
  }

  private void putTimes(ObjectNode json) {
    json.put("started_at", time(sample.started()));
    json.put("completed_at", time(ended));
    json.put("total_time", sample.times().total());
    json.put("working_time", sample.times().working());
  }

  private long turns() {
    return sample.calls().stream()
        .filter(call -> call.role().equals(ModelCall.EVALUATED) && call.answer().isPresent())
        .count();
  }

  private void putUsage(ObjectNode json) {
    json.set("model_usage", usageBy(ModelCall::model, sample.calls()));
    json.set(
        "role_usage",
        usageBy(
            ModelCall::role,
            sample.calls().stream()
                .filter(call -> !call.role().equals(ModelCall.EVALUATED))
                .toList()));
  }

  private static ObjectNode usageBy(Function<ModelCall, String> key, List<ModelCall> calls) {
    Map<String, Tokens> tokens = new LinkedHashMap<>();
    Map<String, Cost> costs = new LinkedHashMap<>();
    for (ModelCall call : calls) {
      tokens.merge(key.apply(call), call.tokens(), Tokens::plus);
      costs.merge(key.apply(call), call.cost(), Cost::plus);
    }
    ObjectNode json = object();
    tokens.forEach(
        (name, used) ->
            json.set(name, InspectJson.usage(used, costs.getOrDefault(name, Cost.NONE))));
    return json;
  }

  /** What was scored; the last answer, if a solver has put nothing else in its place. */
  private ObjectNode output() {
    ObjectNode json = object();
    ModelCall last = null;
    for (ModelCall call : sample.calls()) {
      if (call.role().equals(ModelCall.EVALUATED)) {
        last = call;
      }
    }
    json.put("model", last == null ? "" : last.model());
    ArrayNode choices = json.putArray("choices");
    sample
        .output()
        .ifPresent(
            text -> {
              ObjectNode choice = choices.addObject();
              choice
                  .putObject("message")
                  .put("role", "assistant")
                  .put("content", text)
                  .put("source", "generate");
              choice.put(
                  "stop_reason", InspectJson.stopReason(sample.stopReason().orElse("unknown")));
            });
    json.put("completion", sample.output().orElse(""));
    if (last != null) {
      json.set("usage", InspectJson.usage(last.tokens(), last.cost()));
      json.put("time", last.times().called());
    }
    return json;
  }

  // Events.

  private ArrayNode events() {
    List<Timed> timed = new ArrayList<>();
    sample.calls().forEach(call -> timed.add(new Timed(call.at(), asked(call))));
    sample.toolRuns().forEach(run -> timed.add(new Timed(run.at(), ran(run))));
    timed.sort(Comparator.comparing(Timed::at));
    ArrayNode events = tree(List.of()).asArray();
    events.add(init());
    timed.forEach(event -> events.add(event.json()));
    sample.notes().forEach(note -> events.add(info(note.source(), note.data())));
    sample
        .limit()
        .ifPresent(
            hit ->
                events.add(
                    atEnd("sample_limit")
                        .put("type", hit.type())
                        .put("limit", hit.limit())
                        .put("message", hit.message())));
    sample
        .error()
        .ifPresent(
            error -> {
              ObjectNode event = atEnd("error");
              event.set("error", InspectJson.error(error));
              events.add(event);
            });
    sample.scores().forEach((scorer, score) -> events.add(scored(scorer, score)));
    events.add(info(InspectJson.WEIR, own()));
    return events;
  }

  private record Timed(Instant at, ObjectNode json) {}

  private ObjectNode event(String type, Instant at, double working) {
    return object().put("event", type).put("timestamp", time(at)).put("working_start", working);
  }

  private ObjectNode atEnd(String type) {
    return event(type, ended, sample.times().working());
  }

  private ObjectNode init() {
    ObjectNode event = event("sample_init", sample.started(), 0);
    ObjectNode asked = event.putObject("sample");
    asked.put("id", sample.id());
    asked.put("input", sample.input());
    asked.set("target", InspectJson.target(sample.targets()));
    if (!sample.choices().isEmpty()) {
      asked.set("choices", InspectJson.texts(sample.choices()));
    }
    event.putObject("state");
    return event;
  }

  private ObjectNode scored(String scorer, ScoreResult score) {
    ObjectNode event = atEnd("score");
    event.put("scorer", scorer);
    event.set("score", InspectJson.score(score));
    event.set("target", InspectJson.target(sample.targets()));
    event.put("intermediate", false);
    return event;
  }

  private ObjectNode info(String source, Object data) {
    ObjectNode event = atEnd("info");
    event.put("source", source);
    event.set("data", tree(data));
    return event;
  }

  /** Messages that several calls were shown are written once. */
  private boolean usesPool() {
    return sample.calls().size() > 1;
  }

  private ObjectNode asked(ModelCall call) {
    ObjectNode event = event("model", call.at(), call.working());
    event.put("model", call.model());
    if (!call.role().equals(ModelCall.EVALUATED)) {
      event.put("role", call.role());
    }
    ArrayNode input = event.putArray("input");
    if (usesPool()) {
      ArrayNode refs = event.putArray("input_refs");
      call.input().forEach(span -> refs.addArray().add(span.from()).add(span.to()));
    } else {
      for (ModelCall.Span span : call.input()) {
        for (int i = span.from(); i < span.to(); i++) {
          input.add(InspectJson.message(sample.message(i)));
        }
      }
    }
    ArrayNode tools = event.putArray("tools");
    call.tools()
        .forEach(
            name -> {
              ObjectNode tool = tools.addObject().put("name", name).put("description", "");
              ObjectNode parameters = tool.putObject("parameters").put("type", "object");
              parameters.putObject("properties");
              parameters.putArray("required");
            });
    event.put("tool_choice", call.tools().isEmpty() ? "none" : "auto");
    event.putObject("config");
    event.set("output", answer(call));
    event.put("retries", call.retries());
    call.error().ifPresent(error -> event.put("error", error));
    if (call.cached()) {
      event.put("cache", "read");
    }
    event.put("completed", time(call.at().plus(duration(call.times().total()))));
    event.put("working_time", call.times().working());
    ObjectNode own = event.putObject("metadata").putObject(InspectJson.WEIR);
    own.set("times", tree(call.times()));
    own.set("cost", tree(call.cost()));
    call.requestId().ifPresent(id -> own.put("request_id", id));
    call.answer().ifPresent(index -> own.put("answer", index));
    return event;
  }

  private static Duration duration(double seconds) {
    return Duration.ofNanos(Math.round(seconds * 1e9));
  }

  private ObjectNode answer(ModelCall call) {
    ObjectNode json = object();
    json.put("model", call.model());
    ArrayNode choices = json.putArray("choices");
    String completion = "";
    if (call.answer().isPresent()) {
      LogMessage message = sample.message(call.answer().get());
      ObjectNode choice = choices.addObject();
      choice.set("message", InspectJson.message(message));
      choice.put("stop_reason", InspectJson.stopReason(call.stopReason().orElse("unknown")));
      completion = message.content();
    }
    json.put("completion", completion);
    json.set("usage", InspectJson.usage(call.tokens(), call.cost()));
    json.put("time", call.times().called());
    call.error().ifPresent(error -> json.put("error", error));
    return json;
  }

  private static ObjectNode ran(ToolRun run) {
    ObjectNode event =
        object()
            .put("event", "tool")
            .put("timestamp", time(run.at()))
            .put("working_start", run.working())
            .put("type", "function")
            .put("id", run.id())
            .put("function", run.tool());
    event.set("arguments", InspectJson.arguments(run.arguments()));
    event.put("result", run.result());
    event.putArray("events");
    if (run.failed()) {
      event.set("error", InspectJson.toolError(run.result()));
      event.put("failed", true);
    }
    event.put("completed", time(run.at().plus(duration(run.seconds()))));
    event.put("working_time", run.seconds());
    return event;
  }

  /** What Inspect has no field for. */
  private Map<String, Object> own() {
    Map<String, Object> own = new LinkedHashMap<>();
    own.put("content_hash", sample.contentHash());
    own.put("cancelled", sample.cancelled());
    own.put("retries", sample.retries());
    own.put("request_ids", sample.requestIds());
    own.put("cached_answers", sample.cachedAnswers());
    own.put("tokens", sample.tokens());
    own.put("cost", sample.cost());
    own.put("times", sample.times());
    own.put("targets", sample.targets());
    sample.limit().ifPresent(hit -> own.put("limit", hit));
    sample.stopReason().ifPresent(reason -> own.put("stop_reason", reason));
    own.put("other_messages", sample.otherMessages());
    return own;
  }
}
