package dev.weir.simulator.server;

import dev.weir.web.Answer;
import dev.weir.web.EventSink;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Answers as they should not be, for clients that must bear them. */
final class Misbehaviour {

  private static final String JSON = "application/json";

  private static final int PIECE = 1 << 20;

  private Misbehaviour() {}

  static Answer of(Trouble trouble, Dialect dialect, Dialect.Reply reply) {
    return switch (trouble) {
      case Trouble.Complaint(int status, String message) ->
          dialect.error(Fault.of(status), status, "", message);
      case Trouble.Raw(int status, String body) -> raw(status, body);
      case Trouble.StreamError(String type) ->
          reply.call().stream()
              ? Answer.events(sink -> failHalfway(dialect, reply, type, sink))
              : failed(dialect, type);
      case Trouble.Truncated _ ->
          reply.call().stream()
              ? Answer.events(sink -> breakOff(dialect, reply, sink))
              : truncated(Json.text(dialect.answer(reply)));
      case Trouble.Html _ ->
          body(
              200,
              "text/html; charset=utf-8",
              "<!DOCTYPE html>\n<html><body><h1>Please sign in to the network</h1></body></html>");
      case Trouble.NotJson _ -> body(200, JSON, "{\"id\": \"%s\", and then".formatted(reply.id()));
      case Trouble.Large(long bytes) -> large(bytes);
    };
  }

  private static Answer raw(int status, String body) {
    String type =
        switch (body.isEmpty() ? ' ' : body.charAt(0)) {
          case '{', '[' -> JSON;
          case '<' -> "text/html; charset=utf-8";
          default -> "text/plain; charset=utf-8";
        };
    return body(status, type, body);
  }

  private static Answer body(int status, String type, String body) {
    return Answer.body(status, type, body.getBytes(StandardCharsets.UTF_8));
  }

  /** Without a stream the same error comes with a status. */
  private static Answer failed(Dialect dialect, String type) {
    String word = type.toLowerCase(Locale.ROOT);
    int status =
        word.contains("overload") || word.contains("unavailable")
            ? 529
            : word.contains("rate_limit") || word.contains("exhausted") ? 429 : 500;
    return dialect.error(Fault.of(status), status, "", "The prompt asked for this error.");
  }

  private static void failHalfway(Dialect dialect, Dialect.Reply reply, String type, EventSink sink)
      throws IOException, InterruptedException {
    int sent = half(dialect, reply, sink);
    for (Dialect.Event event : dialect.streamError(reply, type, sent)) {
      sink.send(event.name(), event.data());
    }
  }

  private static void breakOff(Dialect dialect, Dialect.Reply reply, EventSink sink)
      throws IOException, InterruptedException {
    half(dialect, reply, sink);
    throw new IOException("the prompt asked for it");
  }

  private static int half(Dialect dialect, Dialect.Reply reply, EventSink sink)
      throws IOException, InterruptedException {
    List<Dialect.Event> pieces = dialect.events(reply).pieces();
    List<Dialect.Event> first = pieces.subList(0, Math.ceilDiv(pieces.size(), 2));
    for (Dialect.Event event : first) {
      sink.send(event.name(), event.data());
    }
    return first.size();
  }

  private static Answer truncated(String document) {
    byte[] whole = document.getBytes(StandardCharsets.UTF_8);
    return Answer.pieces(
        200,
        JSON,
        sink -> {
          sink.send(Arrays.copyOf(whole, whole.length / 2));
          throw new IOException("the prompt asked for it");
        });
  }

  private static Answer large(long bytes) {
    byte[] piece = new byte[PIECE];
    Arrays.fill(piece, (byte) 'x');
    return Answer.pieces(
        200,
        JSON,
        sink -> {
          sink.send("{\"padding\":\"".getBytes(StandardCharsets.US_ASCII));
          for (long sent = 0; sent < bytes; sent += PIECE) {
            sink.send(piece);
          }
          sink.send("\"}".getBytes(StandardCharsets.US_ASCII));
        });
  }
}
