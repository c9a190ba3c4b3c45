package dev.weir.simulator.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** An item of the output of OpenAI's responses. */
sealed interface ResponseItem {

  /** The item when it is complete. */
  Map<String, Object> whole();

  /** The item when it begins. */
  Map<String, Object> start();

  /** What lies between the two in a stream. */
  void tell(int index, NumberedEvents events);

  static List<ResponseItem> of(Dialect.Reply reply) {
    Call.Output output = reply.output();
    List<ResponseItem> items = new ArrayList<>();
    if (!output.reasoning().isEmpty()) {
      boolean shown = reply.call().reasoning() == Call.Reasoning.SHOWN;
      items.add(new Reasoning("rs_" + reply.id(), shown ? output.reasoning() : ""));
    }
    if (!output.text().isEmpty() || (items.isEmpty() && output.calls().isEmpty())) {
      boolean cut = output.ending() == Call.Ending.LENGTH;
      items.add(new Message("msg_" + reply.id(), output.text(), cut ? "incomplete" : "completed"));
    }
    for (int i = 0; i < output.calls().size(); i++) {
      items.add(
          new FunctionCall(reply.part("fc_", i), reply.part("call_", i), output.calls().get(i)));
    }
    return items;
  }

  /**
   * @param summary empty if nobody wants to see it
   */
  record Reasoning(String id, String summary) implements ResponseItem {

    @Override
    public Map<String, Object> whole() {
      return item(summary.isEmpty() ? List.of() : List.of(part(summary)));
    }

    @Override
    public Map<String, Object> start() {
      return item(List.of());
    }

    @Override
    public void tell(int index, NumberedEvents events) {
      if (summary.isEmpty()) {
        return;
      }
      tell("part.added", index, events, "part", part(""));
      for (String words : Slices.words(summary)) {
        tell("text.delta", index, events, "delta", words);
      }
      tell("text.done", index, events, "text", summary);
      tell("part.done", index, events, "part", part(summary));
    }

    private void tell(String what, int index, NumberedEvents events, String key, Object value) {
      events.add(
          "response.reasoning_summary_" + what,
          "item_id",
          id,
          "output_index",
          index,
          "summary_index",
          0,
          key,
          value);
    }

    private Map<String, Object> item(List<?> summary) {
      return Json.object("id", id, "type", "reasoning", "summary", summary);
    }

    private static Map<String, Object> part(String text) {
      return Json.object("type", "summary_text", "text", text);
    }
  }

  /**
   * @param status when it is told
   */
  record Message(String id, String text, String status) implements ResponseItem {

    @Override
    public Map<String, Object> whole() {
      return item(status, List.of(part(text)));
    }

    @Override
    public Map<String, Object> start() {
      return item("in_progress", List.of());
    }

    @Override
    public void tell(int index, NumberedEvents events) {
      tell("content_part.added", index, events, "part", part(""));
      for (String words : Slices.words(text)) {
        tell("output_text.delta", index, events, "delta", words);
      }
      tell("output_text.done", index, events, "text", text);
      tell("content_part.done", index, events, "part", part(text));
    }

    private void tell(String what, int index, NumberedEvents events, String key, Object value) {
      events.add(
          "response." + what, "item_id", id, "output_index", index, "content_index", 0, key, value);
    }

    private Map<String, Object> item(String state, List<?> content) {
      return Json.object(
          "id", id, "type", "message", "status", state, "role", "assistant", "content", content);
    }

    private static Map<String, Object> part(String text) {
      return Json.object(
          "type", "output_text", "text", text, "annotations", List.of(), "logprobs", List.of());
    }
  }

  /**
   * @param callId under which the client hands back the result
   */
  record FunctionCall(String id, String callId, ToolUse use) implements ResponseItem {

    @Override
    public Map<String, Object> whole() {
      return item("completed", use.arguments());
    }

    @Override
    public Map<String, Object> start() {
      return item("in_progress", "");
    }

    @Override
    public void tell(int index, NumberedEvents events) {
      String name = "response.function_call_arguments.";
      for (String json : Slices.json(use.arguments())) {
        events.add(name + "delta", "item_id", id, "output_index", index, "delta", json);
      }
      events.add(
          name + "done",
          "item_id",
          id,
          "output_index",
          index,
          "name",
          use.name(),
          "arguments",
          use.arguments());
    }

    private Map<String, Object> item(String status, String arguments) {
      return Json.object(
          "id",
          id,
          "type",
          "function_call",
          "status",
          status,
          "call_id",
          callId,
          "name",
          use.name(),
          "arguments",
          arguments);
    }
  }
}
