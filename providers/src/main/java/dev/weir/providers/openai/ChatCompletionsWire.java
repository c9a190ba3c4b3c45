package dev.weir.providers.openai;

import dev.weir.limits.header.BodyHints;
import dev.weir.model.Message;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.ToolCall;
import dev.weir.model.Usage;
import dev.weir.providers.http.ErrorReply;
import dev.weir.providers.http.HttpCall;
import dev.weir.providers.http.Json;
import dev.weir.providers.http.UnreadableException;
import dev.weir.providers.http.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code POST /chat/completions}. */
final class ChatCompletionsWire implements Wire {

  private final WireSetup setup;
  private final ChatBody bodies;
  private final Endpoint.Destination destination;

  ChatCompletionsWire(WireSetup setup) {
    this.setup = setup;
    this.bodies = new ChatBody(setup);
    this.destination = setup.endpoint().at("/chat/completions");
  }

  @Override
  public byte[] body(Request request, boolean stream) {
    return bodies.of(request, stream);
  }

  @Override
  public HttpCall call(byte[] body, boolean stream) {
    return destination.call(body, stream);
  }

  @Override
  public boolean canStream() {
    return setup.streaming() != Streaming.NEVER;
  }

  @Override
  public boolean prefersStream() {
    return setup.streaming() == Streaming.ALWAYS;
  }

  @Override
  public Response decode(Json body, ErrorReply reply) throws UnreadableException {
    if (ApiError.isIn(body)) {
      return setup.inside(reply, body);
    }
    List<Json> choices = body.list("choices");
    if (choices.isEmpty()) {
      throw new UnreadableException("it has no `choices`");
    }
    Json choice = choices.getFirst();
    if (ApiError.isIn(choice)) {
      return setup.inside(reply, choice);
    }
    Json message = choice.at("message");
    if (!message.isObject()) {
      throw new UnreadableException("its first choice has no `message`");
    }
    return answer(
        new ChatAnswer(
            text(message),
            message.textOrEmpty("refusal"),
            Thoughts.text(message),
            calls(message),
            Thoughts.kept(message),
            choice.textOrEmpty("finish_reason"),
            ChatUsage.in(body)),
        reply);
  }

  @Override
  public StreamDecoder decoder() {
    return new ChatStream(this, setup);
  }

  @Override
  public Response.Failure classify(ErrorReply reply) {
    return setup.classify(reply);
  }

  /** The response that an answer amounts to, however it came. */
  Response answer(ChatAnswer answer, ErrorReply reply) {
    return switch (answer.finishReason()) {
      // DeepSeek gave up half-way, for lack of room.
      case "insufficient_system_resource" ->
          new Response.Overloaded(
              "the server stopped in the middle of its answer, for lack of resources",
              reply.facts(BodyHints.NONE),
              reply.origin());
      case "error", "abort" ->
          new Response.Transient("the server gave up in the middle of its answer", reply.origin());
      default -> reply(answer, reply);
    };
  }

  private static Response.Reply reply(ChatAnswer answer, ErrorReply reply) {
    boolean refused = !answer.refusal().isEmpty();
    var message =
        new Message.Assistant(
            refused && answer.text().isEmpty() ? answer.refusal() : answer.text(),
            answer.thoughts(),
            answer.calls(),
            Thoughts.form(answer.kept()));
    return new Response.Reply(
        message,
        refused ? StopReason.CONTENT_FILTER : answer.stopReason(),
        answer.usage(),
        reply.origin());
  }

  /** Words of a message or a piece of one; Mistral may tell them in parts. */
  static String text(Json message) {
    List<Json> parts = message.list("content");
    if (parts.isEmpty()) {
      return message.textOrEmpty("content");
    }
    var words = new StringBuilder();
    for (Json part : parts) {
      words.append(part.textOrEmpty("text"));
    }
    return words.toString();
  }

  private static List<ToolCall> calls(Json message) {
    List<Json> told = message.list("tool_calls");
    if (told.isEmpty()) {
      return List.of();
    }
    List<ToolCall> calls = new ArrayList<>();
    for (Json call : told) {
      String id = call.textOrEmpty("id");
      calls.add(
          new ToolCall(
              id.isEmpty() ? "call_" + calls.size() : id,
              call.textOrEmpty("function", "name"),
              arguments(call)));
    }
    return calls;
  }

  /** A JSON text; some servers forget to make a text of it. */
  static String arguments(Json call) {
    Json arguments = call.at("function", "arguments");
    return arguments.isObject() ? arguments.toString() : arguments.text().orElse("");
  }

  /**
   * What came, before it is judged.
   *
   * @param refusal why the model declined; empty if it did not
   * @param kept the fields that hold thoughts
   * @param finishReason as the server says it; empty if it does not
   */
  record ChatAnswer(
      String text,
      String refusal,
      String thoughts,
      List<ToolCall> calls,
      Map<String, Object> kept,
      String finishReason,
      Optional<Usage> told) {

    Usage usage() {
      return told.orElse(Usage.NONE);
    }

    StopReason stopReason() {
      return switch (finishReason) {
        case "length", "model_length", "max_tokens" -> StopReason.MAX_TOKENS;
        case "content_filter", "safety" -> StopReason.CONTENT_FILTER;
        case "tool_calls", "function_call" -> StopReason.TOOL_CALLS;
        case "stop", "eos", "eos_token", "stop_sequence", "end_turn" ->
            calls.isEmpty() ? StopReason.STOP : StopReason.TOOL_CALLS;
        default -> calls.isEmpty() ? StopReason.UNKNOWN : StopReason.TOOL_CALLS;
      };
    }
  }
}
