package dev.weir.providers.mock;

import dev.weir.limits.LimitKey;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.model.Adapter;
import dev.weir.model.Chunk;
import dev.weir.model.ExchangeListener;
import dev.weir.model.Message;
import dev.weir.model.ModelName;
import dev.weir.model.Origin;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.ToolCall;
import dev.weir.model.Usage;
import dev.weir.time.Time;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/** A model that says what it was told to. Thread-safe. */
final class MockModel implements Adapter {

  private static final int CHARACTERS_PER_TOKEN = 4;

  private final Origin origin;
  private final Replies replies;
  private final String shape;
  private final Duration latency;
  private final Time time;

  /**
   * @param shape of the file that the replies are from; empty if there is none
   */
  MockModel(ModelName name, Replies replies, String shape, Duration latency, Time time) {
    this.shape = shape;
    this.origin = Origin.of(name);
    this.replies = replies;
    this.latency = latency;
    this.time = time;
  }

  @Override
  public LimitKey key() {
    return LimitKey.named(origin.model().toString());
  }

  @Override
  public String shape(Request request) {
    return shape;
  }

  @Override
  public boolean isLimited() {
    return replies.hasErrors();
  }

  @Override
  public Response exchange(Request request, ExchangeListener listener) throws InterruptedException {
    ScriptedReply scripted = replies.next(request);
    time.sleep(scripted.latency().orElse(latency));
    if (scripted.error().isPresent()) {
      return scripted.error().get().failure(origin);
    }
    listener.facts(ResponseFacts.NONE);
    Response.Reply reply = reply(request, scripted);
    if (listener.wantsChunks()) {
      tell(reply.message(), listener);
    }
    return reply;
  }

  private Response.Reply reply(Request request, ScriptedReply scripted) {
    String whole = scripted.text();
    String text = cut(whole, request.settings().maxTokens());
    var message = new Message.Assistant(text, "", scripted.toolCalls(), Optional.empty());
    StopReason found =
        text.length() < whole.length()
            ? StopReason.MAX_TOKENS
            : scripted.toolCalls().isEmpty() ? StopReason.STOP : StopReason.TOOL_CALLS;
    return new Response.Reply(
        message,
        scripted.stopReason().orElse(found),
        scripted.usage().orElseGet(() -> usage(request, message)),
        origin);
  }

  private static String cut(String text, OptionalInt maxTokens) {
    long most = maxTokens.orElse(Integer.MAX_VALUE) * (long) CHARACTERS_PER_TOKEN;
    if (text.length() <= most) {
      return text;
    }
    int end = (int) most;
    // Not in the middle of a character that takes two.
    return text.substring(0, Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end);
  }

  private static Usage usage(Request request, Message.Assistant answer) {
    long asked = request.messages().stream().mapToLong(message -> message.text().length()).sum();
    long said = answer.text().length();
    for (ToolCall call : answer.toolCalls()) {
      said += call.name().length() + call.arguments().length();
    }
    return new Usage(
        Math.ceilDiv(asked, CHARACTERS_PER_TOKEN), Math.ceilDiv(said, CHARACTERS_PER_TOKEN));
  }

  /** Word by word, so that whoever reads pieces meets more than one. */
  private static void tell(Message.Assistant message, ExchangeListener listener)
      throws InterruptedException {
    String text = message.text();
    for (int from = 0; from < text.length(); ) {
      int space = text.indexOf(' ', from + 1);
      int end = space < 0 ? text.length() : space;
      listener.chunk(new Chunk.Text(text.substring(from, end)));
      from = end;
    }
    for (int i = 0; i < message.toolCalls().size(); i++) {
      ToolCall call = message.toolCalls().get(i);
      listener.chunk(new Chunk.ToolCallPart(i, call.id(), call.name(), call.arguments()));
    }
  }
}
