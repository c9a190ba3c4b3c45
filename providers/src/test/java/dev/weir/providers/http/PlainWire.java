package dev.weir.providers.http;

import dev.weir.limits.header.BodyHints;
import dev.weir.model.Chunk;
import dev.weir.model.ExchangeListener;
import dev.weir.model.Message;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.Usage;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** The smallest API: {@code {"answer": "…"}}, or events {@code {"text": "…"}} up to [DONE]. */
record PlainWire(URI address, String key, boolean canStream) implements Wire {

  @Override
  public byte[] body(Request request, boolean stream) {
    return "{\"stream\": %s, \"prompt\": \"%s\"}"
        .formatted(stream, request.messages().getFirst().text())
        .getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public HttpCall call(byte[] body, boolean stream) {
    return new HttpCall(address.resolve("/v1/ask"), Map.of("authorization", "Bearer " + key), body);
  }

  @Override
  public boolean prefersStream() {
    return canStream;
  }

  @Override
  public Response decode(Json body, ErrorReply reply) throws UnreadableException {
    return reply(
        body.text("answer").orElseThrow(() -> new UnreadableException("it has no answer")), reply);
  }

  @Override
  public Response.Failure classify(ErrorReply reply) {
    return reply.byStatus(reply.json().text("error", "message"), BodyHints.NONE);
  }

  @Override
  public StreamDecoder decoder() {
    var text = new StringBuilder();
    return new StreamDecoder() {
      private boolean done;

      @Override
      public boolean event(ServerEvent event, ExchangeListener listener)
          throws UnreadableException, InterruptedException {
        if (event.data().equals("[DONE]")) {
          done = true;
          return true;
        }
        String piece = Json.parse(event.data()).text("text").orElse("");
        text.append(piece);
        Wire.tell(listener, new Chunk.Text(piece));
        return false;
      }

      @Override
      public Response end(ErrorReply reply) throws UnreadableException {
        if (!done) {
          throw new UnreadableException("there is no [DONE]");
        }
        return reply(text.toString(), reply);
      }
    };
  }

  private static Response reply(String text, ErrorReply reply) {
    return new Response.Reply(Message.assistant(text), StopReason.STOP, Usage.NONE, reply.origin());
  }
}
