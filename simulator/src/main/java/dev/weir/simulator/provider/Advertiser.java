package dev.weir.simulator.provider;

import dev.weir.simulator.provider.ProviderSettings.LimitChange;
import dev.weir.simulator.provider.ProviderSettings.Quota;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Writes the headers of one provider's responses as it advertises its quotas. Not thread-safe.
 *
 * <p>Every response has a {@code date}, to the second, as HTTP servers send it.
 */
public final class Advertiser {

  private static final Duration STALE_FOR = Duration.ofSeconds(5);
  private static final long DAY_SECONDS = 86_400;

  /** A day's quota is larger than what any run takes. */
  private static final long REQUESTS_PER_DAY = 1_000_000;

  /** How much larger than the quota that binds the other one is. */
  private static final int OTHER_BUCKET = 20;

  /** The fixed length that HTTP demands: the day of the month has two digits. */
  private static final DateTimeFormatter HTTP_DATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
          .withZone(ZoneOffset.UTC);

  private static final String[] GARBAGE = {
    "-1",
    "0",
    "NaN",
    "1e400",
    "",
    "soon",
    "999999999999999999999",
    "3",
    "1970-01-01T00:00:00Z",
    "2h",
    "17ms",
    "12, 13",
    "\"x\";r=1",
    "4294967296"
  };

  private final Advertisement as;
  private final ProviderSettings settings;
  private final Instant startedAt;
  private final SplittableRandom random;
  private QuotaHeaders repeated = QuotaHeaders.NONE;
  private long answers;

  /**
   * @param startedAt the wall clock at the provider's start
   */
  public Advertiser(Advertisement as, ProviderSettings settings, Instant startedAt, long seed) {
    this.as = as;
    this.settings = settings;
    this.startedAt = startedAt;
    this.random = new SplittableRandom(seed);
  }

  /**
   * The headers of a response.
   *
   * @param now when it is sent, in nanoseconds since the provider's start
   */
  public Map<String, String> headers(Response response, long now) {
    Map<String, String> headers = new LinkedHashMap<>();
    Instant sentAt = startedAt.plusNanos(now);
    headers.put("date", httpDate(sentAt));
    QuotaHeaders quota = shown(response.quota());
    quota.quotas().forEach((kind, header) -> write(kind, header, quota.takenAt(), headers));
    if (as == Advertisement.DAY) {
      writeDay(response, headers);
    }
    if (as == Advertisement.GARBAGE) {
      writeGarbage(headers);
    }
    response.retryAfter().ifPresent(wait -> writeRetryAfter(wait, sentAt, headers));
    return headers;
  }

  private QuotaHeaders shown(QuotaHeaders quota) {
    if (as == Advertisement.OPENAI_HALF) {
      return random.nextBoolean() ? quota : QuotaHeaders.NONE;
    }
    if (as == Advertisement.OPENAI_STALE) {
      if (repeated.quotas().isEmpty()
          || quota.takenAt() - repeated.takenAt() > STALE_FOR.toNanos()) {
        repeated = quota;
      }
      return repeated;
    }
    return quota;
  }

  private void write(
      RefusalKind kind, QuotaHeader header, long takenAt, Map<String, String> headers) {
    as.write(
        new Advertisement.Known(
            kind,
            header.limit(),
            header.remaining(),
            header.reset(),
            perSecond(kind, takenAt, header),
            startedAt.plusNanos(takenAt)),
        headers);
    if (as == Advertisement.OPENAI_TWO && kind == RefusalKind.REQUESTS) {
      long used = header.limit() - header.remaining();
      Advertisement.named(
          headers,
          "project-requests",
          OTHER_BUCKET * header.limit(),
          OTHER_BUCKET * header.limit() - used,
          Advertisement.goDuration(header.reset().dividedBy(OTHER_BUCKET)));
    }
  }

  private double perSecond(RefusalKind kind, long now, QuotaHeader header) {
    if (settings.calendar().isPresent()) {
      return header.limit() / (settings.calendar().get().length().toNanos() / 1e9);
    }
    double rate = quota(kind).map(Quota::perSecond).orElse(1.0);
    for (LimitChange change : settings.schedule()) {
      rate *= change.at().toNanos() <= now ? change.factor() : 1;
    }
    return rate;
  }

  private Optional<Quota> quota(RefusalKind kind) {
    return switch (kind) {
      case REQUESTS -> settings.requests();
      case TOKENS -> settings.tokens();
      case INPUT_TOKENS -> settings.inputTokens();
      case OUTPUT_TOKENS -> settings.outputTokens();
    };
  }

  private void writeDay(Response response, Map<String, String> headers) {
    answers += response instanceof Response.Answer ? 1 : 0;
    Advertisement.named(
        headers,
        "requests",
        REQUESTS_PER_DAY,
        REQUESTS_PER_DAY - answers,
        Advertisement.goDuration(
            Duration.ofMillis(1_000 * DAY_SECONDS * answers / REQUESTS_PER_DAY)));
  }

  private void writeGarbage(Map<String, String> headers) {
    for (String name :
        new String[] {
          "x-ratelimit-limit-requests",
          "x-ratelimit-remaining-requests",
          "x-ratelimit-reset-requests",
          "anthropic-ratelimit-requests-limit",
          "anthropic-ratelimit-requests-remaining",
          "anthropic-ratelimit-requests-reset"
        }) {
      if (random.nextInt(3) > 0) {
        headers.put(name, GARBAGE[random.nextInt(GARBAGE.length)]);
      }
    }
  }

  private void writeRetryAfter(Duration wait, Instant sentAt, Map<String, String> headers) {
    switch (as) {
      case NONE, REMAINING, RESET, GARBAGE, DAY -> {
        // These do not say when to come back.
      }
      case HTTP_DATE ->
          headers.put(
              "retry-after",
              httpDate(
                  Instant.ofEpochSecond(
                      Advertisement.secondsUp(
                          Duration.between(Instant.EPOCH, sentAt.plus(wait))))));
      case AZURE_MILLIS ->
          headers.put("retry-after-ms", Long.toString(Math.ceilDiv(wait.toNanos(), 1_000_000L)));
      default ->
          headers.put("retry-after", Long.toString(Math.max(1, Advertisement.secondsUp(wait))));
    }
  }

  private static String httpDate(Instant moment) {
    return HTTP_DATE.format(moment);
  }
}
