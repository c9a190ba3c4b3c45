package dev.weir.limits.header;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a response says about limits; an answer and a refusal are read the same way.
 *
 * @param quotas the buckets it describes, headers first; two may describe the same one in different
 *     words
 * @param serverWait how long the server asks to wait before a refused request is repeated, at most
 *     30 days; without meaning when the request was answered
 * @param windowEnd when the quota that ran out is there again, as {@code ratelimit-reset} says: for
 *     a refused request without {@code serverWait} the next best wait, at most 30 days. Headers
 *     that name the time until a bucket is <em>full</em> ({@code x-ratelimit-reset-requests}) are
 *     none: one unit is back long before
 * @param limitKind which limit refused the request: the {@linkplain Dimension#word word} of a
 *     dimension, or {@value #CONCURRENCY}
 */
public record ResponseFacts(
    List<QuotaSnapshot> quotas,
    Optional<Duration> serverWait,
    Optional<Duration> windowEnd,
    Optional<String> limitKind) {

  /** The {@link #limitKind} of a refusal because too many requests are in flight. */
  public static final String CONCURRENCY = "concurrency";

  /** A response that says nothing. */
  public static final ResponseFacts NONE =
      new ResponseFacts(List.of(), Optional.empty(), Optional.empty());

  public ResponseFacts {
    quotas = List.copyOf(quotas);
    Durations.requireBounded("serverWait", serverWait);
    Durations.requireBounded("windowEnd", windowEnd);
  }

  /** Without the end of a window. */
  public ResponseFacts(
      List<QuotaSnapshot> quotas, Optional<Duration> serverWait, Optional<String> limitKind) {
    this(quotas, serverWait, Optional.empty(), limitKind);
  }
}
