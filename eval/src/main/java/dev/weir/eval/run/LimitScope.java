package dev.weir.eval.run;

import dev.weir.eval.sample.SampleLimitExceededException;
import dev.weir.eval.sample.SampleLimits;
import dev.weir.eval.sample.SampleState;
import dev.weir.eval.sample.TokenLimit;
import dev.weir.model.Usage;
import dev.weir.model.price.Spend;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;

/**
 * The limits of a sample, or of a part of its work, and what was used within them. Not thread-safe:
 * guarded by the meter of the sample.
 */
final class LimitScope {

  private static final long CALL_PAUSE = Duration.ofSeconds(1).toNanos();

  /** What is left does not shrink during a wait; with little left, there must be a pause. */
  private static final long LEAST_WAIT_PAUSE = Duration.ofMillis(100).toNanos();

  private final SampleLimits limits;
  private final boolean isWhole;
  private final long begun;
  private final long idleBefore;
  private Usage usage = Usage.NONE;
  private Spend spend = Spend.NONE;
  private int turns;

  /**
   * @param isWhole whether it is the sample's own, which its state may change
   * @param idleBefore nanoseconds that were not worked before it began
   */
  LimitScope(SampleLimits limits, boolean isWhole, long now, long idleBefore) {
    this.limits = limits;
    this.isWhole = isWhole;
    this.begun = now;
    this.idleBefore = idleBefore;
  }

  /** Whether it is the sample's own. */
  boolean isWhole() {
    return isWhole;
  }

  boolean isTimed() {
    return limits.time().isPresent() || limits.working().isPresent();
  }

  void used(Usage more, Spend cost, boolean isTurn) {
    usage = usage.plus(more);
    spend = spend.plus(cost);
    turns += isTurn ? 1 : 0;
  }

  /** What forbids another question to the evaluated model, if anything. */
  Optional<SampleLimitExceededException> beforeTurn(SampleState state, int messages) {
    Optional<Integer> most =
        isWhole ? state.messageLimit().or(limits::messages) : limits.messages();
    if (most.isPresent() && messages >= most.get()) {
      return exceeded("message", messages, most.get(), "messages");
    }
    if (limits.turns().isPresent() && turns >= limits.turns().get()) {
      return exceeded("turn", turns, limits.turns().get(), "turns");
    }
    return Optional.empty();
  }

  /** What was used too much of, if anything. */
  Optional<SampleLimitExceededException> afterAnswer(SampleState state) {
    Optional<TokenLimit> tokens = isWhole ? state.tokenLimit().or(limits::tokens) : limits.tokens();
    if (tokens.isPresent() && tokens.get().counted(usage) > tokens.get().limit()) {
      String formula = tokens.get().formula();
      return exceeded(
          "token",
          (double) tokens.get().counted(usage),
          (double) tokens.get().limit(),
          formula.isEmpty() ? "tokens" : "tokens (" + formula + ")");
    }
    Optional<BigDecimal> cost = limits.cost();
    if (cost.isPresent() && spend.known().compareTo(cost.get()) > 0) {
      return exceeded("cost", spend.known().doubleValue(), cost.get().doubleValue(), "dollars");
    }
    return Optional.empty();
  }

  /**
   * What took too long, if anything did.
   *
   * @param idle nanoseconds that were not worked so far, including waits that still go on
   * @param isCalling whether a call is in flight: only its end tells how much of it was waiting
   */
  Optional<SampleLimitExceededException> overtime(long now, long idle, boolean isCalling) {
    if (limits.time().isPresent() && now - begun >= limits.time().get().toNanos()) {
      return exceeded(
          "time", seconds(now - begun), seconds(limits.time().get().toNanos()), "seconds");
    }
    if (limits.working().isPresent() && !isCalling) {
      long worked = worked(now, idle);
      if (worked > limits.working().get().toNanos()) {
        return exceeded(
            "working", seconds(worked), seconds(limits.working().get().toNanos()), "seconds");
      }
    }
    return Optional.empty();
  }

  /**
   * When to check again whether it took too long.
   *
   * @param isWaiting whether a wait goes on, during which nothing is worked
   */
  long nextLook(long now, long idle, boolean isCalling, boolean isWaiting) {
    long next = limits.time().map(limit -> begun + limit.toNanos()).orElse(Long.MAX_VALUE);
    if (limits.working().isPresent()) {
      long left = limits.working().get().toNanos() - worked(now, idle) + 1;
      // While a call is in flight nobody knows yet how much of it counts.
      long pause = isCalling ? CALL_PAUSE : Math.max(isWaiting ? LEAST_WAIT_PAUSE : 1, left);
      next = Math.min(next, now + pause);
    }
    return next;
  }

  private long worked(long now, long idle) {
    return Math.max(0, now - begun - (idle - idleBefore));
  }

  private static Optional<SampleLimitExceededException> exceeded(
      String type, double value, double limit, String unit) {
    return Optional.of(
        new SampleLimitExceededException(
            type,
            value,
            limit,
            "the %s limit of %s %s is reached (%s)"
                .formatted(type, number(limit), unit, number(value))));
  }

  private static String number(double value) {
    BigDecimal shown = BigDecimal.valueOf(Math.round(value * 1e6), 6).stripTrailingZeros();
    return shown.toPlainString();
  }

  private static double seconds(long nanos) {
    return nanos / 1e9;
  }
}
