package dev.weir.providers.http;

import dev.weir.model.Chunk;
import dev.weir.model.ExchangeListener;
import dev.weir.model.Request;
import dev.weir.model.Response;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * One API of one provider, for one model and account: how it is asked, and what it means by its
 * answers. Knows no clock and no connection. Thread-safe.
 */
public interface Wire {

  /**
   * The body of a request.
   *
   * @param stream whether the answer is to come in pieces
   */
  byte[] body(Request request, boolean stream);

  /** Adds address and credential to a body. */
  HttpCall call(byte[] body, boolean stream);

  /** The most tokens that the body allows an answer. */
  default OptionalInt maxTokens(Request request) {
    return request.settings().maxTokens();
  }

  /** Whether answers can come in pieces. */
  boolean canStream();

  /** Whether they should even if nobody reads the pieces: headers then arrive early. */
  boolean prefersStream();

  /**
   * Reads a whole answer.
   *
   * @param body of a response with status 2xx
   * @return a reply; or a failure if the body says so in spite of the status
   * @throws UnreadableException if it is neither
   */
  Response decode(Json body, ErrorReply reply) throws UnreadableException;

  /** Headers that a body hands back, by name in lower case; most APIs know no such thing. */
  default Map<String, List<String>> handedBack(Json body) {
    return Map.of();
  }

  /** Begins to read an answer that comes in pieces; only if {@link #canStream()}. */
  StreamDecoder decoder();

  /** What a response with another status means. */
  Response.Failure classify(ErrorReply reply);

  /** Puts the pieces of one answer together. Not thread-safe. */
  interface StreamDecoder {

    /**
     * @param listener to be told of the pieces of the answer in this event, if it wants them
     * @return whether the answer is complete
     */
    boolean event(ServerEvent event, ExchangeListener listener)
        throws UnreadableException, InterruptedException;

    /**
     * What the events amount to, when they have ended.
     *
     * @param reply the response they came in, for an error that was among them
     * @throws UnreadableException if they broke off
     */
    Response end(ErrorReply reply) throws UnreadableException;
  }

  /** Tells a piece to whoever wants pieces. */
  static void tell(ExchangeListener listener, Chunk chunk) throws InterruptedException {
    if (listener.wantsChunks()) {
      listener.chunk(chunk);
    }
  }
}
