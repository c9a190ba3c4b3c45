package dev.weir.limits.header;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Reads what a response says about limits, whichever provider sent it.
 *
 * <p>Providers are told apart by the names of their headers alone: a gateway in between answers in
 * the words of the provider behind it, and a provider that changes its style is still understood.
 */
public final class ResponseFactsParser {

  private static final int MAX_QUOTAS = 32;
  private static final BigDecimal SECONDS_PER_MILLI = new BigDecimal("0.001");

  private static final List<HeaderFamily> FAMILIES =
      List.of(
          new AnthropicHeaders(),
          new NamedBucketHeaders(),
          new TogetherHeaders(),
          new PlainHeaders(),
          new StructuredHeaders());

  /** Types of errors that name what ran out; most name only that something did. */
  private static final Map<String, Dimension> ERROR_TYPES =
      Map.of(
          "requests", Dimension.REQUESTS,
          "tokens", Dimension.TOKENS,
          "dynamic_request_limited", Dimension.REQUESTS,
          "dynamic_token_limited", Dimension.TOKENS);

  private ResponseFactsParser() {}

  /**
   * @param headers by name in any case
   * @param hints what the body says, {@link BodyHints#NONE} if nothing
   * @param now our wall clock, used for moments if the response has no {@code Date}
   */
  public static ResponseFacts parse(
      Map<String, ? extends Collection<String>> headers, BodyHints hints, Instant now) {
    ResponseHeaders read = new ResponseHeaders(headers);
    if (!read.tellLimits() && hints.isEmpty()) {
      return ResponseFacts.NONE;
    }
    ServerClock clock = ServerClock.of(read, now);
    List<QuotaSnapshot> violated = QuotaViolations.quotas(hints);
    Optional<ErrorMessage> message = hints.message().map(ErrorMessage::new);
    Optional<String> kind = limitKind(hints, violated, message);

    List<QuotaSnapshot> quotas = new ArrayList<>();
    for (HeaderFamily family : FAMILIES) {
      quotas.addAll(family.quotas(read, clock));
    }
    quotas.addAll(violated);
    message
        .flatMap(text -> text.quota(kind.orElse("")))
        .filter(quota -> !isKnown(quota, quotas))
        .ifPresent(quotas::add);

    return new ResponseFacts(
        quotas.subList(0, Math.min(quotas.size(), MAX_QUOTAS)),
        serverWait(read, hints, message, clock),
        PlainHeaders.windowEnd(read, clock).or(() -> StructuredHeaders.windowEnd(read, clock)),
        kind);
  }

  /** The more precise wins, and what is meant for programs over what is meant for people. */
  private static Optional<Duration> serverWait(
      ResponseHeaders headers, BodyHints hints, Optional<ErrorMessage> message, ServerClock clock) {
    return millis(headers.first("retry-after-ms"))
        .or(() -> millis(headers.first("x-ms-retry-after-ms")))
        .or(() -> clock.until(headers.first("retry-after")))
        .or(() -> hints.retryDelay().flatMap(clock::until))
        .or(() -> message.flatMap(ErrorMessage::serverWait))
        .or(() -> TogetherHeaders.suggestedWait(headers, clock));
  }

  private static Optional<Duration> millis(String text) {
    return Numbers.decimal(text).map(SECONDS_PER_MILLI::multiply).flatMap(Durations::ofSeconds);
  }

  private static Optional<String> limitKind(
      BodyHints hints, List<QuotaSnapshot> violated, Optional<ErrorMessage> message) {
    return hints
        .errorType()
        .flatMap(ResponseFactsParser::kindOfType)
        .or(() -> violated.stream().findFirst().map(quota -> quota.dimension().word()))
        .or(() -> message.flatMap(ErrorMessage::limitKind));
  }

  private static Optional<String> kindOfType(String errorType) {
    String type = errorType.toLowerCase(Locale.ROOT);
    return type.contains("concurren")
        ? Optional.of(ResponseFacts.CONCURRENCY)
        : Optional.ofNullable(ERROR_TYPES.get(type)).map(Dimension::word);
  }

  /** A message repeats what the headers say, and they say more. */
  private static boolean isKnown(QuotaSnapshot quota, List<QuotaSnapshot> quotas) {
    return quotas.stream()
        .anyMatch(
            known -> known.dimension() == quota.dimension() && known.limit().equals(quota.limit()));
  }
}
