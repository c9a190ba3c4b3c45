package dev.weir.eval.sample;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;

/**
 * What one sample, or a part of its work, may use. What is absent is not limited.
 *
 * @param time from its start, waiting included
 * @param working without waiting: for limits, for retries, for attempts that failed
 * @param messages how many may be passed to the evaluated model
 * @param tokens which tokens of all models, and how many
 * @param turns answers of the evaluated model
 * @param cost in US dollars
 */
public record SampleLimits(
    Optional<Duration> time,
    Optional<Duration> working,
    Optional<Integer> messages,
    Optional<TokenLimit> tokens,
    Optional<Integer> turns,
    Optional<BigDecimal> cost) {

  public static final SampleLimits NONE =
      new SampleLimits(
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());

  public static SampleLimits ofTime(Duration limit) {
    return NONE.withTime(limit);
  }

  public static SampleLimits ofMessages(int limit) {
    return NONE.withMessages(limit);
  }

  public static SampleLimits ofTurns(int limit) {
    return NONE.withTurns(limit);
  }

  /**
   * @param limit such as {@code 500k} or {@code output:1m}
   */
  public static SampleLimits ofTokens(String limit) {
    return NONE.withTokens(TokenLimit.parse(limit));
  }

  public SampleLimits withTime(Duration limit) {
    return new SampleLimits(Optional.of(limit), working, messages, tokens, turns, cost);
  }

  public SampleLimits withWorking(Duration limit) {
    return new SampleLimits(time, Optional.of(limit), messages, tokens, turns, cost);
  }

  public SampleLimits withMessages(int limit) {
    return new SampleLimits(time, working, Optional.of(limit), tokens, turns, cost);
  }

  public SampleLimits withTokens(TokenLimit limit) {
    return new SampleLimits(time, working, messages, Optional.of(limit), turns, cost);
  }

  public SampleLimits withTurns(int limit) {
    return new SampleLimits(time, working, messages, tokens, Optional.of(limit), cost);
  }

  public SampleLimits withCost(BigDecimal limit) {
    return new SampleLimits(time, working, messages, tokens, turns, Optional.of(limit));
  }
}
