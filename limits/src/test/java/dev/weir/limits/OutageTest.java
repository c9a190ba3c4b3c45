package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.limits.control.AimdSettings;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.limits.retry.AttemptTimeout;
import dev.weir.limits.retry.Outcome;
import dev.weir.limits.retry.Outcome.Contact;
import dev.weir.limits.retry.RetryBounds;
import dev.weir.time.Task;
import dev.weir.time.TaskFailedException;
import dev.weir.time.virtual.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class OutageTest {

  private static final Demand DEMAND = Demand.of("", Cost.ONE_REQUEST);
  private static final Outcome UNREACHED = new Outcome.Transient(Contact.UNREACHED);
  private static final Outcome SILENT = new Outcome.Transient(Contact.SILENT);
  private static final Outcome FAULT = new Outcome.Transient(Contact.FAULT);
  private static final Outcome ANSWERED = new Outcome.Transient(Contact.ANSWERED);
  private static final Outcome CLEAN = new Outcome.Clean();

  private final VirtualTime time = VirtualTime.seeded(1);
  private final Regulator regulator = Regulator.unbounded(time, new SplittableRandom(1));

  static Stream<Mode> modes() {
    return Stream.of(
        new Mode.Pace(PaceSettings.defaults()),
        new Mode.Static(5),
        new Mode.Aimd(AimdSettings.defaults()));
  }

  private Lane lane(Mode mode, String name, Duration unreached, Duration unanswered) {
    Lane lane = regulator.lane(LimitKey.of("sim", "account", name), mode, RetryBounds.NONE);
    lane.boundOutage(new OutageBounds(Optional.of(unreached), Optional.of(unanswered)));
    return lane;
  }

  private Lane lane(Mode mode) {
    return lane(mode, "model", Duration.ofMinutes(1), Duration.ofHours(2));
  }

  private static Attempt.Result<String> result(Outcome outcome) {
    return new Attempt.Result<>(outcome, Cost.ONE_REQUEST, "value");
  }

  private List<Task<Call<String>>> start(Lane lane, int count, Attempt<String> attempt) {
    List<Task<Call<String>>> calls = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      calls.add(time.start("request-" + i, () -> lane.call(DEMAND, attempt)));
    }
    return calls;
  }

  private static StoppedException stopped(Task<?> call) throws InterruptedException {
    try {
      call.join();
    } catch (TaskFailedException failed) {
      if (failed.getCause() instanceof StoppedException stopped) {
        return stopped;
      }
      throw failed;
    }
    throw new AssertionError("it was answered");
  }

  private Duration now() {
    return Duration.ofNanos(time.nanos());
  }

  @ParameterizedTest
  @MethodSource("modes")
  void aProviderThatWasNeverReachedIsGivenUpAfterAMinute(Mode mode) throws Exception {
    Lane lane = lane(mode);
    var attempts = new AtomicInteger();
    Set<String> tried = new HashSet<>();
    time.run(
        () -> {
          List<Task<Call<String>>> calls = new ArrayList<>();
          for (int i = 0; i < 20; i++) {
            String name = "request-" + i;
            calls.add(
                time.start(
                    name,
                    () ->
                        lane.call(
                            DEMAND,
                            _ -> {
                              attempts.incrementAndGet();
                              tried.add(name);
                              return result(UNREACHED);
                            })));
          }
          for (Task<?> call : calls) {
            StoppedException stopped = stopped(call);
            assertThat(stopped.isOutage()).isTrue();
            assertThat(stopped.reason())
                .isEqualTo("it has never answered; every attempt failed for 60 s");
          }
          assertThat(now()).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(61));
          assertThatExceptionOfType(StoppedException.class)
              .isThrownBy(() -> lane.call(DEMAND, _ -> result(CLEAN)))
              .withMessageStartingWith("sim@account/model is unreachable: it has never answered");
        });
    assertThat(lane.status().inFlight()).isZero();
    assertThat(lane.status().backingOff()).isZero();
    assertThat(lane.status().retries()).isPositive().isEqualTo(attempts.get() - tried.size());
  }

  @ParameterizedTest
  @MethodSource("modes")
  void aProviderThatStopsAnsweringIsGivenUpAfterTheLongerBound(Mode mode) throws Exception {
    for (Outcome failure : List.of(UNREACHED, FAULT, new Outcome.Overloaded(ResponseFacts.NONE))) {
      Lane lane = lane(mode, failure.toString(), Duration.ofMinutes(1), Duration.ofHours(2));
      time.run(
          () -> {
            lane.call(DEMAND, _ -> result(CLEAN));
            Duration begun = now();
            for (Task<?> call : start(lane, 20, _ -> result(failure))) {
              assertThat(stopped(call).reason()).isEqualTo("no answer for 7200 s");
            }
            assertThat(now().minus(begun))
                .isBetween(Duration.ofHours(2), Duration.ofHours(2).plusSeconds(1));
          });
    }
  }

  /** A server that reports faults from the beginning was reached. */
  @Test
  void aProviderThatReportsFaultsFromTheBeginningHasTheLongerBound() throws Exception {
    Lane lane = lane(new Mode.Static(5));
    time.run(
        () -> {
          for (Task<?> call : start(lane, 3, _ -> result(FAULT))) {
            assertThat(stopped(call).reason()).isEqualTo("no answer for 7200 s");
          }
        });
  }

  /** Another model of the account answered, so the address is right. */
  @Test
  void anAnswerToAnotherModelOfTheAccountIsAnAnswer() throws Exception {
    Lane answering = lane(new Mode.Static(5), "other", Duration.ofMinutes(1), Duration.ofHours(2));
    Lane lane = lane(new Mode.Static(5));
    time.run(
        () -> {
          answering.call(DEMAND, _ -> result(CLEAN));
          for (Task<?> call : start(lane, 3, _ -> result(UNREACHED))) {
            assertThat(stopped(call).reason()).isEqualTo("no answer for 7200 s");
          }
        });
  }

  @ParameterizedTest
  @MethodSource("modes")
  void refusalsAndOtherAnswersEndAnOutage(Mode mode) throws Exception {
    for (Outcome answer : List.of(new Outcome.RateLimited(ResponseFacts.NONE), ANSWERED, CLEAN)) {
      Lane lane = lane(mode, answer.toString(), Duration.ofMinutes(1), Duration.ofHours(2));
      var random = new SplittableRandom(3);
      time.run(
          () -> {
            Duration begun = now();
            List<Task<Call<String>>> calls =
                start(
                    lane,
                    10,
                    _ -> {
                      time.sleep(Duration.ofSeconds(1));
                      if (now().minus(begun).compareTo(Duration.ofHours(12)) > 0) {
                        return result(CLEAN);
                      }
                      return result(random.nextInt(2) == 0 ? answer : FAULT);
                    });
            for (Task<Call<String>> call : calls) {
              assertThat(call.join().gaveUp()).isEmpty();
            }
          });
    }
  }

  /** While calls are held, nothing is asked. */
  @Test
  void theTimeInWhichCallsAreHeldDoesNotCount() throws Exception {
    Lane lane = lane(new Mode.Static(5), "model", Duration.ofMinutes(1), Duration.ofMinutes(30));
    time.run(
        () -> {
          lane.call(DEMAND, _ -> result(CLEAN));
          List<Task<Call<String>>> calls = start(lane, 5, _ -> result(FAULT));
          time.sleep(Duration.ofMinutes(20));
          regulator.hold(true);
          time.sleep(Duration.ofHours(5));
          regulator.hold(false);
          Duration released = now();
          for (Task<?> call : calls) {
            assertThat(stopped(call).isOutage()).isTrue();
          }
          assertThat(now().minus(released))
              .isBetween(Duration.ofMinutes(10), Duration.ofMinutes(10).plusSeconds(1));
        });
  }

  /** A server that says when to come back is not waited for in vain. */
  @Test
  void aLongWaitThatTheProviderAsksForDoesNotCount() throws Exception {
    Lane lane = lane(new Mode.Static(5), "model", Duration.ofMinutes(1), Duration.ofMinutes(30));
    var facts = new ResponseFacts(List.of(), Optional.of(Duration.ofHours(3)), Optional.empty());
    time.run(
        () -> {
          lane.call(DEMAND, _ -> result(CLEAN));
          Duration begun = now();
          var attempts = new AtomicInteger();
          Call<String> call =
              lane.call(
                  DEMAND,
                  _ ->
                      result(
                          attempts.getAndIncrement() < 2 ? new Outcome.Overloaded(facts) : CLEAN));
          assertThat(call.gaveUp()).isEmpty();
          assertThat(now().minus(begun)).isGreaterThan(Duration.ofHours(6));
        });
  }

  /** Slow answers look like nothing at all until they are there. */
  @Test
  void aProviderWithASlowAnswerInFlightIsNotUnreachable() throws Exception {
    Lane lane = lane(new Mode.Static(5));
    time.run(
        () -> {
          List<Task<Call<String>>> slow =
              start(
                  lane,
                  1,
                  _ -> {
                    time.sleep(Duration.ofMinutes(9));
                    return result(CLEAN);
                  });
          List<Task<Call<String>>> refused =
              start(
                  lane,
                  3,
                  _ -> result(now().compareTo(Duration.ofMinutes(9)) < 0 ? UNREACHED : CLEAN));
          assertThat(slow.getFirst().join().gaveUp()).isEmpty();
          for (Task<Call<String>> call : refused) {
            assertThat(call.join().gaveUp()).isEmpty();
          }
        });
  }

  /** An attempt that timed out was sent somewhere. */
  @Test
  void silenceIsNotAFailureToConnect() throws Exception {
    Lane lane = lane(new Mode.Static(5));
    time.run(
        () -> {
          Call<String> call =
              lane.call(
                  DEMAND,
                  _ -> {
                    time.sleep(Duration.ofSeconds(50));
                    return result(now().compareTo(Duration.ofMinutes(30)) < 0 ? SILENT : CLEAN);
                  });
          assertThat(call.gaveUp()).isEmpty();
        });
  }

  /** Who hangs at the provider is not waited for once it is given up. */
  @Test
  void attemptsInFlightEndWithTheOutage() throws Exception {
    Lane lane =
        regulator.lane(
            LimitKey.of("sim", "account", "model"),
            new Mode.Static(5),
            RetryBounds.NONE.withAttemptTimeout(AttemptTimeout.AUTO));
    lane.boundOutage(new OutageBounds(Optional.empty(), Optional.of(Duration.ofMinutes(5))));
    time.run(
        () -> {
          List<Task<Call<String>>> calls =
              new ArrayList<>(
                  start(
                      lane,
                      1,
                      _ -> {
                        time.sleep(Duration.ofDays(1));
                        return result(CLEAN);
                      }));
          calls.addAll(start(lane, 2, _ -> result(FAULT)));
          for (Task<?> call : calls) {
            assertThat(stopped(call).isOutage()).isTrue();
          }
          assertThat(now()).isBetween(Duration.ofMinutes(5), Duration.ofSeconds(301));
        });
    assertThat(lane.status().abandoned()).isZero();
  }

  /** While nothing is asked, nothing is unanswered. */
  @Test
  void timeWithoutRequestsDoesNotCount() throws Exception {
    Lane lane =
        regulator.lane(
            LimitKey.named("sim/model"),
            new Mode.Static(5),
            new RetryBounds(OptionalInt.of(2), Optional.empty(), Optional.empty()));
    lane.boundOutage(new OutageBounds(Optional.empty(), Optional.of(Duration.ofMinutes(5))));
    time.run(
        () -> {
          for (int i = 0; i < 5; i++) {
            assertThat(lane.call(DEMAND, _ -> result(FAULT)).gaveUp())
                .contains("2 retries were not enough");
            time.sleep(Duration.ofHours(1));
          }
        });
  }

  @Test
  void aResumedModelHasItsTimeAgain() throws Exception {
    Lane lane = lane(new Mode.Static(5));
    time.run(
        () -> {
          stopped(start(lane, 1, _ -> result(UNREACHED)).getFirst());
          assertThat(regulator.resume("sim@account/model")).isTrue();
          Duration begun = now();
          var attempts = new AtomicInteger();
          Call<String> call =
              lane.call(DEMAND, _ -> result(attempts.getAndIncrement() < 3 ? UNREACHED : CLEAN));
          assertThat(call.gaveUp()).isEmpty();
          assertThat(now().minus(begun)).isLessThan(Duration.ofSeconds(60));
        });
  }

  @Test
  void boundsArePositive() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new OutageBounds(Optional.of(Duration.ZERO), Optional.empty()))
        .withMessage("`unreached` must be > 0, was PT0S");
  }
}
