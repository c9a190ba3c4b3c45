package dev.weir.providers.openai;

import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.providers.http.ErrorReply;
import dev.weir.providers.http.HttpCall;
import dev.weir.providers.http.Json;
import dev.weir.providers.http.UnreadableException;
import dev.weir.providers.http.Wire;

/** {@code POST /responses}. */
final class ResponsesWire implements Wire {

  private final WireSetup setup;
  private final Endpoint.Destination destination;

  ResponsesWire(WireSetup setup) {
    this.setup = setup;
    this.destination = setup.endpoint().at("/responses");
  }

  @Override
  public byte[] body(Request request, boolean stream) {
    return new ResponsesBody(setup).of(request, stream);
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
    return answer(ResponsesOutput.of(body), reply);
  }

  @Override
  public StreamDecoder decoder() {
    return new ResponsesStream(this);
  }

  @Override
  public Response.Failure classify(ErrorReply reply) {
    return setup.classify(reply);
  }

  /** The response that an answer amounts to, however it came. */
  Response answer(ResponsesOutput output, ErrorReply reply) throws UnreadableException {
    Json body = output.body();
    if (ApiError.isIn(body)) {
      return refused(body, reply);
    }
    return switch (body.text("status").orElse("")) {
      case "failed" -> refused(body, reply);
      case "cancelled" -> new Response.Transient("the server cancelled its answer", reply.origin());
      case "queued", "in_progress" ->
          throw new UnreadableException("it is not finished: the model works in the background");
      default -> {
        if (!body.at("output").isList() && output.items().isEmpty()) {
          throw new UnreadableException("it has no `output`");
        }
        yield output.reply(reply);
      }
    };
  }

  /** An error inside an answer with status 200. */
  Response.Failure refused(Json body, ErrorReply reply) {
    return setup.inside(reply, body);
  }
}
