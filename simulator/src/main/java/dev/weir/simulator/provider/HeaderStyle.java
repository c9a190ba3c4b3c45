package dev.weir.simulator.provider;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

/** How providers write on the wire what a {@link Response} tells about limits. */
public enum HeaderStyle {
  /** {@code x-ratelimit-*}; the reset is a duration such as {@code 6m0s} or {@code 120ms}. */
  OPENAI {
    @Override
    void write(Response response, Instant sentAt, Map<String, String> headers) {
      eachQuota(
          response,
          (kind, quota) -> {
            headers.put("x-ratelimit-limit-" + kind.word(), Long.toString(quota.limit()));
            headers.put("x-ratelimit-remaining-" + kind.word(), Long.toString(quota.remaining()));
            headers.put("x-ratelimit-reset-" + kind.word(), goDuration(quota.reset()));
          });
      writeRetryAfter(response, headers);
      writeRetryAfterMillis(response, headers);
    }
  },

  /**
   * {@code anthropic-ratelimit-*}; the reset is a time to the second, remaining tokens are rounded
   * to the nearest thousand.
   */
  ANTHROPIC {
    @Override
    void write(Response response, Instant sentAt, Map<String, String> headers) {
      eachQuota(
          response,
          (kind, quota) -> {
            String prefix = "anthropic-ratelimit-" + kind.word();
            boolean tokens = kind != RefusalKind.REQUESTS;
            long remaining =
                tokens ? Math.round(quota.remaining() / 1_000.0) * 1_000 : quota.remaining();
            long fullAt = wholeSeconds(Duration.between(Instant.EPOCH, sentAt).plus(quota.reset()));
            headers.put(prefix + "-limit", Long.toString(quota.limit()));
            headers.put(prefix + "-remaining", Long.toString(remaining));
            headers.put(prefix + "-reset", Instant.ofEpochSecond(fullAt).toString());
          });
      writeRetryAfter(response, headers);
    }
  },

  /** {@code x-ratelimit-remaining-*} alone: neither limit nor reset. */
  AZURE {
    @Override
    void write(Response response, Instant sentAt, Map<String, String> headers) {
      eachQuota(
          response,
          (kind, quota) ->
              headers.put(
                  "x-ratelimit-remaining-" + kind.word(), Long.toString(quota.remaining())));
      writeRetryAfter(response, headers);
      writeRetryAfterMillis(response, headers);
    }
  },

  /** No headers; the body of a refusal says which quota and when to come back. */
  GEMINI {
    @Override
    void write(Response response, Instant sentAt, Map<String, String> headers) {}

    @Override
    public Optional<String> refusalBody(Response.Refusal refusal) {
      List<String> details = new ArrayList<>();
      refusal.kind().ifPresent(kind -> details.add(quotaFailure(kind)));
      refusal.retryAfter().ifPresent(wait -> details.add(retryInfo(wait)));
      return Optional.of(
          """
          {"error":{"code":429,"status":"RESOURCE_EXHAUSTED",\
          "message":"You exceeded your current quota.","details":[%s]}}\
          """
              .formatted(String.join(",", details)));
    }
  },

  /** {@code retry-after} in whole seconds, nothing else. */
  RETRY_AFTER_ONLY {
    @Override
    void write(Response response, Instant sentAt, Map<String, String> headers) {
      writeRetryAfter(response, headers);
    }
  },

  NONE {
    @Override
    void write(Response response, Instant sentAt, Map<String, String> headers) {}
  };

  /** The headers of a response, in a fixed order. */
  public Map<String, String> render(Response response, Instant sentAt) {
    Map<String, String> headers = new LinkedHashMap<>();
    write(response, sentAt, headers);
    return headers;
  }

  /** The JSON body of a refusal, where it is the body that tells about limits. */
  public Optional<String> refusalBody(Response.Refusal refusal) {
    return Optional.empty();
  }

  abstract void write(Response response, Instant sentAt, Map<String, String> headers);

  private static void eachQuota(Response response, BiConsumer<RefusalKind, QuotaHeader> action) {
    response.quota().quotas().forEach(action);
  }

  private static void writeRetryAfter(Response response, Map<String, String> headers) {
    response
        .retryAfter()
        .ifPresent(wait -> headers.put("retry-after", Long.toString(wholeSeconds(wait))));
  }

  private static void writeRetryAfterMillis(Response response, Map<String, String> headers) {
    response
        .retryAfter()
        .map(wait -> Math.ceilDiv(wait.toNanos(), 1_000_000L))
        .ifPresent(millis -> headers.put("retry-after-ms", Long.toString(millis)));
  }

  private static String quotaFailure(RefusalKind kind) {
    String id =
        switch (kind) {
          case REQUESTS -> "GenerateRequestsPerMinutePerProjectPerModel";
          case TOKENS, INPUT_TOKENS -> "GenerateContentInputTokensPerModelPerMinute";
          case OUTPUT_TOKENS -> "GenerateContentOutputTokensPerModelPerMinute";
        };
    return """
    {"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"%s"}]}\
    """
        .formatted(id);
  }

  private static String retryInfo(Duration wait) {
    return """
    {"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"%s"}\
    """
        .formatted(decimalSeconds(wait));
  }

  /** Rounded up: a client that comes back earlier would be refused. */
  private static long wholeSeconds(Duration duration) {
    return duration.getSeconds() + (duration.getNano() > 0 ? 1 : 0);
  }

  /** As Go prints a duration of whole milliseconds: 17ms, 1.5s, 6m0s, 1h0m2.25s. */
  static String goDuration(Duration duration) {
    if (duration.compareTo(Duration.ofSeconds(1)) < 0) {
      return duration.isZero() ? "0s" : duration.toMillis() + "ms";
    }
    String seconds = decimalSeconds(duration.minusMinutes(duration.toMinutes()));
    if (duration.toHours() > 0) {
      return "%dh%dm%s".formatted(duration.toHours(), duration.toMinutesPart(), seconds);
    }
    return duration.toMinutes() > 0 ? "%dm%s".formatted(duration.toMinutes(), seconds) : seconds;
  }

  private static String decimalSeconds(Duration duration) {
    BigDecimal seconds =
        BigDecimal.valueOf(duration.getSeconds()).add(BigDecimal.valueOf(duration.getNano(), 9));
    return seconds.stripTrailingZeros().toPlainString() + "s";
  }
}
