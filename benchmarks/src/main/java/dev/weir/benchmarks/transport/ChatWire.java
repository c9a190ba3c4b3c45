package dev.weir.benchmarks.transport;

import dev.weir.limits.header.BodyHints;
import dev.weir.model.Message;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.Usage;
import dev.weir.providers.http.ErrorReply;
import dev.weir.providers.http.HttpCall;
import dev.weir.providers.http.Json;
import dev.weir.providers.http.UnreadableException;
import dev.weir.providers.http.Wire;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** As much of the chat API as a question needs that has nothing to escape. */
record ChatWire(URI address) implements Wire {

  @Override
  public byte[] body(Request request, boolean stream) {
    return """
    {"model": "simulated", "max_tokens": 100, "messages": [{"role": "user", "content": "%s"}]}
    """
        .formatted(request.messages().getFirst().text())
        .getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public HttpCall call(byte[] body, boolean stream) {
    return new HttpCall(address, Map.of("authorization", "Bearer none-needed"), body);
  }

  @Override
  public boolean canStream() {
    return false;
  }

  @Override
  public boolean prefersStream() {
    return false;
  }

  @Override
  public Response decode(Json body, ErrorReply reply) throws UnreadableException {
    List<Json> choices = body.list("choices");
    if (choices.isEmpty()) {
      throw new UnreadableException("it has no choices");
    }
    return new Response.Reply(
        Message.assistant(choices.getFirst().text("message", "content").orElse("")),
        StopReason.STOP,
        new Usage(body.count("usage", "prompt_tokens"), body.count("usage", "completion_tokens")),
        reply.origin());
  }

  @Override
  public StreamDecoder decoder() {
    throw new IllegalStateException("it does not stream");
  }

  @Override
  public Response.Failure classify(ErrorReply reply) {
    return reply.byStatus(reply.json().text("error", "message"), BodyHints.NONE);
  }
}
