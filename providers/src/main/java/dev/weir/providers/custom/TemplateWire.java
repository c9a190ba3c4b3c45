package dev.weir.providers.custom;

import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.Secret;
import dev.weir.model.ToolCall;
import dev.weir.model.Usage;
import dev.weir.providers.http.ErrorReply;
import dev.weir.providers.http.HttpCall;
import dev.weir.providers.http.Json;
import dev.weir.providers.http.UnreadableException;
import dev.weir.providers.http.Wire;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The API that a file describes. */
final class TemplateWire implements Wire {

  private final HttpTemplate template;
  private final Secret secret;

  TemplateWire(HttpTemplate template, Secret secret) {
    this.template = template;
    this.secret = secret;
  }

  @Override
  public byte[] body(Request request, boolean stream) {
    return template
        .body()
        .fill(ChatBody.of(request, template.model()), request.settings().extraBody());
  }

  @Override
  public HttpCall call(byte[] body, boolean stream) {
    return new HttpCall(template.uri(), template.headers(), body);
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
    Json error = template.error().map(path -> path.in(body)).orElse(Json.ABSENT);
    if (error.isPresent()) {
      Map<String, Object> found = new LinkedHashMap<>();
      found.put("error", error.embedded());
      found.put("metadata", body.at("metadata").embedded());
      return failure(reply, Json.parse(Json.write(found)));
    }
    Optional<String> text = template.text().in(body).scalar();
    List<ToolCall> calls =
        template.toolCalls().isPresent()
            ? CustomReply.toolCalls(template.toolCalls().get().in(body))
            : List.of();
    if (text.isEmpty() && calls.isEmpty()) {
      if (body.at("error").isPresent()) {
        return failure(reply, body);
      }
      throw new UnreadableException("there is no text at " + template.text());
    }
    return CustomReply.of(
        text.orElse(""),
        calls,
        template.stopReason().flatMap(path -> path.in(body).scalar()),
        new Usage(tokens(template.inputTokens(), body), tokens(template.outputTokens(), body)),
        reply.origin());
  }

  private static long tokens(Optional<JsonPath> path, Json body) {
    return path.map(where -> where.in(body).count()).orElse(0L);
  }

  /** An error in spite of status 2xx; headers that it hands back are looked for in all of it. */
  private Response.Failure failure(ErrorReply reply, Json error) {
    Json shown = Json.parseOrAbsent(secret.redact(error.toString()));
    int told = CustomFailure.status(shown);
    return CustomFailure.of(reply.with(told == 0 ? reply.status() : told, shown));
  }

  @Override
  public Map<String, List<String>> handedBack(Json body) {
    return CustomFailure.headers(body);
  }

  @Override
  public StreamDecoder decoder() {
    throw new IllegalStateException("answers never come in pieces");
  }

  @Override
  public Response.Failure classify(ErrorReply reply) {
    return CustomFailure.of(reply);
  }
}
