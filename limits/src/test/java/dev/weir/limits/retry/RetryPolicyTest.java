package dev.weir.limits.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.limits.header.ResponseFacts;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RetryPolicyTest {

  private final RetryPolicy policy =
      RetryPolicy.documented(OptionalInt.empty(), new SplittableRandom(1));

  @Test
  void answersAndTerminalFailuresAreDone() {
    assertThat(policy.decide(new Outcome.Clean(), 1, RetryBounds.NONE))
        .isEqualTo(new Decision.Done());
    assertThat(
            policy.decide(new Outcome.Terminal(Outcome.Reach.REQUEST, "no"), 1, RetryBounds.NONE))
        .isEqualTo(new Decision.Done());
  }

  @Test
  void waitsDoubleFromThreeSecondsUpToHalfAnHour() {
    for (int attempt = 1; attempt <= 10; attempt++) {
      Duration base = Duration.ofSeconds(3L << (attempt - 1));
      for (Outcome outcome :
          new Outcome[] {new Outcome.Transient(), new Outcome.RateLimited(ResponseFacts.NONE)}) {
        assertThat(waitAfter(outcome, attempt))
            .isBetween(base, base.plusSeconds(3))
            .isLessThanOrEqualTo(Duration.ofMinutes(30));
      }
    }
    // The tenth waits about 25 minutes, and everything later half an hour.
    assertThat(waitAfter(new Outcome.Transient(), 10)).isGreaterThan(Duration.ofMinutes(25));
    assertThat(waitAfter(new Outcome.Transient(), 11)).isEqualTo(Duration.ofMinutes(30));
    assertThat(waitAfter(new Outcome.Transient(), Integer.MAX_VALUE))
        .isEqualTo(Duration.ofMinutes(30));
  }

  @Test
  void theServersWaitIsKeptAndStretchedByATenthAtMost() {
    assertThat(waitAfter(refusalWithWait(Duration.ofSeconds(10)), 1))
        .isBetween(Duration.ofSeconds(10), Duration.ofSeconds(11));
    assertThat(waitAfter(refusalWithWait(Duration.ofHours(2)), 20))
        .isBetween(Duration.ofHours(2), Duration.ofMinutes(132));
  }

  /** A server that always says "at once" is not asked a hundred times a second. */
  @Test
  void theServersWaitDoesNotShortenTheDocumentedBackoff() {
    for (Duration hint : List.of(Duration.ZERO, Duration.ofMillis(5), Duration.ofSeconds(1))) {
      assertThat(waitAfter(refusalWithWait(hint), 4))
          .isBetween(Duration.ofSeconds(24), Duration.ofSeconds(27));
    }
  }

  @Test
  void inHalvingTheServersWaitReplacesTheBackoffUnlessItIsNone() {
    RetryPolicy three = RetryPolicy.threeTimes(new SplittableRandom(1));
    assertThat(three.decide(refusalWithWait(Duration.ofMillis(100)), 3, RetryBounds.NONE))
        .isInstanceOfSatisfying(
            Decision.Again.class,
            again ->
                assertThat(again.after())
                    .isBetween(Duration.ofMillis(100), Duration.ofMillis(110)));
    assertThat(three.decide(refusalWithWait(Duration.ZERO), 3, RetryBounds.NONE))
        .isEqualTo(new Decision.Again(Duration.ofSeconds(4)));
  }

  @Test
  void impossibleArgumentsAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> policy.decide(new Outcome.Clean(), 0, RetryBounds.NONE))
        .withMessage("`attempt` must be >= 1, was 0");
  }

  @Test
  void threeRetriesDouble() {
    RetryPolicy three = RetryPolicy.threeTimes(new SplittableRandom(1));
    assertThat(three.decide(new Outcome.Transient(), 1, RetryBounds.NONE))
        .isEqualTo(new Decision.Again(Duration.ofSeconds(1)));
    assertThat(three.decide(new Outcome.Transient(), 2, RetryBounds.NONE))
        .isEqualTo(new Decision.Again(Duration.ofSeconds(2)));
    assertThat(three.decide(new Outcome.Transient(), 3, RetryBounds.NONE))
        .isEqualTo(new Decision.Again(Duration.ofSeconds(4)));
    assertThat(three.decide(new Outcome.Transient(), 4, RetryBounds.NONE))
        .isEqualTo(new Decision.GiveUp("3 retries were not enough"));
  }

  @Test
  void theFirstWaitAfterATransientFailureCanBeChosen() {
    RetryPolicy three = RetryPolicy.threeTimes(new SplittableRandom(1));
    RetryBounds bounds = RetryBounds.NONE.withRequestBackoff(Duration.ofSeconds(5));
    for (int attempt = 1; attempt <= 3; attempt++) {
      Duration base = Duration.ofSeconds(5L << (attempt - 1));
      assertThat(three.decide(new Outcome.Transient(), attempt, bounds))
          .isEqualTo(new Decision.Again(base));
      assertThat(waitAfter(new Outcome.Transient(), attempt, bounds))
          .isBetween(base, base.plusSeconds(5));
    }
    // The longest wait stays what it was, unless the first is longer already.
    assertThat(waitAfter(new Outcome.Transient(), 40, bounds)).isEqualTo(Duration.ofMinutes(30));
    Duration day = Duration.ofDays(1);
    assertThat(waitAfter(new Outcome.Transient(), 40, RetryBounds.NONE.withRequestBackoff(day)))
        .isEqualTo(day);
  }

  @Test
  void refusalsAndOverloadWaitAsEver() {
    RetryBounds bounds = RetryBounds.NONE.withRequestBackoff(Duration.ofMillis(1));
    for (Outcome outcome :
        List.of(
            new Outcome.RateLimited(ResponseFacts.NONE),
            new Outcome.Overloaded(ResponseFacts.NONE))) {
      assertThat(waitAfter(outcome, 1, bounds))
          .isBetween(Duration.ofSeconds(3), Duration.ofSeconds(6));
    }
  }

  @Test
  void aNumberOfRetriesThatIsGivenReplacesThePolicysOwn() {
    RetryPolicy three = RetryPolicy.threeTimes(new SplittableRandom(1));
    var five = new RetryBounds(OptionalInt.of(5), Optional.empty(), Optional.empty());
    assertThat(three.decide(new Outcome.Transient(), 5, five))
        .isEqualTo(new Decision.Again(Duration.ofSeconds(16)));
    assertThat(three.decide(new Outcome.Transient(), 6, five))
        .isEqualTo(new Decision.GiveUp("5 retries were not enough"));
  }

  /** {@code ratelimit-reset} counts where {@code Retry-After} does not say better. */
  @Test
  void theEndOfTheWindowIsWaitedForUnlessTheServerNamesAWait() {
    var windowEnd = Optional.of(Duration.ofSeconds(40));
    var without = new ResponseFacts(List.of(), Optional.empty(), windowEnd, Optional.empty());
    var beside =
        new ResponseFacts(
            List.of(), Optional.of(Duration.ofSeconds(20)), windowEnd, Optional.empty());
    RetryPolicy three = RetryPolicy.threeTimes(new SplittableRandom(1));
    for (RetryPolicy each : List.of(policy, three)) {
      assertThat(each.decide(new Outcome.RateLimited(without), 1, RetryBounds.NONE))
          .isInstanceOfSatisfying(
              Decision.Again.class,
              again ->
                  assertThat(again.after())
                      .isBetween(Duration.ofSeconds(40), Duration.ofSeconds(44)));
      assertThat(each.decide(new Outcome.RateLimited(beside), 1, RetryBounds.NONE))
          .isInstanceOfSatisfying(
              Decision.Again.class,
              again ->
                  assertThat(again.after())
                      .isBetween(Duration.ofSeconds(20), Duration.ofSeconds(22)));
    }
  }

  @Test
  void impossibleBoundsAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RetryBounds.NONE.withRequestBackoff(Duration.ZERO))
        .withMessage("`requestBackoff` must be > 0, was PT0S");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RetryBounds.NONE.withRequestBackoff(Duration.ofDays(2)))
        .withMessage("`requestBackoff` must be <= PT24H, was PT48H");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RetryBounds.NONE.withQueueTimeout(Duration.ofMillis(-1)))
        .withMessage("`queueTimeout` must be >= 0, was PT-0.001S");
  }

  private static Outcome refusalWithWait(Duration wait) {
    return new Outcome.RateLimited(
        new ResponseFacts(List.of(), Optional.of(wait), Optional.empty()));
  }

  private Duration waitAfter(Outcome outcome, int attempt) {
    return waitAfter(outcome, attempt, RetryBounds.NONE);
  }

  private Duration waitAfter(Outcome outcome, int attempt, RetryBounds bounds) {
    if (policy.decide(outcome, attempt, bounds) instanceof Decision.Again(Duration after)) {
      return after;
    }
    throw new AssertionError("not retried: " + outcome);
  }
}
