package dev.weir.simulator.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.DeadlinePassedException;
import dev.weir.limits.Demand;
import dev.weir.limits.Lane;
import dev.weir.limits.Mode;
import dev.weir.limits.Regulator;
import dev.weir.limits.control.AimdSettings;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.limits.retry.AttemptTimeout;
import dev.weir.limits.retry.RetryBounds;
import dev.weir.model.CallEvent;
import dev.weir.model.CallListener;
import dev.weir.model.Model;
import dev.weir.model.ModelCall;
import dev.weir.model.ModelName;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.time.Task;
import dev.weir.time.Time;
import dev.weir.time.virtual.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the stream of call events adds up to is what the simulated provider has counted. */
class CallEventsTest {

  private static final ModelName NAME = ModelName.parse("sim/any");
  private static final int CALLS = 120;

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

  /** One random history of calls to a provider that refuses, fails and hangs. */
  private record History(Totals totals, Stats stats) {

    static History of(long seed) throws Exception {
      var random = new SplittableRandom(seed);
      VirtualTime time = VirtualTime.seeded(seed).thinlyChecked();
      var totals = new Totals();
      var desk = new Desk(time, simulation(random, seed));
      Regulator regulator = Regulator.unbounded(time, random.split());
      Lane lane =
          regulator.lane(new DeskAdapter(time, desk, NAME).key(), mode(random), bounds(random));
      Model model =
          new Model(time, NAME, new DeskAdapter(time, desk, NAME), lane, _ -> {}).with(totals);
      time.run(
          () -> {
            List<Task<?>> calls = new ArrayList<>();
            for (int i = 0; i < CALLS; i++) {
              String prompt = "number " + i;
              long deadline =
                  random.nextInt(6) == 0
                      ? time.after(Duration.ofMillis(random.nextInt(30_000)))
                      : Time.NEVER;
              calls.add(time.start(prompt, () -> call(model, prompt, deadline)));
              time.sleep(Duration.ofMillis(random.nextInt(400)));
              if (random.nextInt(6) == 0) {
                calls.get(random.nextInt(calls.size())).cancel();
              }
            }
            for (Task<?> call : calls) {
              call.join(Time.NEVER);
            }
          });
      return new History(totals, desk.stats());
    }

    private static void call(Model model, String prompt, long deadline) {
      try {
        model.generate(Request.of(prompt).until(deadline), Demand.of("test", Cost.ONE_REQUEST));
      } catch (InterruptedException | CancellationException | DeadlinePassedException cutOff) {
        // The stream says so.
      }
    }

    private static Simulation simulation(SplittableRandom random, long seed) {
      List<String> settings =
          new ArrayList<>(List.of("latency=1s:0.8", "rpm=%d".formatted(60 + random.nextInt(600))));
      settings.add("burst=%d".formatted(1 + random.nextInt(20)));
      if (random.nextBoolean()) {
        settings.add("cap=%d".formatted(1 + random.nextInt(10)));
      }
      if (random.nextBoolean()) {
        settings.add("error-rate=0.1");
      }
      if (random.nextBoolean()) {
        settings.add("hang-rate=0.05");
      }
      return Simulation.of(
          Optional.empty(), RunningSimulator.given(settings.toArray(String[]::new)), seed);
    }

    private static Mode mode(SplittableRandom random) {
      return switch (random.nextInt(4)) {
        case 0 -> new Mode.Static(1 + random.nextInt(10));
        case 1 -> new Mode.Aimd(AimdSettings.defaults());
        case 2 -> new Mode.Halving(8);
        default -> new Mode.Pace(PaceSettings.defaults());
      };
    }

    private static RetryBounds bounds(SplittableRandom random) {
      return new RetryBounds(
          random.nextBoolean() ? OptionalInt.empty() : OptionalInt.of(random.nextInt(4)),
          Optional.empty(),
          random.nextBoolean()
              ? AttemptTimeout.AUTO
              : new AttemptTimeout.After(Duration.ofSeconds(20)),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          OptionalInt.empty());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
  void totalsAreThoseOfTheProvider(long seed) throws Exception {
    History history = History.of(seed);
    Totals totals = history.totals();
    Stats stats = history.stats();
    assertThat(totals.last.values()).hasSize(CALLS).containsOnly(CallEvent.Ended.class);
    assertThat(totals.results.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(CALLS);
    assertThat(totals.inFlight).isZero();
    assertThat(totals.attemptsAtTheEnd).isEqualTo(totals.sent);
    assertThat((long) totals.sent).isEqualTo(stats.requests());
    assertThat((long) totals.replies).isEqualTo(stats.answers());
    assertThat((long) totals.refusals).isEqualTo(stats.allRefusals());
    assertThat((long) totals.failures).isEqualTo(stats.allFailures());
    assertThat((long) totals.abandoned()).isEqualTo(stats.cancelled());
    assertThat(totals.inputTokens).isEqualTo(stats.promptTokens());
    assertThat(totals.outputTokens).isEqualTo(stats.outputTokens());
    // The provider does not count what it refuses.
    assertThat(totals.peak).isGreaterThanOrEqualTo(stats.peakInFlight());
  }

  /** Else the test above would prove less than it says. */
  @Test
  void theHistoriesHoldEverything() throws Exception {
    Map<CallEvent.Cause, Integer> causes = new HashMap<>();
    Map<CallEvent.Result, Integer> results = new HashMap<>();
    int refusals = 0;
    int failures = 0;
    for (long seed = 1; seed <= 20; seed++) {
      Totals totals = History.of(seed).totals();
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
