package dev.weir.simulator.server;

import java.util.ArrayList;
import java.util.List;

/** Reads a request of OpenAI's {@code /v1/responses}. */
final class ResponsesRequest {

  private ResponsesRequest() {}

  static Call read(Fields fields) {
    for (String stored : List.of("previous_response_id", "conversation", "prompt")) {
      if (fields.has(stored)) {
        throw new BadCallException(
            "`%s` is of no use here: the simulator stores nothing.".formatted(stored));
      }
    }
    var conversation = new Conversation();
    if (fields.has("instructions")) {
      conversation.add(fields.text("instructions"));
    }
    if (fields.object().path("input").isString()) {
      conversation.add(fields.text("input"));
    } else {
      fields.list("input").forEach(item -> read(item, conversation));
    }
    fields.number("temperature");
    fields.number("top_p");
    return new Call(
        fields.text("model"),
        conversation,
        fields.count("max_output_tokens"),
        fields.flag("stream"),
        true,
        offer(fields, conversation),
        OpenAi.schema(fields.object("text").object("format"), ""),
        List.of(),
        reasoning(fields.object("reasoning")));
  }

  private static Call.Reasoning reasoning(Fields reasoning) {
    if (!reasoning.optionalText("summary").isEmpty()) {
      return Call.Reasoning.SHOWN;
    }
    return switch (reasoning.optionalText("effort")) {
      case "", "none" -> Call.Reasoning.ON_DEMAND;
      default -> Call.Reasoning.WANTED;
    };
  }

  private static void read(Fields item, Conversation conversation) {
    String type = item.has("type") ? item.text("type") : "message";
    switch (type) {
      case "message" -> readMessage(item, conversation);
      case "reasoning" -> conversation.addReply(List.of());
      case "function_call" -> {
        conversation.addReply(List.of());
        conversation.addCall(
            item.text("call_id"), item.text("name"), item.optionalText("arguments"));
      }
      case "function_call_output" ->
          conversation.addResult(item.text("call_id"), String.join("\n", item.content("output")));
      default ->
          throw item.wrong("type", "message, reasoning, function_call or function_call_output");
    }
  }

  private static void readMessage(Fields item, Conversation conversation) {
    switch (item.text("role")) {
      case "assistant" -> conversation.addReply(item.content("content"));
      case "system", "developer", "user" -> {
        for (Fields part : item.parts("content")) {
          switch (part.text("type")) {
            case "text", "input_text" -> conversation.add(part.optionalText("text"));
            case "input_image" -> conversation.addImage();
            default -> conversation.addUnsaid(part.object().toString());
          }
        }
      }
      default -> throw item.wrong("role", "system, developer, user or assistant");
    }
  }

  private static Offer offer(Fields fields, Conversation conversation) {
    List<String> tools = new ArrayList<>();
    for (Fields tool : fields.optionalList("tools")) {
      if (tool.text("type").equals("function")) {
        tools.add(tool.text("name"));
      }
      conversation.addUnsaid(tool.object().toString());
    }
    return OpenAi.offer(fields, tools, choice -> choice.text("name"));
  }
}
