package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.Mode;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.limits.retry.Outcome;
import dev.weir.limits.retry.RetryBounds;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What kinds of failure are tried again. */
class OutcomesTest {

  private static final Mode PACE = new Mode.Pace(PaceSettings.defaults());
  private static final Mode HALVING = new Mode.Halving(4);
  private static final Origin NO_STATUS = Origin.of(ModelName.parse("some/model"));

  private static Origin status(int status, String text) {
    return new Origin(
        NO_STATUS.model(), OptionalInt.of(status), text, Optional.empty(), 0, 0, Optional.empty());
  }

  private static Outcome outcome(Response response, Mode mode) {
    return Outcomes.of(response, mode, RetryBounds.NONE);
  }

  @Test
  void eachKindHasItsOutcome() {
    assertThat(
            outcome(
                new Response.Reply(
                    Message.assistant("x"), StopReason.STOP, Usage.NONE, status(200, "OK")),
                PACE))
        .isEqualTo(new Outcome.Clean());
    assertThat(outcome(new Response.RateLimited("slow", ResponseFacts.NONE, status(429, "")), PACE))
        .isEqualTo(new Outcome.RateLimited(ResponseFacts.NONE));
    assertThat(outcome(new Response.Overloaded("full", ResponseFacts.NONE, status(529, "")), PACE))
        .isEqualTo(new Outcome.Overloaded(ResponseFacts.NONE));
    assertThat(outcome(new Response.Transient("reset", NO_STATUS), PACE))
        .isEqualTo(new Outcome.Transient());
    assertThat(outcome(new Response.Cancelled("gone", NO_STATUS), PACE))
        .isEqualTo(new Outcome.Nothing());
  }

  @Test
  void whatWouldHappenAgainIsFinalAsFarAsItReaches() {
    for (Mode mode : List.of(PACE, HALVING)) {
      for (Outcome.Reach reach : Outcome.Reach.values()) {
        assertThat(outcome(new Response.InvalidRequest("a", reach, NO_STATUS), mode))
            .isEqualTo(new Outcome.Terminal(reach, "a"));
        assertThat(outcome(new Response.Authentication("b", reach, NO_STATUS), mode))
            .isEqualTo(new Outcome.Terminal(reach, "b"));
        assertThat(outcome(new Response.QuotaExhausted("c", reach, NO_STATUS), mode))
            .isEqualTo(new Outcome.Terminal(reach, "c"));
      }
      assertThat(outcome(new Response.RefusedByPolicy("d", NO_STATUS), mode))
          .isEqualTo(new Outcome.Terminal(Outcome.Reach.REQUEST, "d"));
      assertThat(outcome(new Response.UnreadableReply("e", NO_STATUS), mode))
          .isEqualTo(new Outcome.Terminal(Outcome.Reach.REQUEST, "e"));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "502 | Bad Gateway           | true",
        "503 | Service Unavailable   | true",
        "503 | SERVICE UNAVAILABLE   | true",
        "504 | Gateway Timeout       | true",
        "524 | A Timeout Occurred    | true",
        "502 | ''                    | false",
        "502 | OK                    | false",
        "503 | Bad Gateway           | false",
        "504 | Timeout               | false",
        "500 | Internal Server Error | false",
        "408 | Request Timeout       | false",
        "529 | ''                    | false",
      })
  void halvingRetriesWhatIsPublished(int status, String text, boolean again) {
    Response fault = new Response.Transient("x", status(status, text));
    Response full = new Response.Overloaded("x", ResponseFacts.NONE, status(status, text));
    assertThat(outcome(fault, HALVING) instanceof Outcome.Transient).isEqualTo(again);
    assertThat(outcome(full, HALVING) instanceof Outcome.Overloaded).isEqualTo(again);
    // Every other mode retries them all.
    assertThat(outcome(fault, PACE)).isInstanceOf(Outcome.Transient.class);
    assertThat(outcome(full, PACE)).isInstanceOf(Outcome.Overloaded.class);
  }

  @Test
  void halvingRetriesWhatNeverReachedAServer() {
    assertThat(outcome(new Response.Transient("broke off", status(200, "OK")), HALVING))
        .isInstanceOf(Outcome.Transient.class);
    assertThat(outcome(new Response.Transient("reset", NO_STATUS), HALVING))
        .isInstanceOf(Outcome.Transient.class);
  }

  /** The option decides in every mode; without it, mode halving does not retry and others do. */
  @Test
  void whetherAnInternalErrorIsRetriedCanBeChosen() {
    Response fault = new Response.Transient("x", status(500, "Internal Server Error"));
    Response full = new Response.Overloaded("x", ResponseFacts.NONE, status(500, ""));
    RetryBounds retried = RetryBounds.NONE.withRetry5xx(true);
    RetryBounds lasting = RetryBounds.NONE.withRetry5xx(false);
    for (Mode mode : List.of(PACE, HALVING, new Mode.Static(3))) {
      assertThat(Outcomes.of(fault, mode, retried)).isInstanceOf(Outcome.Transient.class);
      assertThat(Outcomes.of(full, mode, retried)).isInstanceOf(Outcome.Overloaded.class);
      assertThat(Outcomes.of(fault, mode, lasting))
          .isEqualTo(new Outcome.Terminal(Outcome.Reach.REQUEST, "x"));
      assertThat(Outcomes.of(full, mode, lasting))
          .isEqualTo(new Outcome.Terminal(Outcome.Reach.REQUEST, "x"));
    }
  }

  @Test
  void theChoiceIsAboutInternalErrorsOnly() {
    RetryBounds lasting = RetryBounds.NONE.withRetry5xx(false);
    assertThat(Outcomes.of(new Response.Transient("x", status(503, "")), PACE, lasting))
        .isInstanceOf(Outcome.Transient.class);
    assertThat(Outcomes.of(new Response.Transient("reset", NO_STATUS), PACE, lasting))
        .isInstanceOf(Outcome.Transient.class);
    RetryBounds retried = RetryBounds.NONE.withRetry5xx(true);
    assertThat(Outcomes.of(new Response.Transient("x", status(501, "")), HALVING, retried))
        .isInstanceOf(Outcome.Terminal.class);
  }
}
