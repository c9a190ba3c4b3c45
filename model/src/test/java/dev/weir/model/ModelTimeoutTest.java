package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.DeadlinePassedException;
import dev.weir.limits.Demand;
import dev.weir.limits.Lane;
import dev.weir.limits.LimitKey;
import dev.weir.limits.Mode;
import dev.weir.limits.Regulator;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.retry.AttemptTimeout;
import dev.weir.limits.retry.RetryBounds;
import dev.weir.time.Task;
import dev.weir.time.virtual.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is told of a call that takes too long. */
class ModelTimeoutTest {

  private static final ModelName NAME = ModelName.parse("openai/gpt-4o");
  private static final LimitKey KEY = LimitKey.of("openai", "0123", "gpt-4o");

  private final VirtualTime time = VirtualTime.seeded(1);
  private final List<AttemptRecord> traced = new ArrayList<>();

  private interface Exchange {
    Response with(String prompt) throws InterruptedException;
  }

  private Model model(int calls, RetryBounds bounds, Exchange exchange) {
    Lane lane =
        Regulator.unbounded(time, new SplittableRandom(1))
            .lane(KEY, new Mode.Static(calls), bounds);
    Adapter adapter =
        new Adapter() {
          @Override
          public LimitKey key() {
            return KEY;
          }

          @Override
          public Response exchange(Request request, ExchangeListener listener)
              throws InterruptedException {
            return exchange.with(request.messages().getFirst().text());
          }
        };
    return new Model(time, NAME, adapter, lane, traced::add);
  }

  private static RetryBounds bounds(OptionalInt retries, int timeout, int attemptMillis) {
    return new RetryBounds(
        retries,
        Optional.of(Duration.ofSeconds(timeout)).filter(Duration::isPositive),
        Optional.of(Duration.ofMillis(attemptMillis)).filter(Duration::isPositive));
  }

  private static Response fault(String message) {
    return new Response.Transient(message, Origin.of(NAME));
  }

  private Response hang() throws InterruptedException {
    time.sleep(Duration.ofDays(1));
    return fault("never");
  }

  private Task<String> problem(Model model, String prompt) {
    return time.start(
        prompt,
        () -> {
          try {
            return model
                .generate(Request.of(prompt), Demand.of("test", Cost.ONE_REQUEST))
                .gaveUp()
                .orElse("answered");
          } catch (DeadlinePassedException late) {
            return String.valueOf(late.getMessage());
          }
        });
  }

  @Test
  void aCallIsBlamedOnItsOwnAttemptsOnly() throws Exception {
    var attempts = new AtomicInteger();
    Model model =
        model(
            2,
            bounds(OptionalInt.empty(), 60, 0),
            prompt -> {
              // Each fails once, the second after the first; then neither answers.
              if (attempts.incrementAndGet() > 2) {
                return hang();
              }
              time.sleep(Duration.ofSeconds(prompt.equals("a") ? 1 : 2));
              return fault("502 of " + prompt);
            });
    time.run(
        () -> {
          Task<String> first = problem(model, "a");
          Task<String> second = problem(model, "b");
          // Both places are taken: it makes no attempt at all.
          time.sleep(Duration.ofMillis(1));
          Task<String> third = problem(model, "c");
          assertThat(first.join())
              .isEqualTo(
                  "the deadline passed (--timeout 60 s) while openai/gpt-4o was answering; the last"
                      + " attempt: 502 of a");
          assertThat(second.join()).endsWith("; the last attempt: 502 of b");
          assertThat(third.join()).doesNotContain("502");
        });
  }

  @Test
  void anAttemptThatIsNotAnsweredIsToldAsSuchAndNotAsTakenBack() throws Exception {
    Model model = model(1, bounds(OptionalInt.empty(), 30, 1_500), _ -> hang());
    time.run(
        () ->
            assertThat(problem(model, "a").join())
                .contains("the deadline", "(--timeout 30 s)")
                .endsWith("no answer within 1.5 s (--attempt-timeout)")
                .doesNotContain("0123"));
    assertThat(traced).isNotEmpty();
    assertThat(traced)
        .allSatisfy(
            attempt -> {
              assertThat(attempt.message()).contains("no answer within 1.5 s (--attempt-timeout)");
              assertThat(attempt.outcome()).isEqualTo("transient");
              assertThat(attempt.took()).isEqualTo(Duration.ofMillis(1_500));
            });
    assertThat(traced).extracting(AttemptRecord::attempt).doesNotHaveDuplicates().startsWith(1, 2);
  }

  @Test
  void anAbandonedAttemptMayHaveBeenBilled() throws Exception {
    var attempts = new AtomicInteger();
    Model model =
        model(
            1,
            RetryBounds.NONE.withAttemptTimeout(AttemptTimeout.AUTO),
            _ -> attempts.incrementAndGet() == 1 ? hang() : answer(0));
    time.run(() -> assertThat(problem(model, "a").join()).isEqualTo("answered"));
    assertThat(traced).hasSize(2);
    assertThat(traced.getFirst())
        .satisfies(
            attempt -> {
              assertThat(attempt.message())
                  .contains("abandoned after 600 s without an answer; it may have been billed");
              assertThat(attempt.outcome()).isEqualTo("transient");
              assertThat(attempt.took()).isEqualTo(Duration.ofMinutes(10));
            });
  }

  /**
   * Twenty answers, then a hang: of a model that thinks without being asked to, it takes longer.
   */
  @ParameterizedTest
  @CsvSource({"0, 60", "50, 600"})
  void aModelThatWasSeenToReasonHasMoreTime(int reasoningTokens, int seconds) throws Exception {
    var attempts = new AtomicInteger();
    Model model =
        model(
            1,
            RetryBounds.NONE.withAttemptTimeout(AttemptTimeout.AUTO),
            _ -> attempts.incrementAndGet() == 30 ? hang() : answer(reasoningTokens));
    time.run(
        () -> {
          for (int i = 0; i < 30; i++) {
            problem(model, "a").join();
          }
        });
    assertThat(traced)
        .filteredOn(attempt -> attempt.message().isPresent())
        .singleElement()
        .satisfies(attempt -> assertThat(attempt.took()).isEqualTo(Duration.ofSeconds(seconds)));
  }

  @Test
  void effortAndOutputLimitMakeKindsOfTheirOwn() throws Exception {
    var hangs = new AtomicInteger();
    Model model =
        model(
            1,
            RetryBounds.NONE.withAttemptTimeout(AttemptTimeout.AUTO),
            _ -> hangs.getAndDecrement() > 0 ? hang() : answer(0));
    List<GenerationSettings> others =
        List.of(
            GenerationSettings.NONE.withMaxTokens(1_000),
            GenerationSettings.NONE.withReasoningEffort(ReasoningEffort.NONE));
    time.run(
        () -> {
          for (int i = 0; i < 20; i++) {
            problem(model, "a").join();
          }
          for (GenerationSettings settings : others) {
            hangs.set(1);
            assertThat(
                    model
                        .generate(
                            Request.of("b").with(settings), Demand.of("test", Cost.ONE_REQUEST))
                        .abandoned())
                .containsExactly(Duration.ofMinutes(10));
          }
        });
  }

  private static Response answer(int reasoningTokens) {
    return new Response.Reply(
        Message.assistant("answer"),
        StopReason.STOP,
        new Usage(10, 100, 0, 0, reasoningTokens),
        Origin.of(NAME));
  }

  @Test
  void withoutATimeoutNoneIsNamed() throws Exception {
    Model model = model(1, bounds(OptionalInt.of(1), 0, 2_000), _ -> hang());
    time.run(
        () ->
            assertThat(problem(model, "a").join())
                .isEqualTo(
                    "an attempt at openai/gpt-4o took longer than its timeout, and 1 retry was not"
                        + " enough; the last attempt: no answer within 2 s (--attempt-timeout)"));
  }

  @Test
  void anEarlierDeadlineOfTheRequestIsNotTheTimeout() throws Exception {
    Model model = model(1, bounds(OptionalInt.empty(), 60, 0), _ -> hang());
    time.run(
        () -> {
          try {
            model.generate(
                Request.of("a").until(time.after(Duration.ofSeconds(5))),
                Demand.of("test", Cost.ONE_REQUEST));
          } catch (DeadlinePassedException late) {
            assertThat(late).hasMessage("the deadline passed while openai/gpt-4o was answering");
            return;
          }
          throw new AssertionError("it ended otherwise");
        });
  }

  @Test
  void aRetryThatWouldComeTooLateNamesTheTimeout() throws Exception {
    Model model = model(1, bounds(OptionalInt.empty(), 2, 0), _ -> fault("502"));
    time.run(
        () ->
            assertThat(problem(model, "a").join())
                .isEqualTo("the next attempt would come after the deadline (--timeout 2 s)"));
  }
}
