package dev.weir.providers.http;

import dev.weir.limits.header.BodyHints;
import dev.weir.limits.header.ResponseFactsParser;
import dev.weir.model.Chunk;
import dev.weir.model.ExchangeListener;
import dev.weir.model.Origin;
import dev.weir.model.Response;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * One exchange on its way, from the headers of the response to what it means. Not thread-safe.
 *
 * <p>The body decides what it is, not the headers: an answer was paid for, whatever they say.
 */
final class Exchange {

  /** More of an error than this says nothing more. */
  private static final int LONGEST_ERROR = 64 << 10;

  private static final int LONGEST_QUOTE = 200;

  /** Enough to tell events from a document. */
  private static final int FIRST_BYTES = 16;

  private static final int MOST_BEGUN = 4 << 10;

  private static final List<String> EVENT_FIELDS = List.of("data:", "event:", ":", "id:", "retry:");

  private final HttpModel model;
  private final byte[] sent;
  private int status;
  private String statusText = "";
  private Map<String, List<String>> headers = Map.of();
  private String received = "";
  private @Nullable BoundedStream body;

  Exchange(HttpModel model, byte[] sent) {
    this.model = model;
    this.sent = sent;
  }

  Response read(HttpReply reply, boolean stream, ExchangeListener listener)
      throws IOException, InterruptedException {
    status = reply.status();
    statusText = model.redacted(reply.statusText());
    headers = model.redacted(reply.headers());
    body = reply.body();
    if (!HttpModel.isAnswer(status)) {
      String text = new String(readError(reply.body()), StandardCharsets.UTF_8);
      received = model.redacted(text);
      return model.meaning(errorReply(model.parsedOrAbsent(text)));
    }
    // Read on success, too: that is how limits are known before they refuse anything.
    listener.facts(ResponseFactsParser.parse(headers, BodyHints.NONE, model.time().instant()));
    if (!stream && !isEventStream()) {
      return whole(reply.body().readWhole(), listener);
    }
    byte[] begun = begin(reply.body());
    return model.wire().canStream() && isEvents(begun)
        ? readEvents(begun, reply, listener)
        : whole(joined(begun, reply.body().readAllBytes()), listener);
  }

  /** The status says the most, also where the words beside it break off. */
  private static byte[] readError(BoundedStream body) throws InterruptedException {
    var read = new ByteArrayOutputStream();
    byte[] part = new byte[2_048];
    try {
      while (read.size() < LONGEST_ERROR) {
        int count = body.read(part);
        if (count < 0) {
          break;
        }
        read.write(part, 0, count);
      }
    } catch (IOException brokeOff) {
      Transport.interruptedOr(brokeOff);
    }
    return read.toByteArray();
  }

  private Response whole(byte[] read, ExchangeListener listener) throws InterruptedException {
    String text = new String(read, StandardCharsets.UTF_8);
    received = model.redacted(text);
    if (received.isBlank()) {
      return unreadable("it is empty");
    }
    try {
      // A server that repeats what it was sent must not make the credential part of an answer.
      Json json = received.equals(text) ? Json.parse(read) : model.parsed(text);
      Response response = model.wire().decode(json, errorReply(json));
      Map<String, List<String>> handedBack = model.wire().handedBack(json);
      if (!handedBack.isEmpty() && response instanceof Response.Reply) {
        listener.facts(
            ResponseFactsParser.parse(handedBack, BodyHints.NONE, model.time().instant()));
      }
      // The response loses the credential when it is handed on; its pieces are handed on here.
      if (listener.wantsChunks() && model.redacted(response) instanceof Response.Reply answered) {
        // A server that cannot stream answered at once: one piece is better than none.
        for (Chunk piece : Chunk.piecesOf(answered.message())) {
          listener.chunk(piece);
        }
      }
      return response;
    } catch (UnreadableException why) {
      return unreadable(
          "%s; it begins: %s"
              .formatted(
                  PageText.isPage(received) ? "it is a web page" : why.getMessage(),
                  PageText.line(received, LONGEST_QUOTE)));
    }
  }

  private Response readEvents(byte[] begun, HttpReply reply, ExchangeListener listener)
      throws IOException, InterruptedException {
    var events = new ServerEvents(begun, reply.body());
    Wire.StreamDecoder decoder = model.wire().decoder();
    boolean done = false;
    try {
      @Nullable ServerEvent event = events.next();
      while (event != null && !done) {
        done = decoder.event(redacted(event), listener);
        event = done ? null : events.next();
      }
      if (done) {
        reply.finish();
      }
      told(events);
      return decoder.end(errorReply(Json.ABSENT));
    } catch (UnreadableException why) {
      told(events);
      // What is wrong with the last piece, or with all of them together, is that some are missing.
      return !done && reply.body().hasEnded()
          ? new Response.Transient(
              "%d: the stream broke off: %s".formatted(status, why.getMessage()), origin())
          : unreadable(why.getMessage());
    } catch (IOException broken) {
      told(events);
      return finished(decoder, Transport.interruptedOr(broken));
    }
  }

  /** An answer that is all there was paid for, though its stream did not end as it should. */
  private Response finished(Wire.StreamDecoder decoder, IOException broken) throws IOException {
    try {
      if (decoder.end(errorReply(Json.ABSENT)) instanceof Response.Reply reply) {
        return reply;
      }
    } catch (UnreadableException incomplete) {
      broken.addSuppressed(incomplete);
    }
    throw broken;
  }

  private ServerEvent redacted(ServerEvent event) {
    String data = model.redacted(event.data());
    if (data.equals(event.data())) {
      return event;
    }
    Json json = model.parsedOrAbsent(event.data());
    return new ServerEvent(event.type(), json.isPresent() ? json.toString() : data);
  }

  private void told(ServerEvents events) {
    received = model.redacted(events.text());
  }

  private static byte[] begin(BoundedStream body) throws IOException {
    var begun = new ByteArrayOutputStream();
    byte[] part = new byte[2_048];
    // Whoever begins with so much empty space is not telling events.
    while (begun.size() < MOST_BEGUN
        && begun.toString(StandardCharsets.UTF_8).strip().length() < FIRST_BYTES) {
      int count = body.read(part);
      if (count < 0) {
        break;
      }
      begun.write(part, 0, count);
    }
    return begun.toByteArray();
  }

  private static byte[] joined(byte[] first, byte[] second) {
    if (second.length == 0) {
      return first;
    }
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  private boolean isEvents(byte[] begun) {
    String text = new String(begun, StandardCharsets.UTF_8).replace("\uFEFF", "").strip();
    boolean isDocument = text.startsWith("{") || text.startsWith("[") || text.startsWith("<");
    return EVENT_FIELDS.stream().anyMatch(text::startsWith)
        || (isEventStream() && !isDocument && !text.isEmpty());
  }

  private boolean isEventStream() {
    for (String type : headers.getOrDefault("content-type", List.of())) {
      if (type.contains("event-stream")) {
        return true;
      }
    }
    return false;
  }

  private ErrorReply errorReply(Json json) {
    return new ErrorReply(
        status, statusText, headers, received, json, model.time().instant(), origin());
  }

  private Response unreadable(@Nullable String why) {
    return new Response.UnreadableReply(
        "%d: the reply cannot be read: %s".formatted(status, why), origin());
  }

  /** What it means that there is no response, or only a part of it. */
  Response broken(IOException failed) {
    return new ConnectionFailure(
            failed, model.endpoint(), model.redacted(String.valueOf(failed)), origin())
        .meaning();
  }

  private Origin origin() {
    return new Origin(
        model.name(),
        status == 0 ? OptionalInt.empty() : OptionalInt.of(status),
        statusText,
        model.requestId(headers),
        sent.length,
        body == null ? 0 : body.count(),
        Optional.of(new Origin.Raw(model.redacted(sent), received)));
  }
}
