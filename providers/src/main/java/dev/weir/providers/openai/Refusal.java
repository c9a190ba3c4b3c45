package dev.weir.providers.openai;

import dev.weir.limits.header.BodyHints;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.model.Response;
import dev.weir.providers.http.ErrorReply;
import dev.weir.providers.http.Json;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An error response that has been read, and what rules may ask of it. */
record Refusal(ErrorReply reply, ApiError error) {

  /** What was asked for at once, and what the bucket holds when it is full. */
  private static final Pattern LIMIT_AND_REQUESTED =
      Pattern.compile("limit:? (\\d[\\d,]*).*?requested:? ~?(\\d[\\d,]*)");

  private static final List<String> SHORT_PERIODS =
      List.of("per sec", "per-sec", "per min", "per-min", "(rpm)", "(tpm)", "per hour");

  private static final List<String> LONG_PERIODS =
      List.of(
          "per day",
          "per-day",
          "(rpd)",
          "(tpd)",
          "daily limit",
          "daily quota",
          "daily request",
          "daily token",
          "per month",
          "monthly limit",
          "monthly quota",
          "monthly request",
          "monthly token");

  /** {@code 1000 API calls / month}; not the path of an address. */
  private static final Pattern LONG_RATE =
      Pattern.compile("(?<=[\\w ])(?<!\\.\\w{2,9})/ ?(?:day|month)\\b");

  private static final Pattern SHORT_RATE =
      Pattern.compile("(?<=[\\w ])(?<!\\.\\w{2,9})/ ?(?:s|sec|second|m|min|minute|h|hour)\\b");

  /** What a message says about limits, it says at its beginning. */
  private static final int LONGEST_READ = 4_096;

  static Refusal of(ErrorReply reply) {
    ApiError error = ApiError.of(reply.json(), reply.text());
    return new Refusal(withToldHeaders(reply, error), error);
  }

  /** An error inside an answer, with the status it would have had. */
  static Refusal inside(ErrorReply reply, Json body) {
    // Never the whole body: it may repeat what was asked.
    Json told = body.at("error").isPresent() ? body.at("error") : body.at("code");
    ApiError error = ApiError.of(body, told.isPresent() ? told.toString() : "it does not say why");
    var found =
        new ErrorReply(
            error.status(),
            "",
            reply.headers(),
            body.toString(),
            body,
            reply.now(),
            reply.origin());
    return new Refusal(withToldHeaders(found, error), error);
  }

  int status() {
    return reply.status();
  }

  String said() {
    return reply.message(Optional.of(error.message()));
  }

  BodyHints hints() {
    // Together names the limit in a code, OpenAI in the type.
    boolean codeTells = error.code().startsWith("dynamic_") || error.code().contains("concurren");
    BodyHints hints =
        BodyHints.NONE
            .withErrorType(codeTells ? error.code() : error.type())
            .withMessage(error.message());
    return retryDelay().map(hints::withRetryDelay).orElse(hints);
  }

  ResponseFacts facts() {
    return reply.facts(hints());
  }

  /** What the status alone means. */
  Response.Failure byStatus() {
    return reply.byStatus(Optional.of(error.message()), hints());
  }

  /** One request that is larger than the bucket can never pass, however long it waits. */
  boolean isLargerThanLimit() {
    Matcher numbers = LIMIT_AND_REQUESTED.matcher(read());
    return error.says("request too large")
        || (numbers.find() && number(numbers.group(2)) > number(numbers.group(1)));
  }

  /** Whether what ran out comes back tomorrow, or later; what is named first is what ran out. */
  boolean isOfLongPeriod() {
    return Math.min(first(LONG_PERIODS), first(LONG_RATE))
        < Math.min(first(SHORT_PERIODS), first(SHORT_RATE));
  }

  /** What the server asks to wait; zero if it does not. */
  Duration asksToWait() {
    return facts().serverWait().orElse(Duration.ZERO);
  }

  private Optional<String> retryDelay() {
    return error
        .json()
        .scalar("retry_after")
        .or(() -> error.json().scalar("metadata", "retry_after_seconds"))
        .or(() -> error.json().scalar("metadata", "retry_after"));
  }

  /** OpenRouter repeats headers in the body, or has them only there. */
  private static ErrorReply withToldHeaders(ErrorReply reply, ApiError error) {
    Json told = error.json().at("metadata", "headers");
    if (told.names().isEmpty()) {
      return reply;
    }
    Map<String, List<String>> headers = new HashMap<>(reply.headers());
    for (String name : told.names()) {
      told.scalar(name)
          .ifPresent(value -> headers.putIfAbsent(name.toLowerCase(Locale.ROOT), List.of(value)));
    }
    return new ErrorReply(
        reply.status(),
        reply.statusText(),
        headers,
        reply.text(),
        reply.json(),
        reply.now(),
        reply.origin());
  }

  private String read() {
    String message = error.message();
    return message.substring(0, Math.min(message.length(), LONGEST_READ)).toLowerCase(Locale.ROOT);
  }

  private int first(List<String> words) {
    String message = read();
    return words.stream()
        .mapToInt(message::indexOf)
        .filter(at -> at >= 0)
        .min()
        .orElse(Integer.MAX_VALUE);
  }

  private int first(Pattern words) {
    Matcher found = words.matcher(read());
    return found.find() ? found.start() : Integer.MAX_VALUE;
  }

  private static double number(String digits) {
    return Double.parseDouble(digits.replace(",", ""));
  }
}
