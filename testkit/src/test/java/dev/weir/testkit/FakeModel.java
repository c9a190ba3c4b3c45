package dev.weir.testkit;

import dev.weir.limits.LimitKey;
import dev.weir.limits.header.BodyHints;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.header.ResponseFactsParser;
import dev.weir.limits.retry.Outcome;
import dev.weir.model.Adapter;
import dev.weir.model.Chunk;
import dev.weir.model.ExchangeListener;
import dev.weir.model.Message;
import dev.weir.model.ModelName;
import dev.weir.model.Origin;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.Secret;
import dev.weir.model.StopReason;
import dev.weir.model.ToolCall;
import dev.weir.model.ToolChoice;
import dev.weir.model.Usage;
import dev.weir.time.Time;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicReference;

/** Keeps every promise but one. The first word of a prompt says what it does. */
final class FakeModel implements Adapter {

  private final ModelName name;
  private final Secret secret;
  private final Sabotage sabotage;
  private final Time time;
  private final AtomicReference<String> before = new AtomicReference<>("");

  FakeModel(ModelName name, Secret secret, Sabotage sabotage, Time time) {
    this.name = name;
    this.secret = secret;
    this.sabotage = sabotage;
    this.time = time;
  }

  private boolean is(Sabotage way) {
    return sabotage == way;
  }

  @Override
  public LimitKey key() {
    String account =
        switch (sabotage) {
          case HAS_ONE_ACCOUNT -> "one";
          case ACCOUNT_IS_THE_CREDENTIAL -> secret.reveal();
          default -> secret.fingerprint("");
        };
    return LimitKey.of("fake", account, name.model());
  }

  @Override
  public Response exchange(Request request, ExchangeListener listener) throws InterruptedException {
    String[] words = request.messages().getLast().text().split(" ", 2);
    String rest = words.length > 1 ? words[1] : "";
    return switch (words[0]) {
      case "say" -> answer(request, rest, ResponseFacts.NONE, listener);
      case "left" -> last(request, rest, listener);
      case "call" -> called(request, rest, listener);
      case "refuse" -> refused(request, rest.split(" ", 3), listener);
      case "page" -> unreadable(request, Sabotage.TAKES_A_PAGE_FOR_AN_ANSWER, listener);
      case "break" -> unreadable(request, Sabotage.TAKES_HALF_FOR_AN_ANSWER, listener);
      case "much" -> unreadable(request, Sabotage.READS_WITHOUT_END, listener);
      case "long" -> late(request, listener);
      default -> throw new IllegalStateException(words[0]);
    };
  }

  private Response late(Request request, ExchangeListener listener) throws InterruptedException {
    long end = time.after(Duration.ofMinutes(2));
    while (time.nanos() < end) {
      try {
        time.sleepUntil(end);
      } catch (InterruptedException cancelled) {
        if (is(Sabotage.SWALLOWS_INTERRUPTS)) {
          break;
        }
        if (!is(Sabotage.IGNORES_INTERRUPTS)) {
          throw cancelled;
        }
      }
    }
    return answer(request, "late", ResponseFacts.NONE, listener);
  }

  private Response last(Request request, String text, ExchangeListener listener)
      throws InterruptedException {
    ResponseFacts facts =
        facts("x-ratelimit-limit-requests", "1", "x-ratelimit-remaining-requests", "0");
    if (is(Sabotage.DISCARDS_THE_LAST_ANSWER)) {
      return new Response.RateLimited("nothing is left", facts, origin(request, 200, ""));
    }
    return answer(request, text, facts, listener);
  }

  private ResponseFacts facts(String... headers) {
    Map<String, List<String>> all =
        headers.length == 2
            ? Map.of(headers[0], List.of(headers[1]))
            : Map.of(headers[0], List.of(headers[1]), headers[2], List.of(headers[3]));
    return ResponseFactsParser.parse(all, BodyHints.NONE, time.instant());
  }

  private Response answer(
      Request request, String said, ResponseFacts facts, ExchangeListener listener)
      throws InterruptedException {
    Optional<String> tool = demanded(request);
    if (tool.isPresent()) {
      return call(request, tool.get(), "{}", listener);
    }
    if (is(Sabotage.CALLS_AGAIN)
        && request.messages().getLast() instanceof Message.ToolResult(_, String again, _, _, _)) {
      return call(request, again, "{}", listener);
    }
    String text = is(Sabotage.WRONG_TEXT) ? said + "!" : said;
    if (is(Sabotage.MIXES_UP_ANSWERS)) {
      text = before.getAndSet(said);
    }
    int most = request.settings().maxTokens().orElse(1_000) * 4;
    boolean cut = text.length() > most && !is(Sabotage.NEVER_STOPS);
    String kept = cut ? text.substring(0, most) : text;
    if (!is(Sabotage.TELLS_FACTS_LATE) && !is(Sabotage.TELLS_NO_FACTS)) {
      listener.facts(facts);
    }
    tell(kept, listener);
    if (is(Sabotage.TELLS_FACTS_LATE)) {
      listener.facts(facts);
    }
    return new Response.Reply(
        Message.assistant(kept),
        cut ? StopReason.MAX_TOKENS : StopReason.STOP,
        is(Sabotage.NO_USAGE) ? Usage.NONE : new Usage(3, 4),
        origin(request, 200, kept));
  }

  private void tell(String text, ExchangeListener listener) throws InterruptedException {
    if (listener.wantsChunks()) {
      int half = text.length() / 2;
      listener.chunk(new Chunk.Text(text.substring(0, half)));
      if (!is(Sabotage.LOSES_PIECES)) {
        listener.chunk(new Chunk.Text(text.substring(half)));
      }
    }
  }

  private Optional<String> demanded(Request request) {
    return switch (request.toolChoice()) {
      case ToolChoice.Required _ when !is(Sabotage.TALKS_IN_SPITE_OF_REQUIRED) ->
          Optional.of(request.tools().getFirst().name());
      case ToolChoice.Named(String tool) ->
          Optional.of(is(Sabotage.CALLS_ANOTHER_TOOL) ? request.tools().getFirst().name() : tool);
      default -> Optional.empty();
    };
  }

  private Response called(Request request, String rest, ExchangeListener listener)
      throws InterruptedException {
    String[] parts = rest.split(" ", 2);
    return request.toolChoice() instanceof ToolChoice.None && !is(Sabotage.CALLS_IN_SPITE_OF_NONE)
        ? answer(request, "I may not.", ResponseFacts.NONE, listener)
        : call(request, parts[0], parts[1], listener);
  }

  private Response call(Request request, String tool, String arguments, ExchangeListener listener)
      throws InterruptedException {
    listener.facts(ResponseFacts.NONE);
    var call = new ToolCall(is(Sabotage.CALLS_WITHOUT_ID) ? "" : "call_1", tool, arguments);
    if (listener.wantsChunks() && !is(Sabotage.LOSES_PIECES_OF_CALLS)) {
      listener.chunk(new Chunk.ToolCallPart(0, call.id(), tool, ""));
      listener.chunk(new Chunk.ToolCallPart(0, "", "", arguments));
    }
    return new Response.Reply(
        new Message.Assistant("", "", List.of(call), Optional.empty()),
        StopReason.TOOL_CALLS,
        new Usage(3, 4),
        origin(request, 200, tool));
  }

  private Response refused(Request request, String[] words, ExchangeListener listener)
      throws InterruptedException {
    int status = Integer.parseInt(words[0]);
    String message = is(Sabotage.SHOWS_THE_CREDENTIAL) ? words[2] : secret.redact(words[2]);
    ResponseFacts facts =
        is(Sabotage.FORGETS_THE_WAIT) ? ResponseFacts.NONE : facts("retry-after", words[1]);
    Origin origin = origin(request, status, message);
    if (is(Sabotage.TAKES_A_REFUSAL_FOR_AN_ANSWER)) {
      listener.facts(facts);
    }
    if (is(Sabotage.GIVES_PIECES_OF_A_REFUSAL) && listener.wantsChunks()) {
      listener.chunk(new Chunk.Text(message));
    }
    if (status == 401 && !is(Sabotage.RETRIES_A_WRONG_CREDENTIAL)) {
      return new Response.Authentication(message, Outcome.Reach.ACCOUNT, origin);
    }
    if (status == 429) {
      return new Response.RateLimited(message, facts, origin);
    }
    return is(Sabotage.GIVES_UP_ON_SERVER_ERRORS)
        ? new Response.InvalidRequest(message, Outcome.Reach.REQUEST, origin)
        : new Response.Transient(message, origin);
  }

  private Response unreadable(Request request, Sabotage way, ExchangeListener listener)
      throws InterruptedException {
    if (is(Sabotage.THROWS)) {
      throw new IllegalStateException("cannot be read");
    }
    if (is(way)) {
      return answer(request, "<html>", ResponseFacts.NONE, listener);
    }
    listener.facts(ResponseFacts.NONE);
    return new Response.UnreadableReply("200: it is a page", origin(request, 200, "<html>"));
  }

  private Origin origin(Request request, int status, String received) {
    String sent = is(Sabotage.LOSES_IMAGES) ? texts(request) : request.messages().toString();
    if (is(Sabotage.FORGETS_WHAT_WAS_SAID)) {
      sent = request.messages().getLast().text();
    }
    String shown = is(Sabotage.SHOWS_THE_CREDENTIAL) ? sent : secret.redact(sent);
    return new Origin(
        name,
        OptionalInt.of(status),
        "",
        is(Sabotage.NO_REQUEST_ID) || (is(Sabotage.NO_ID_OF_A_REFUSAL) && status >= 400)
            ? Optional.empty()
            : Optional.of("req_1"),
        sent.length(),
        Math.max(1, received.length()),
        Optional.of(new Origin.Raw(shown, received)));
  }

  private static String texts(Request request) {
    return String.join("\n", request.messages().stream().map(Message::text).toList());
  }
}
