package dev.weir.simulator.provider;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What a provider writes about its quotas, and what the numbers mean there.
 *
 * <p>The same three words (limit, remaining, reset) mean different things at different providers:
 * {@code limit} is a capacity here and a rate there, and a reset is rounded to a millisecond or to
 * a second. A client has to find out which. {@link Advertiser} writes the headers of one provider.
 */
public enum Advertisement {
  NONE("nothing at all, not even how long to wait"),
  OPENAI("OpenAI: limit is the capacity, reset the time to full, in milliseconds"),
  OPENAI_RATE("OpenAI's names; limit is the rate per minute, remaining counts the burst"),
  OPENAI_SECONDS("OpenAI's names; reset is a whole number of seconds, rounded up"),
  OPENAI_HALF("OpenAI's headers on half of the responses, at random"),
  OPENAI_STALE("OpenAI's headers as a caching proxy repeats them, up to 5 s old"),
  OPENAI_TWO("OpenAI's headers for two request buckets, of which the smaller one binds"),
  ANTHROPIC("Anthropic: reset is the moment of a full bucket, truncated to the second"),
  ANTHROPIC_RATE("Anthropic's names; limit is the rate per minute, remaining counts the burst"),
  AZURE_MILLIS("Azure: reset is a bare number of milliseconds, with the renewal period"),
  AZURE_SECONDS("Azure, later: reset is a bare number of seconds, with the renewal period"),
  IETF_RATE("structured fields of the IETF draft: quota per minute, remaining burst"),
  EPOCH("x-ratelimit-* without a bucket's name; reset in seconds since 1970"),
  EPOCH_MILLIS("x-ratelimit-* without a bucket's name; reset in milliseconds since 1970"),
  REMAINING("what remains, and nothing else"),
  RESET("the time to full, and nothing else"),
  RETRY_AFTER("retry-after in whole seconds on refusals, and nothing else"),
  HTTP_DATE("retry-after as a date on refusals, and nothing else"),
  DAY("a daily quota that never binds; the quota that binds is not advertised"),
  LYING("OpenAI's headers, always with nearly everything left"),
  GARBAGE("anything: negative, huge, contradictory, past or not a number");

  private final String description;

  Advertisement(String description) {
    this.description = description;
  }

  /** Its name on the command line: {@code openai-rate}. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** What its headers say, in one line. */
  public String description() {
    return description;
  }

  public static Optional<Advertisement> ofWord(String word) {
    return Arrays.stream(values()).filter(value -> value.word().equals(word)).findFirst();
  }

  /** Whether a client can learn from the headers how much it may send. */
  public boolean isUsable() {
    return switch (this) {
      case OPENAI,
          OPENAI_RATE,
          OPENAI_SECONDS,
          OPENAI_HALF,
          OPENAI_TWO,
          ANTHROPIC,
          ANTHROPIC_RATE,
          AZURE_MILLIS,
          AZURE_SECONDS,
          IETF_RATE,
          EPOCH,
          EPOCH_MILLIS,
          REMAINING ->
          true;
      case NONE, OPENAI_STALE, RESET, RETRY_AFTER, HTTP_DATE, DAY, LYING, GARBAGE -> false;
    };
  }

  /**
   * One quota as a provider knows it.
   *
   * @param perSecond the refill; in calendar windows, its average
   * @param takenAt when the provider looked
   */
  record Known(
      RefusalKind kind,
      long limit,
      long remaining,
      Duration reset,
      double perSecond,
      Instant takenAt) {

    Instant fullAt() {
      return takenAt.plus(reset);
    }

    long perMinute() {
      return Math.max(1, Math.round(60 * perSecond));
    }
  }

  /** Writes what is told about one quota. */
  void write(Known quota, Map<String, String> headers) {
    String word = quota.kind().word();
    switch (this) {
      case OPENAI, OPENAI_HALF, OPENAI_STALE, OPENAI_TWO ->
          named(headers, word, quota.limit(), quota.remaining(), goDuration(quota.reset()));
      case OPENAI_RATE ->
          named(headers, word, quota.perMinute(), quota.remaining(), goDuration(quota.reset()));
      case OPENAI_SECONDS ->
          named(headers, word, quota.limit(), quota.remaining(), secondsUp(quota.reset()) + "s");
      case LYING -> named(headers, word, quota.limit(), quota.limit() - 1, "1ms");
      case AZURE_MILLIS -> {
        named(
            headers,
            word,
            quota.limit(),
            quota.remaining(),
            Long.toString(quota.reset().toMillis()));
        headers.put("x-ratelimit-renewalperiod-" + word, renewalPeriod(quota));
      }
      case AZURE_SECONDS -> {
        named(
            headers,
            word,
            quota.limit(),
            quota.remaining(),
            Long.toString(secondsUp(quota.reset())));
        headers.put("x-ratelimit-renewalperiod-" + word, renewalPeriod(quota));
      }
      case ANTHROPIC -> anthropic(headers, quota, quota.limit());
      case ANTHROPIC_RATE -> anthropic(headers, quota, quota.perMinute());
      case IETF_RATE -> {
        String unit = quota.kind() == RefusalKind.REQUESTS ? "" : ";qu=\"" + word + "\"";
        append(
            headers,
            "ratelimit-policy",
            "\"%s\";q=%d;w=60%s".formatted(word, quota.perMinute(), unit));
        append(
            headers,
            "ratelimit",
            "\"%s\";r=%d;t=%d".formatted(word, quota.remaining(), secondsUp(quota.reset())));
      }
      case EPOCH -> plain(headers, quota, secondsUp(sinceEpoch(quota.fullAt())));
      case EPOCH_MILLIS -> plain(headers, quota, quota.fullAt().toEpochMilli());
      case REMAINING ->
          headers.put("x-ratelimit-remaining-" + word, Long.toString(quota.remaining()));
      case RESET -> headers.put("x-ratelimit-reset-" + word, goDuration(quota.reset()));
      case NONE, RETRY_AFTER, HTTP_DATE, DAY, GARBAGE -> {
        // Nothing about this quota; Advertiser writes what there is.
      }
    }
  }

  static void named(
      Map<String, String> headers, String bucket, long limit, long remaining, String reset) {
    headers.put("x-ratelimit-limit-" + bucket, Long.toString(limit));
    headers.put("x-ratelimit-remaining-" + bucket, Long.toString(remaining));
    headers.put("x-ratelimit-reset-" + bucket, reset);
  }

  /** As Azure has it: the period in which the limit is filled, in seconds. */
  private static String renewalPeriod(Known quota) {
    return Long.toString(Math.max(1, Math.round(quota.limit() / quota.perSecond())));
  }

  private static void anthropic(Map<String, String> headers, Known quota, long limit) {
    String prefix = "anthropic-ratelimit-" + quota.kind().word();
    long remaining =
        quota.kind() == RefusalKind.REQUESTS
            ? quota.remaining()
            : Math.round(quota.remaining() / 1_000.0) * 1_000;
    headers.put(prefix + "-limit", Long.toString(limit));
    headers.put(prefix + "-remaining", Long.toString(remaining));
    headers.put(
        prefix + "-reset", Instant.ofEpochSecond(quota.fullAt().getEpochSecond()).toString());
  }

  private static void plain(Map<String, String> headers, Known quota, long reset) {
    if (quota.kind() == RefusalKind.REQUESTS) {
      headers.put("x-ratelimit-limit", Long.toString(quota.limit()));
      headers.put("x-ratelimit-remaining", Long.toString(quota.remaining()));
      headers.put("x-ratelimit-reset", Long.toString(reset));
    }
  }

  private static void append(Map<String, String> headers, String name, String member) {
    headers.merge(name, member, (before, added) -> before + ", " + added);
  }

  private static Duration sinceEpoch(Instant moment) {
    return Duration.between(Instant.EPOCH, moment);
  }

  static long secondsUp(Duration duration) {
    return duration.getSeconds() + (duration.getNano() > 0 ? 1 : 0);
  }

  static String goDuration(Duration duration) {
    return HeaderStyle.goDuration(Duration.ofMillis(duration.toMillis()));
  }
}
