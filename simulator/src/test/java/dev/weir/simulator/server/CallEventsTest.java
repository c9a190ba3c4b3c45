package dev.weir.simulator.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.CallEvent;
import dev.weir.model.CallListener;
import dev.weir.model.ModelCall;
import dev.weir.model.Response;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the stream of call events adds up to is what the simulated provider has counted. */
class CallEventsTest {

  /** Adds up the events of all calls, and checks the order of those of each. */
  private static final class Totals implements CallListener {

    private final Map<ModelCall, Class<? extends CallEvent>> last = new HashMap<>();
    private final Map<ModelCall, Long> lastNanos = new HashMap<>();
    private final Map<CallEvent.Cause, Integer> abandoned = new HashMap<>();
    private final Map<CallEvent.Result, Integer> results = new HashMap<>();
    private int sent;
    private int replies;
    private int refusals;
    private int failures;
    private int inFlight;
    private int peak;
    private long inputTokens;
    private long outputTokens;
    private int attemptsAtTheEnd;

    @Override
    public void on(CallEvent event) {
      var before = last.put(event.call(), event.getClass());
      assertThat(event.nanos())
          .isGreaterThanOrEqualTo(lastNanos.getOrDefault(event.call(), Long.MIN_VALUE));
      lastNanos.put(event.call(), event.nanos());
      switch (event) {
        case CallEvent.Queued _ -> assertThat(before).isNull();
        case CallEvent.Sent _ -> {
          assertThat(before)
              .isIn(CallEvent.Queued.class, CallEvent.Answered.class, CallEvent.Abandoned.class);
          sent++;
          inFlight++;
          peak = Math.max(peak, inFlight);
        }
        case CallEvent.Answered answered -> {
          assertThat(before).isEqualTo(CallEvent.Sent.class);
          inFlight--;
          count(answered.response());
        }
        case CallEvent.Abandoned attempt -> {
          assertThat(before).isEqualTo(CallEvent.Sent.class);
          inFlight--;
          abandoned.merge(attempt.cause(), 1, Integer::sum);
        }
        case CallEvent.Ended ended -> {
          assertThat(before)
              .isIn(CallEvent.Queued.class, CallEvent.Answered.class, CallEvent.Abandoned.class);
          attemptsAtTheEnd += ended.attempts();
          results.merge(ended.result(), 1, Integer::sum);
        }
      }
    }

    private void count(Response response) {
      switch (response) {
        case Response.Reply reply -> {
          replies++;
          inputTokens += reply.usage().inputTokens();
          outputTokens += reply.usage().outputTokens();
        }
        case Response.RateLimited _ -> refusals++;
        default -> failures++;
      }
    }

    private int abandoned() {
      return abandoned.values().stream().mapToInt(Integer::intValue).sum();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
  void totalsAreThoseOfTheProvider(long seed) throws Exception {
    var totals = new Totals();
    Stats stats = CallHistory.of(seed, _ -> totals);
    assertThat(totals.last.values()).hasSize(CallHistory.CALLS).containsOnly(CallEvent.Ended.class);
    assertThat(totals.results.values().stream().mapToInt(Integer::intValue).sum())
        .isEqualTo(CallHistory.CALLS);
    assertThat(totals.inFlight).isZero();
    assertThat(totals.attemptsAtTheEnd).isEqualTo(totals.sent);
    assertThat((long) totals.sent).isEqualTo(stats.requests());
    assertThat((long) totals.replies).isEqualTo(stats.answers());
    assertThat((long) totals.refusals).isEqualTo(stats.all().refusals());
    assertThat((long) totals.failures).isEqualTo(stats.all().failures());
    assertThat((long) totals.abandoned()).isEqualTo(stats.cancelled());
    assertThat(totals.inputTokens).isEqualTo(stats.promptTokens());
    assertThat(totals.outputTokens).isEqualTo(stats.outputTokens());
    assertThat(totals.peak).isEqualTo(stats.all().peakOpen());
  }

  /** Else the test above would prove less than it says. */
  @Test
  void theHistoriesHoldEverything() throws Exception {
    Map<CallEvent.Cause, Integer> causes = new HashMap<>();
    Map<CallEvent.Result, Integer> results = new HashMap<>();
    int refusals = 0;
    int failures = 0;
    for (long seed = 1; seed <= 20; seed++) {
      var totals = new Totals();
      CallHistory.of(seed, _ -> totals);
      totals.abandoned.forEach((cause, count) -> causes.merge(cause, count, Integer::sum));
      totals.results.forEach((result, count) -> results.merge(result, count, Integer::sum));
      refusals += totals.refusals;
      failures += totals.failures;
    }
    assertThat(causes)
        .containsOnlyKeys(
            CallEvent.Cause.CANCELLED,
            CallEvent.Cause.DEADLINE,
            CallEvent.Cause.HUNG,
            CallEvent.Cause.TIMED_OUT);
    assertThat(results)
        .containsOnlyKeys(
            CallEvent.Result.ANSWERED,
            CallEvent.Result.FAILED,
            CallEvent.Result.CANCELLED,
            CallEvent.Result.DEADLINE);
    assertThat(refusals).isPositive();
    assertThat(failures).isPositive();
  }
}
