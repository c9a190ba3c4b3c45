package dev.weir.providers.http;

import dev.weir.model.Message;
import dev.weir.model.Origin;
import dev.weir.model.Response;
import dev.weir.model.Secret;
import dev.weir.model.ToolCall;
import java.util.List;
import java.util.Optional;

/**
 * A response without the credential, whatever way it took into it: a server that repeats what it
 * was sent must not make it part of an answer.
 */
public final class Redaction {

  private final Secret secret;

  private Redaction(Secret secret) {
    this.secret = secret;
  }

  public static Response of(Secret secret, Response response) {
    return new Redaction(secret).redacted(response);
  }

  private Response redacted(Response response) {
    return response instanceof Response.Reply reply
        ? redacted(reply)
        : failure((Response.Failure) response);
  }

  private Response.Reply redacted(Response.Reply reply) {
    Message.Assistant said = reply.message();
    Message.Assistant message = redacted(said);
    // Put together from pieces, each of which looked harmless: the pieces are not shown then.
    boolean heldIt = !isSame(message, said);
    return new Response.Reply(
        heldIt ? message : said,
        reply.stopReason(),
        reply.usage(),
        redacted(reply.origin(), heldIt));
  }

  private Message.Assistant redacted(Message.Assistant said) {
    return new Message.Assistant(
        secret.redact(said.text()),
        secret.redact(said.reasoning()),
        said.toolCalls().isEmpty()
            ? List.of()
            : said.toolCalls().stream().map(this::redacted).toList(),
        said.nativeForm().map(this::redacted));
  }

  /** As equals, part by part: that of a record is slow until the better compiler has seen it. */
  private static boolean isSame(Message.Assistant one, Message.Assistant other) {
    return one.text().equals(other.text())
        && one.reasoning().equals(other.reasoning())
        && one.toolCalls().equals(other.toolCalls())
        && one.nativeForm().equals(other.nativeForm());
  }

  private ToolCall redacted(ToolCall call) {
    return new ToolCall(
        secret.redact(call.id()), secret.redact(call.name()), secret.redact(call.arguments()));
  }

  private Message.NativeForm redacted(Message.NativeForm form) {
    String json = secret.redact(form.json());
    return json.equals(form.json())
        ? form
        : new Message.NativeForm(form.wire(), redactedJson(form.json(), json));
  }

  /** Value by value: in the text an escape before the credential would lose its second half. */
  private String redactedJson(String json, String redacted) {
    Json parsed = Json.parseOrAbsent(json);
    return parsed.isPresent() ? parsed.redacted(secret).toString() : redacted;
  }

  static Response.Failure of(Secret secret, Response.Failure failure) {
    return new Redaction(secret).failure(failure);
  }

  private Response.Failure failure(Response.Failure failure) {
    String message = secret.redact(failure.message());
    Origin origin = redacted(failure.origin(), !message.equals(failure.message()));
    return switch (failure) {
      case Response.RateLimited it -> new Response.RateLimited(message, it.facts(), origin);
      case Response.Overloaded it -> new Response.Overloaded(message, it.facts(), origin);
      case Response.Transient it -> new Response.Transient(message, origin, it.contact());
      case Response.InvalidRequest it -> new Response.InvalidRequest(message, it.reach(), origin);
      case Response.RefusedByPolicy _ -> new Response.RefusedByPolicy(message, origin);
      case Response.Authentication it -> new Response.Authentication(message, it.reach(), origin);
      case Response.QuotaExhausted it -> new Response.QuotaExhausted(message, it.reach(), origin);
      case Response.UnreadableReply _ -> new Response.UnreadableReply(message, origin);
      case Response.Cancelled _ -> new Response.Cancelled(message, origin);
    };
  }

  private Origin redacted(Origin origin, boolean withoutResponse) {
    Optional<Origin.Raw> raw =
        origin
            .raw()
            .map(
                it ->
                    new Origin.Raw(
                        secret.redact(it.request()),
                        withoutResponse ? Secret.REDACTED : secret.redact(it.response())));
    return new Origin(
        origin.model(),
        origin.status(),
        secret.redact(origin.statusText()),
        origin.requestId().map(secret::redact),
        origin.bytesSent(),
        origin.bytesReceived(),
        raw,
        origin.fromCache());
  }
}
