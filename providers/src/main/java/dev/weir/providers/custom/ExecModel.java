package dev.weir.providers.custom;

import dev.weir.limits.LimitKey;
import dev.weir.limits.header.BodyHints;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.header.ResponseFactsParser;
import dev.weir.limits.retry.Outcome;
import dev.weir.model.Adapter;
import dev.weir.model.Chunk;
import dev.weir.model.DurationText;
import dev.weir.model.ExchangeListener;
import dev.weir.model.ModelName;
import dev.weir.model.Origin;
import dev.weir.model.Printable;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.Secret;
import dev.weir.model.ToolCall;
import dev.weir.model.Usage;
import dev.weir.model.cache.FileShape;
import dev.weir.providers.http.ErrorReply;
import dev.weir.providers.http.Json;
import dev.weir.providers.http.Redaction;
import dev.weir.providers.http.UnreadableException;
import dev.weir.time.Time;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A model that is a program, started for each request.
 *
 * <p>On standard input it gets one JSON object, the fields of {@link ChatBody} and those that the
 * user adds. What it prints is its reply: a text; or, if it begins with a brace, one JSON object.
 *
 * <pre>
 *   {"text": "…", "tool_calls": [{"id": "1", "name": "search", "arguments": {"q": "weir"}}],
 *    "stop_reason": "stop", "usage": {"input": 12, "output": 3},
 *    "metadata": {"headers": {"x-ratelimit-remaining-requests": 7}}}
 *   {"error": "too many requests", "metadata": {"headers": {"retry-after": 60}}}
 *   {"error": {"message": "no such key", "status": 401}}
 *   {"error": {"message": "the index is being built", "transient": true}}
 * </pre>
 *
 * <p>An exit code other than 0 is a failure too, with the end of standard error as its message. The
 * same program would mostly fail again, so only a failure that says otherwise is tried again: by
 * exit code 75 (a temporary failure, as sysexits.h has it), {@code transient}, a status, or words
 * for a rate limit.
 *
 * <p>Thread-safe.
 */
final class ExecModel implements Adapter {

  /** Linux takes 128 KiB, and a character may be four bytes. */
  private static final int LONGEST_ARGUMENT = 32_000;

  /** EX_TEMPFAIL. */
  private static final int TEMPORARY_FAILURE = 75;

  private final ModelName name;
  private final LimitKey key;
  private final ExecConfig config;
  private final Secret secret;
  private final Time time;
  private final String shape;

  ExecModel(ModelName name, LimitKey key, ExecConfig config, Secret secret, Time time) {
    this.name = name;
    this.key = key;
    this.config = config;
    this.secret = secret;
    this.time = time;
    this.shape = FileShape.of(config.files());
  }

  @Override
  public LimitKey key() {
    return key;
  }

  @Override
  public String endpoint() {
    return config.source().toString();
  }

  @Override
  public String shape(Request request) {
    return shape;
  }

  @Override
  public Response exchange(Request request, ExchangeListener listener) throws InterruptedException {
    Exchange exchange;
    try {
      exchange =
          config.options().isPresent()
              ? new Exchange(arguments(request, config.options().get()), new byte[0])
              : new Exchange(List.of(), body(request));
    } catch (IllegalArgumentException malformed) {
      // A tool or an extra field whose JSON is none: the request is at fault, and no other.
      return new Response.InvalidRequest(
          "the request cannot be written: "
              + secret.redact(Printable.line(String.valueOf(malformed.getMessage()))),
          Outcome.Reach.REQUEST,
          Origin.of(name));
    }
    Response response = Redaction.of(secret, exchange.run());
    if (response instanceof Response.Reply) {
      listener.facts(exchange.facts());
    }
    if (listener.wantsChunks() && response instanceof Response.Reply reply) {
      // A program answers at once: one piece is better than none.
      for (Chunk piece : Chunk.piecesOf(reply.message())) {
        listener.chunk(piece);
      }
    }
    return response;
  }

  private byte[] body(Request request) {
    Map<String, Object> fields = ChatBody.of(request, config.model());
    request.settings().extraBody().forEach((field, json) -> fields.put(field, Json.embed(json)));
    return Json.write(fields);
  }

  /** The prompt, or several messages as JSON; options; and what the request says of its origin. */
  private static List<String> arguments(Request request, String options) {
    String prompt =
        request.messages().size() == 1
            ? request.messages().getFirst().text()
            : Json.text(ChatBody.messages(request));
    List<String> arguments =
        List.of(prompt, options, request.settings().extraBody().getOrDefault("context", "{}"));
    for (String argument : arguments) {
      if (argument.length() > LONGEST_ARGUMENT || argument.indexOf('\0') >= 0) {
        throw new IllegalArgumentException(
            "an argument of a program may have %d characters at most, and none that is null"
                .formatted(LONGEST_ARGUMENT));
      }
    }
    return arguments;
  }

  /** One exchange on its way. Not thread-safe. */
  private final class Exchange {

    private final List<String> arguments;
    private final byte[] sent;
    private String printed = "";
    private Json json = Json.ABSENT;

    Exchange(List<String> arguments, byte[] sent) {
      this.arguments = arguments;
      this.sent = sent;
    }

    Response run() throws InterruptedException {
      try {
        return switch (new Program(config, time).run(arguments, sent)) {
          case Program.End.Exited exited -> read(exited);
          case Program.End.TimedOut(String complaint) -> timedOut(complaint);
          case Program.End.PrintedTooMuch _ ->
              new Response.UnreadableReply(
                  "it printed more than %d bytes and was ended; `max_output` sets the most"
                      .formatted(config.maxOutput()),
                  origin());
        };
      } catch (IOException failed) {
        return new Response.InvalidRequest(
            "the program cannot be run: " + secret.redact(String.valueOf(failed.getMessage())),
            Outcome.Reach.MODEL,
            origin());
      }
    }

    /** What the answer says about limits. */
    ResponseFacts facts() {
      return ResponseFactsParser.parse(CustomFailure.headers(json), BodyHints.NONE, time.instant());
    }

    private Response read(Program.End.Exited exited) {
      printed = exited.output();
      boolean isObject = !config.plain() && printed.stripLeading().startsWith("{");
      json = isObject ? Json.parseOrAbsent(printed) : Json.ABSENT;
      boolean isTemporary =
          exited.code() == TEMPORARY_FAILURE
              || json.flag("transient").orElse(false)
              || json.flag("error", "transient").orElse(false);
      if (json.at("error").isPresent()) {
        return failure(Json.parseOrAbsent(secret.redact(printed)), status(), "", isTemporary);
      }
      if (exited.code() != 0) {
        return exitCode(exited, isTemporary);
      }
      if (isTemporary) {
        return new Response.Transient("the reply is marked as transient", origin());
      }
      try {
        return isObject ? reply(Json.parse(printed)) : plain();
      } catch (UnreadableException unreadable) {
        String why = secret.redact(String.valueOf(unreadable.getMessage()));
        return new Response.UnreadableReply("the output cannot be read: " + why, origin());
      }
    }

    /** A rate limit is named where the program ends; what it logs before may name one, too. */
    private Response.Failure exitCode(Program.End.Exited exited, boolean isTemporary) {
      String why = said("exit code " + exited.code(), complaint(exited));
      String last = complaint(exited).lines().reduce("", (a, b) -> b.isBlank() ? a : b);
      return switch (failure(Json.ABSENT, 0, last, isTemporary)) {
        case Response.RateLimited limited ->
            new Response.RateLimited(why, limited.facts(), limited.origin());
        case Response.Overloaded overloaded ->
            new Response.Overloaded(why, overloaded.facts(), overloaded.origin());
        case Response.Failure _ when isTemporary -> new Response.Transient(why, origin());
        case Response.Failure _ ->
            new Response.InvalidRequest(why, Outcome.Reach.REQUEST, origin());
      };
    }

    private static String complaint(Program.End.Exited exited) {
      return exited.complaint().isBlank() ? exited.output() : exited.complaint();
    }

    private Response plain() throws UnreadableException {
      if (printed.isBlank()) {
        throw new UnreadableException("it is empty");
      }
      // The line break is the shell's, not the model's.
      String text = printed.endsWith("\n") ? printed.substring(0, printed.length() - 1) : printed;
      return CustomReply.of(text, List.of(), Optional.empty(), Usage.NONE, origin());
    }

    private Response reply(Json read) throws UnreadableException {
      List<ToolCall> calls = CustomReply.toolCalls(read.at("tool_calls"));
      Optional<String> text = read.text("text");
      if (text.isEmpty() && calls.isEmpty()) {
        throw new UnreadableException(
            "it has neither `text` nor `tool_calls` nor `error`; output: text would take it as"
                + " it is");
      }
      return CustomReply.of(
          text.orElse(""),
          calls,
          read.text("stop_reason"),
          new Usage(read.count("usage", "input"), read.count("usage", "output")),
          origin());
    }

    private int status() {
      return CustomFailure.status(json);
    }

    private Response.Failure failure(Json error, int status, String text, boolean isTemporary) {
      Response.Failure failure =
          CustomFailure.of(
              new ErrorReply(
                  status,
                  "",
                  Map.of(),
                  error.isPresent() ? error.toString() : text,
                  error,
                  time.instant(),
                  origin()));
      return switch (failure) {
        case Response.RateLimited _, Response.Overloaded _ -> failure;
        case Response.Failure _ when isTemporary ->
            new Response.Transient(failure.message(), failure.origin());
        case Response.Transient _ when status < 300 ->
            new Response.InvalidRequest(failure.message(), Outcome.Reach.REQUEST, failure.origin());
        default -> failure;
      };
    }

    /**
     * A program that takes arguments cannot say that a later attempt may succeed, so that its
     * silence is an answer.
     */
    private Response timedOut(String complaint) {
      String why =
          said(
              "it gave no reply within %s and was ended"
                  .formatted(DurationText.words(config.timeout())),
              complaint);
      return config.options().isPresent()
          ? new Response.InvalidRequest(why, Outcome.Reach.REQUEST, origin())
          : new Response.Transient(why, origin());
    }

    /** The last words of a program, which are the ones that matter. */
    private String said(String what, String complaint) {
      String words = secret.redact(complaint).strip();
      int most = 400;
      return words.isEmpty()
          ? what
          : what
              + ": "
              + (words.length() > most ? "…" + words.substring(words.length() - most) : words);
    }

    private Origin origin() {
      int status = status();
      return new Origin(
          name,
          status == 0 ? OptionalInt.empty() : OptionalInt.of(status),
          "",
          Optional.empty(),
          sent.length,
          printed.getBytes(StandardCharsets.UTF_8).length,
          Optional.of(
              new Origin.Raw(
                  secret.redact(new String(sent, StandardCharsets.UTF_8)),
                  secret.redact(printed))));
    }
  }
}
