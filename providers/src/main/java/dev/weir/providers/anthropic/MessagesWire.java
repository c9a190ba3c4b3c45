package dev.weir.providers.anthropic;

import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.providers.http.ErrorReply;
import dev.weir.providers.http.HttpCall;
import dev.weir.providers.http.Json;
import dev.weir.providers.http.UnreadableException;
import dev.weir.providers.http.Wire;
import java.net.URI;
import java.util.Map;
import java.util.OptionalInt;

/** Anthropic's Messages API. */
final class MessagesWire implements Wire {

  private final URI address;
  private final Map<String, String> headers;
  private final MessagesRequest request;
  private final boolean prefersStream;

  /**
   * @param headers credential and version
   */
  MessagesWire(
      URI address, Map<String, String> headers, MessagesRequest request, boolean prefersStream) {
    this.address = address;
    this.headers = Map.copyOf(headers);
    this.request = request;
    this.prefersStream = prefersStream;
  }

  @Override
  public byte[] body(Request asked, boolean stream) {
    return request.body(asked, stream);
  }

  @Override
  public OptionalInt maxTokens(Request asked) {
    return OptionalInt.of(request.maxTokens(asked.settings()));
  }

  @Override
  public HttpCall call(byte[] body, boolean stream) {
    return new HttpCall(address, headers, body);
  }

  @Override
  public boolean canStream() {
    return true;
  }

  @Override
  public boolean prefersStream() {
    return prefersStream;
  }

  @Override
  public Response decode(Json body, ErrorReply reply) throws UnreadableException {
    if (body.at("error").isObject()) {
      return Refusals.inside(body, reply);
    }
    if (!body.at("content").isList()) {
      throw new UnreadableException("it is no message: `content` is missing");
    }
    var content = new Blocks();
    for (Json block : body.list("content")) {
      switch (block.text("type").orElse("")) {
        case "text" -> content.text(block.text("text").orElse(""));
        case "thinking" -> content.thinking(block.text("thinking").orElse(""), block.embedded());
        case "tool_use" ->
            content.toolUse(
                block.text("id").orElse(""),
                block.text("name").orElse(""),
                block.at("input").toString());
        default -> content.other(block.embedded());
      }
    }
    return content.reply(body.text("stop_reason"), Blocks.usage(body.at("usage")), reply);
  }

  @Override
  public StreamDecoder decoder() {
    return new MessagesStream();
  }

  @Override
  public Response.Failure classify(ErrorReply reply) {
    return Refusals.of(reply);
  }
}
