package dev.weir.providers.google;

import dev.weir.model.ExchangeListener;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.providers.http.ErrorReply;
import dev.weir.providers.http.HttpCall;
import dev.weir.providers.http.Json;
import dev.weir.providers.http.ServerEvent;
import dev.weir.providers.http.UnreadableException;
import dev.weir.providers.http.Wire;
import java.net.URI;
import java.util.Map;

/** The methods {@code generateContent} and {@code streamGenerateContent}. */
final class GeminiWire implements Wire {

  private final URI whole;
  private final URI pieces;
  private final Map<String, String> headers;
  private final GeminiRequest request;
  private final boolean prefersStream;

  /**
   * @param model the address of the model, to which the method is added
   * @param headers the credential
   */
  GeminiWire(
      String model, Map<String, String> headers, GeminiRequest request, boolean prefersStream) {
    this.whole = URI.create(model + ":generateContent");
    this.pieces = URI.create(model + ":streamGenerateContent?alt=sse");
    this.headers = Map.copyOf(headers);
    this.request = request;
    this.prefersStream = prefersStream;
  }

  @Override
  public byte[] body(Request asked, boolean stream) {
    return request.body(asked);
  }

  @Override
  public HttpCall call(byte[] body, boolean stream) {
    return new HttpCall(stream ? pieces : whole, headers, body);
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
    var parts = new Parts();
    try {
      parts.add(body, ExchangeListener.NONE);
    } catch (InterruptedException impossible) {
      throw new IllegalStateException("nobody listens, so nobody waits", impossible);
    }
    return parts.reply(reply);
  }

  @Override
  public StreamDecoder decoder() {
    return new Stream();
  }

  @Override
  public Response.Failure classify(ErrorReply reply) {
    return Refusals.of(reply);
  }

  /** A stream of documents, each with the next parts; it ends with the connection. */
  private static final class Stream implements StreamDecoder {

    private final Parts parts = new Parts();
    private Json error = Json.ABSENT;

    @Override
    public boolean event(ServerEvent event, ExchangeListener listener)
        throws UnreadableException, InterruptedException {
      Json document = Json.parse(event.data());
      if (document.at("error").isObject()) {
        error = document;
        return true;
      }
      parts.add(document, listener);
      return false;
    }

    @Override
    public Response end(ErrorReply reply) throws UnreadableException {
      if (error.isPresent()) {
        return Refusals.inside(error, reply);
      }
      if (!parts.isEnded()) {
        throw new UnreadableException("the stream broke off before the answer ended");
      }
      return parts.reply(reply);
    }
  }
}
