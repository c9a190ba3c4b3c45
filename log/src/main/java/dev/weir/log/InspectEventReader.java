package dev.weir.log;

import static dev.weir.log.InspectNodes.cost;
import static dev.weir.log.InspectNodes.instant;
import static dev.weir.log.InspectNodes.message;
import static dev.weir.log.InspectNodes.ownCost;
import static dev.weir.log.InspectNodes.ownTimes;
import static dev.weir.log.InspectNodes.text;

import dev.weir.log.ModelCall.Span;
import dev.weir.log.SampleResult.LogMessage;
import dev.weir.log.SampleResult.Note;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** What happened in a sample of one of Inspect's logs. Not thread-safe. */
final class InspectEventReader {

  private final List<LogMessage> messages;
  private final List<LogMessage> others;
  private final boolean isPooled;
  private final List<ModelCall> calls = new ArrayList<>();
  private final List<ToolRun> toolRuns = new ArrayList<>();
  private final List<Note> notes = new ArrayList<>();
  private final List<StateChange> changes = new ArrayList<>();
  private String initial = StateHistory.NONE.initial();

  /**
   * @param messages the conversation
   * @param others gets the messages that are not part of it
   * @param isPooled whether messages of calls are counted through the pool of the log
   */
  InspectEventReader(List<LogMessage> messages, List<LogMessage> others, boolean isPooled) {
    this.messages = messages;
    this.others = others;
    this.isPooled = isPooled;
  }

  void read(JsonNode events) {
    for (JsonNode event : events) {
      switch (event.path("event").asString("")) {
        case "model" -> calls.add(call(event));
        case "tool" -> toolRuns.add(toolRun(event));
        case "info" -> note(event).ifPresent(notes::add);
        case "state" -> changes.add(change(event));
        case "sample_init" -> initial = json(event, "state", initial);
        default -> {
          // The rest of them tells what the sample tells, too.
        }
      }
    }
  }

  List<ModelCall> calls() {
    return calls;
  }

  List<ToolRun> toolRuns() {
    return toolRuns;
  }

  List<Note> notes() {
    return notes;
  }

  StateHistory states() {
    return new StateHistory(initial, changes);
  }

  private static Optional<Note> note(JsonNode event) {
    String source = event.path("source").asString("");
    Object data = InspectNodes.value(event.path("data"));
    return source.equals(InspectJson.WEIR) || data == null
        ? Optional.empty()
        : Optional.of(
            new Note(
                instant(event.path("timestamp")),
                event.path("working_start").asDouble(0),
                source,
                data));
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
        new CallTerms(
            json(event, "config", CallTerms.NONE.config()),
            json(event, "tools", CallTerms.NONE.tools()),
            json(event, "tool_choice", CallTerms.NONE.toolChoice())),
        InspectNodes.usage(output.path("usage")),
        weir.path("cost").isObject() ? ownCost(weir.path("cost")) : cost(output.path("usage")),
        event.path("retries").asLong(0),
        weir.path("times").isObject()
            ? ownTimes(weir.path("times"))
            : new Times(0, 0, 0, 0, total, 0, total, total),
        event.path("cache").asString("").equals("read"),
        text(weir.path("request_id")),
        text(event.path("error")));
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
        InspectNodes.content(event.path("result")),
        event.path("error").isObject() || event.path("failed").asBoolean(false),
        InspectNodes.isTimeout(event),
        event.path("working_time").asDouble(0));
  }

  private static StateChange change(JsonNode event) {
    List<StateChange.Change> all = new ArrayList<>();
    for (JsonNode change : event.path("changes")) {
      all.add(
          new StateChange.Change(
              change.path("op").asString(""),
              change.path("path").asString(""),
              json(change, "value", "null"),
              json(change, "replaced", "null")));
    }
    return new StateChange(
        instant(event.path("timestamp")), event.path("working_start").asDouble(0), all);
  }

  /** A field as it stands there. */
  private static String json(JsonNode node, String field, String otherwise) {
    return node.path(field).isMissingNode() ? otherwise : node.path(field).toString();
  }
}
