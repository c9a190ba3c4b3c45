package dev.weir.web;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** What a client receives: a body, at once or piece by piece. */
public sealed interface Answer {

  int status();

  /** Headers by name; they win over those that every answer gets. */
  Map<String, String> headers();

  /** The same with another header, or another value of one. */
  Answer with(String name, String value);

  /** The same with these headers too. */
  default Answer with(Map<String, String> more) {
    Answer answer = this;
    for (Map.Entry<String, String> header : more.entrySet()) {
      answer = answer.with(header.getKey(), header.getValue());
    }
    return answer;
  }

  /** A JSON document made of maps, lists, texts, numbers and truth values. */
  static Answer json(int status, Object document) {
    return body(status, "application/json", Whole.JSON.writeValueAsBytes(document));
  }

  static Answer text(int status, String text) {
    return body(status, "text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
  }

  static Answer body(int status, String contentType, byte[] body) {
    return new Whole(status, Map.of(Whole.CONTENT_TYPE, contentType), body);
  }

  /**
   * An error that clients of OpenAI's API and of Anthropic's can read alike.
   *
   * @param type for programs: {@code not_found_error}
   * @param message for people
   */
  public static Answer error(int status, String type, String message) {
    Map<String, Object> error = new LinkedHashMap<>();
    error.put("type", type);
    error.put("message", message);
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("type", "error");
    document.put("error", error);
    return json(status, document);
  }

  /** Server-sent events. The source is always run, and the headers go with its first event. */
  static Answer events(EventSource source) {
    return pieces(
        200,
        "text/event-stream",
        pieces ->
            source.run(
                (name, data) ->
                    pieces.send(EventSink.format(name, data).getBytes(StandardCharsets.UTF_8))));
  }

  /**
   * A body of a length that is not known before. The source is always run, and the headers go with
   * its first piece. If it throws, the connection is closed: the client sees that the body broke
   * off.
   */
  static Answer pieces(int status, String contentType, PieceSource source) {
    return new Pieces(status, Map.of(Whole.CONTENT_TYPE, contentType), source);
  }

  /** Gives the events of a stream, as a part of the task that handles the request. */
  @FunctionalInterface
  interface EventSource {

    void run(EventSink sink) throws Exception;
  }

  /** Gives the pieces of a body, as a part of the task that handles the request. */
  @FunctionalInterface
  interface PieceSource {

    void run(PieceSink sink) throws Exception;
  }

  /** Where a handler puts the pieces of a body; each is sent when it is given. */
  @FunctionalInterface
  interface PieceSink {

    /**
     * Waits until the connection has taken it.
     *
     * @throws IOException if the client has gone
     */
    void send(byte[] piece) throws IOException, InterruptedException;
  }

  /** An answer that is sent at once. */
  final class Whole implements Answer {

    private static final JsonMapper JSON = new JsonMapper();
    private static final String CONTENT_TYPE = "content-type";

    private final int status;
    private final Map<String, String> headers;
    private final byte[] body;

    private Whole(int status, Map<String, String> headers, byte[] body) {
      this.status = status;
      this.headers = headers;
      this.body = body;
    }

    @Override
    public int status() {
      return status;
    }

    @Override
    public Map<String, String> headers() {
      return headers;
    }

    @Override
    public Whole with(String name, String value) {
      return new Whole(status, added(headers, name, value), body);
    }

    byte[] body() {
      return body;
    }
  }

  /** An answer that comes little by little. */
  final class Pieces implements Answer {

    private final int status;
    private final Map<String, String> headers;
    private final PieceSource source;

    private Pieces(int status, Map<String, String> headers, PieceSource source) {
      this.status = status;
      this.headers = headers;
      this.source = source;
    }

    @Override
    public int status() {
      return status;
    }

    @Override
    public Map<String, String> headers() {
      return headers;
    }

    @Override
    public Pieces with(String name, String value) {
      return new Pieces(status, added(headers, name, value), source);
    }

    PieceSource source() {
      return source;
    }
  }

  private static Map<String, String> added(Map<String, String> headers, String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(name, value);
    return Collections.unmodifiableMap(more);
  }
}
