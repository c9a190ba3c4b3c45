package dev.weir.simulator.server;

import dev.weir.simulator.provider.HeaderStyle;
import dev.weir.web.Answer;
import dev.weir.web.Request;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * Bedrock's {@code converse}, not as a stream: that has a binary form of its own.
 *
 * @param model the path names it, not the body
 */
record Converse(String model) implements Dialect {

  static final String ROOT = "/model";

  private static final Pattern PATH = Pattern.compile("/model/([^/]+)/converse");

  /** The API at a path; empty if there is none. */
  static Optional<Converse> at(Request request) {
    Matcher parts = PATH.matcher(request.path());
    if (!parts.matches()) {
      return Optional.empty();
    }
    try {
      return Optional.of(new Converse(URLDecoder.decode(parts.group(1), StandardCharsets.UTF_8)));
    } catch (IllegalArgumentException notEncoded) {
      return Optional.empty();
    }
  }

  @Override
  public HeaderStyle style() {
    return HeaderStyle.NONE;
  }

  @Override
  public String idHeader() {
    return "x-amzn-requestid";
  }

  @Override
  public Call read(JsonNode body) {
    Fields fields = Fields.of(body);
    var conversation = new Conversation();
    conversation.add(fields.content("system"));
    for (Fields message : fields.list("messages")) {
      read(message, conversation);
    }
    Fields config = fields.object("inferenceConfig");
    config.number("temperature");
    config.number("topP");
    return new Call(
        model,
        conversation,
        config.count("maxTokens"),
        false,
        true,
        offer(fields.object("toolConfig"), conversation),
        schema(fields.object("outputConfig").object("textFormat")),
        config.texts("stopSequences"),
        fields
                .object("additionalModelRequestFields")
                .object("thinking")
                .optionalText("type")
                .equals("enabled")
            ? Call.Reasoning.SHOWN
            : Call.Reasoning.NEVER);
  }

  private static void read(Fields message, Conversation conversation) {
    String role = message.text("role");
    if (!role.equals("user") && !role.equals("assistant")) {
      throw message.wrong("role", "user or assistant");
    }
    List<Fields> blocks = message.list("content");
    if (role.equals("assistant")) {
      conversation.addReply(message.content("content"));
    }
    for (Fields block : blocks) {
      if (block.has("toolUse")) {
        Fields use = block.object("toolUse");
        conversation.addCall(
            use.text("toolUseId"), use.text("name"), use.object("input").object().toString());
      } else if (block.has("toolResult")) {
        Fields result = block.object("toolResult");
        conversation.addResult(result.text("toolUseId"), text(result));
      } else if (block.has("image")) {
        block.object("image").text("format");
        conversation.addImage();
      } else if (block.has("text") && role.equals("user")) {
        conversation.add(block.text("text"));
      }
    }
  }

  private static String text(Fields result) {
    List<String> texts = new ArrayList<>();
    for (Fields part : result.optionalList("content")) {
      texts.add(part.has("json") ? part.object("json").object().toString() : part.text("text"));
    }
    return String.join("\n", texts);
  }

  private static Offer offer(Fields config, Conversation conversation) {
    List<String> tools = new ArrayList<>();
    for (Fields tool : config.optionalList("tools")) {
      if (tool.has("toolSpec")) {
        Fields spec = tool.object("toolSpec");
        spec.object("inputSchema").object("json");
        tools.add(spec.text("name"));
        conversation.addUnsaid(tool.object().toString());
      }
    }
    Fields choice = config.object("toolChoice");
    if (choice.has("tool")) {
      return Offer.forced(tools, choice.object("tool").text("name"));
    }
    return choice.has("any") ? Offer.forced(tools) : Offer.free(tools);
  }

  /** The schema is a text that holds JSON. */
  private static Optional<JsonNode> schema(Fields format) {
    Fields schema = format.object("structure").object("jsonSchema");
    return schema.has("schema")
        ? Optional.of(Json.objectOf(schema.text("schema")))
        : Optional.empty();
  }

  @Override
  public Map<String, Object> answer(Reply reply) {
    Call.Output output = reply.output();
    List<Object> content = new ArrayList<>();
    if (!output.reasoning().isEmpty()) {
      Map<String, Object> text =
          Json.object("text", output.reasoning(), "signature", "c2ltdWxhdGVk" + reply.id());
      content.add(Json.object("reasoningContent", Json.object("reasoningText", text)));
    }
    if (!output.text().isEmpty()) {
      content.add(Json.object("text", output.text()));
    }
    for (int i = 0; i < output.calls().size(); i++) {
      ToolUse use = output.calls().get(i);
      content.add(
          Json.object(
              "toolUse",
              Json.object(
                  "toolUseId",
                  reply.part("tooluse_", i),
                  "name",
                  use.name(),
                  "input",
                  use.input())));
    }
    return Json.object(
        "output",
        Json.object("message", Json.object("role", "assistant", "content", content)),
        "stopReason",
        stopReason(output.ending()),
        "usage",
        usage(reply),
        "metrics",
        Json.object("latencyMs", reply.latency().toMillis()));
  }

  private static Map<String, Object> usage(Reply reply) {
    Call.Cached cached = reply.output().cached();
    return Json.object(
        "inputTokens",
        reply.call().promptTokens(),
        "outputTokens",
        reply.output().tokens(),
        "totalTokens",
        reply.promptTokens() + reply.output().tokens(),
        "cacheReadInputTokens",
        cached.read(),
        "cacheWriteInputTokens",
        cached.written());
  }

  private static String stopReason(Call.Ending ending) {
    return switch (ending) {
      case COMPLETE -> "end_turn";
      case LENGTH -> "max_tokens";
      case STOP_SEQUENCE -> "stop_sequence";
      case CALLS -> "tool_use";
    };
  }

  @Override
  public Answer error(Fault fault, int status, String type, String message) {
    return switch (fault) {
      case RATE_LIMITED ->
          error(
              429,
              "ThrottlingException",
              "Too many %s, please wait before trying again."
                  .formatted(type.isEmpty() ? "requests" : type));
      case UNAUTHORIZED -> error(403, "AccessDeniedException", message);
      case OUTAGE, OVERLOAD -> error(503, "ServiceUnavailableException", message);
      case ERROR -> error(status, "InternalServerException", message);
      case BAD_REQUEST -> error(status, badRequest(status), message);
    };
  }

  private static String badRequest(int status) {
    return switch (status) {
      case 404 -> "ResourceNotFoundException";
      case 405 -> "UnknownOperationException";
      case 408 -> "ModelTimeoutException";
      case 424 -> "ModelErrorException";
      default -> "ValidationException";
    };
  }

  private static Answer error(int status, String type, String message) {
    return Answer.json(status, Json.object("message", message)).with("x-amzn-errortype", type);
  }
}
