package dev.weir.simulator.server;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Reads a request of Gemini's API. Not thread-safe. */
final class GenerateContentRequest {

  private final Conversation conversation = new Conversation();

  // Calls need no id: then those of a name are answered in their order.
  private final Map<String, Integer> calls = new HashMap<>();
  private final Map<String, Integer> answers = new HashMap<>();

  private GenerateContentRequest() {}

  static Call read(Fields fields, String model, boolean stream) {
    return new GenerateContentRequest().call(fields, model, stream);
  }

  private Call call(Fields fields, String model, boolean stream) {
    for (String name : List.of("systemInstruction", "system_instruction")) {
      conversation.add(fields.object(name).content("parts"));
    }
    fields.list("contents").forEach(this::read);
    Fields config = fields.object("generationConfig");
    for (String name : List.of("temperature", "topP", "topK", "seed")) {
      config.number(name);
    }
    return new Call(
        model,
        conversation,
        config.count("maxOutputTokens"),
        stream,
        true,
        offer(fields),
        schema(config),
        config.texts("stopSequences"),
        reasoning(config.object("thinkingConfig")));
  }

  private void read(Fields content) {
    boolean reply = content.optionalText("role").equals("model");
    List<Fields> parts = content.list("parts");
    if (reply) {
      conversation.addReply(content.content("parts"));
    }
    for (Fields part : parts) {
      if (part.has("functionCall")) {
        Fields call = part.object("functionCall");
        conversation.addCall(id(call, calls), call.text("name"), text(call.object("args")));
      } else if (part.has("functionResponse")) {
        Fields response = part.object("functionResponse");
        conversation.addResult(id(response, answers), text(response.object("response")));
      } else if (part.has("inlineData") || part.has("fileData")) {
        conversation.addImage();
      } else if (part.has("text")) {
        if (!reply) {
          conversation.add(part.optionalText("text"));
        }
      } else {
        conversation.addUnsaid(part.object().toString());
      }
    }
  }

  private static String id(Fields call, Map<String, Integer> counts) {
    String name = call.text("name");
    return call.has("id") ? call.text("id") : name + " " + counts.merge(name, 1, Integer::sum);
  }

  private static String text(Fields fields) {
    return fields.object().toString();
  }

  private Offer offer(Fields fields) {
    List<String> tools = new ArrayList<>();
    for (Fields tool : fields.optionalList("tools")) {
      tool.optionalList("functionDeclarations")
          .forEach(declaration -> tools.add(declaration.text("name")));
      conversation.addUnsaid(text(tool));
    }
    Fields config = fields.object("toolConfig").object("functionCallingConfig");
    return switch (config.optionalText("mode")) {
      case "", "MODE_UNSPECIFIED", "AUTO", "VALIDATED" -> Offer.free(tools);
      case "NONE" -> Offer.NONE;
      case "ANY" -> {
        List<String> allowed = config.texts("allowedFunctionNames");
        yield allowed.isEmpty() ? Offer.forced(tools) : Offer.forced(tools, allowed.getFirst());
      }
      default -> throw config.wrong("mode", "AUTO, ANY, VALIDATED or NONE");
    };
  }

  private static Optional<JsonNode> schema(Fields config) {
    for (String name : List.of("responseSchema", "responseJsonSchema")) {
      if (config.has(name)) {
        return Optional.of(config.object(name).object());
      }
    }
    return config.optionalText("responseMimeType").equals("application/json")
        ? Optional.of(SchemaSample.ANY)
        : Optional.empty();
  }

  private static Call.Reasoning reasoning(Fields thinking) {
    if (thinking.flag("includeThoughts")) {
      return Call.Reasoning.SHOWN;
    }
    return thinking.has("thinkingBudget") || thinking.has("thinkingLevel")
        ? Call.Reasoning.WANTED
        : Call.Reasoning.ON_DEMAND;
  }
}
