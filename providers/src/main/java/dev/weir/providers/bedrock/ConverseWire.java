package dev.weir.providers.bedrock;

import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.providers.http.ErrorReply;
import dev.weir.providers.http.HttpCall;
import dev.weir.providers.http.Json;
import dev.weir.providers.http.UnreadableException;
import dev.weir.providers.http.Wire;
import java.net.URI;

/** The Converse API; answers come whole. */
final class ConverseWire implements Wire {

  private final URI address;
  private final Credential credential;
  private final ConverseRequest request;

  ConverseWire(URI address, Credential credential, ConverseRequest request) {
    this.address = address;
    this.credential = credential;
    this.request = request;
  }

  @Override
  public byte[] body(Request asked, boolean stream) {
    return request.body(asked);
  }

  @Override
  public HttpCall call(byte[] body, boolean stream) {
    return new HttpCall(address, credential.headers(address, body), body);
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
    return ConverseReply.read(body, reply);
  }

  @Override
  public StreamDecoder decoder() {
    throw new IllegalStateException("cannot read pieces: answers come whole");
  }

  @Override
  public Response.Failure classify(ErrorReply reply) {
    return Refusals.of(reply);
  }
}
