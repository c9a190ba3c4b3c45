package dev.weir.eval.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.eval.option.Settings;
import dev.weir.eval.sample.SampleLimitExceededException;
import dev.weir.eval.sample.SampleLimits;
import dev.weir.eval.sample.TokenLimit;
import dev.weir.eval.sandbox.ExecRequest;
import dev.weir.eval.scorer.Score;
import dev.weir.eval.solver.Solver;
import dev.weir.log.RunResult.Status;
import dev.weir.log.SampleResult;
import dev.weir.log.SampleResult.LimitHit;
import dev.weir.model.Message;
import dev.weir.model.Request;
import dev.weir.model.Usage;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A sample that uses too much ends early, is scored, and its record says why. */
class SampleLimitsTest {

  /** Talks for ever. */
  private static final Solver TALKATIVE =
      (state, context) -> {
        while (true) {
          state.generate(context.model());
          state.add(Message.user("go on"));
        }
      };

  private final ScriptedRun runs = new ScriptedRun();

  private SampleResult talk(String option, Object value) throws Exception {
    runs.solver = TALKATIVE;
    runs.settings = Settings.NONE.with(option, value);
    return runs.runOne();
  }

  private static void assertHit(SampleResult sample, String type, double value, double limit) {
    LimitHit hit = sample.limit().orElseThrow();
    assertThat(hit.type()).isEqualTo(type);
    assertThat(hit.value()).isEqualTo(value, within(1e-6));
    assertThat(hit.limit()).isEqualTo(limit, within(1e-6));
    assertThat(sample.error()).isEmpty();
    assertThat(sample.score()).contains(1.0);
    assertThat(sample.output()).contains("answer");
  }

  /** The time of a call that the limit cut off is told, and was no work. */
  @Test
  void aCallThatIsCutOffIsNoWork() throws Exception {
    runs.latency = _ -> Duration.ofMinutes(1);
    runs.settings = Settings.NONE.with("time_limit", 3);
    SampleResult sample = runs.runOne();
    assertThat(sample.limit().orElseThrow().type()).isEqualTo("time");
    assertThat(sample.times().total()).isEqualTo(3, within(0.01));
    assertThat(sample.times().failed()).isEqualTo(3, within(0.01));
    assertThat(sample.times().working()).isEqualTo(0, within(0.01));
  }

  @Test
  void messagesThatArePassedToTheModelAreCounted() throws Exception {
    SampleResult sample = talk("message_limit", 7);
    // 1, 3 and 5 messages were passed; 7 would have been too many.
    assertHit(sample, "message", 7, 7);
    assertThat(runs.requests).hasSize(3);
    assertThat(sample.limit().orElseThrow().message()).contains("message limit of 7 messages");
  }

  @Test
  void turnsAreCountedBeforeTheyArePaidFor() throws Exception {
    assertHit(talk("turn_limit", 4), "turn", 4, 4);
    assertThat(runs.requests).hasSize(4);
  }

  @Test
  void tokensAreCountedAfterAnAnswerAndTheAnswerIsKept() throws Exception {
    SampleResult sample = talk("token_limit", "300");
    assertHit(sample, "token", 330, 300);
    assertThat(sample.messages().getLast().role()).isEqualTo("assistant");
    assertHit(talk("token_limit", "output:25"), "token", 30, 25);
    // 0.1 × 100 + 10 for each answer, rounded down.
    assertHit(talk("token_limit", "(input*0.1)+output:0.05k"), "token", 60, 50);
  }

  @Test
  void costIsCountedAfterAnAnswer() throws Exception {
    runs.price = Optional.of(ScriptedRun.aDollarPerThousand());
    assertHit(talk("cost_limit", "0.25"), "cost", 0.33, 0.25);
  }

  @Test
  void timeEndsAnAnswerThatIsOnItsWay() throws Exception {
    SampleResult sample = talk("time_limit", "2500ms");
    assertHit(sample, "time", 2.5, 2.5);
    assertThat(sample.times().total()).isEqualTo(2.5, within(1e-6));
    assertThat(runs.requests).hasSize(3);
  }

  @Test
  void workingTimeIsNotSpentOnFailedAttemptsAndBackoff() throws Exception {
    int[] attempts = {0};
    runs.model =
        _ ->
            attempts[0]++ % 2 == 0
                ? ScriptedRun.transientFailure()
                : ScriptedRun.reply("answer", new Usage(1, 1));
    SampleResult sample = talk("working_limit", "5500ms");
    assertThat(sample.limit().orElseThrow().type()).isEqualTo("working");
    assertThat(sample.limit().orElseThrow().limit()).isEqualTo(5.5);
    // Six answers of a second each; the failures and the waits between took much longer.
    assertThat(sample.times().working()).isBetween(5.5, 7.0);
    assertThat(sample.times().failed()).isGreaterThan(5);
    assertThat(sample.times().backedOff()).isGreaterThan(10);
    assertThat(sample.times().total()).isGreaterThan(sample.times().working() + 15);
  }

  /** Three samples share one place; the last waits longer than it may work, and then works. */
  @ParameterizedTest
  @CsvSource({"1, 10", "10, 1"})
  void aWaitForASandboxOrASubprocessIsNoWorkWhileItGoesOn(int sandboxes, int subprocesses)
      throws Exception {
    runs.samples = 3;
    runs.sandboxes = Optional.of(new TimedSandboxes(runs.time, sandboxes, subprocesses));
    runs.solver =
        (state, context) -> {
          state.generate(context.model());
          context.sandbox().exec(ExecRequest.of("sleep", "2"));
        };
    runs.settings = Settings.NONE.with("working_limit", "3500ms");
    runs.run();
    assertThat(runs.log).hasSize(3).allMatch(sample -> sample.limit().isEmpty());
    assertThat(runs.log)
        .allSatisfy(sample -> assertThat(sample.times().working()).isEqualTo(3, within(1e-6)))
        .anySatisfy(
            sample -> {
              assertThat(sample.times().total()).isEqualTo(7, within(1e-6));
              assertThat(sample.times().shared()).isEqualTo(4, within(1e-6));
            });
  }

  /** What was worked before a wait and after it still counts, to the nanosecond. */
  @Test
  void aSampleThatHasWaitedIsEndedWhenItHasWorkedTooLong() throws Exception {
    runs.samples = 2;
    runs.sandboxes = Optional.of(new TimedSandboxes(runs.time, 10, 1));
    runs.solver =
        (state, context) -> {
          state.generate(context.model());
          context.sandbox().exec(ExecRequest.of("sleep", "2"));
          context.time().sleep(Duration.ofMinutes(1));
        };
    runs.settings = Settings.NONE.with("working_limit", 5);
    runs.run();
    assertThat(runs.log)
        .allSatisfy(
            sample -> {
              assertHit(sample, "working", 5, 5);
              assertThat(sample.times().working()).isEqualTo(5, within(1e-6));
            });
    assertThat(runs.log).anyMatch(sample -> sample.times().total() > 6.999);
  }

  @Test
  void waitsThatOverlapCountOnce() throws Exception {
    runs.mode = new dev.weir.limits.Mode.Static(1);
    runs.solver =
        (state, context) -> {
          var first = context.time().start("a", () -> context.model().ask("a"));
          var second = context.time().start("b", () -> context.model().ask("b"));
          var third = context.time().start("c", () -> context.model().ask("c"));
          first.join();
          second.join();
          third.join();
        };
    SampleResult sample = runs.runOne();
    // One after the other: 0, 1 and 2 s of waiting, which are 2 s of the clock.
    assertThat(sample.times().queued()).isEqualTo(3, within(1e-6));
    assertThat(sample.times().total()).isEqualTo(3, within(1e-6));
    assertThat(sample.times().working()).isEqualTo(1, within(1e-6));
  }

  @Test
  void aSolverHasLimitsOfItsOwn() throws Exception {
    runs.solver =
        (state, context) -> {
          state.generate(context.model());
          throw new SampleLimitExceededException("custom", 12, 10, "too many moves");
        };
    assertHit(runs.runOne(), "custom", 12, 10);
  }

  @Test
  void theStateMaySetLimits() throws Exception {
    runs.solver =
        (state, context) -> {
          state.setMessageLimit(3);
          TALKATIVE.solve(state, context);
        };
    runs.settings = Settings.NONE.with("message_limit", 50);
    assertHit(runs.runOne(), "message", 3, 3);
    runs.settings = Settings.NONE;
    runs.solver =
        (state, context) -> {
          state.setTokenLimit(200);
          TALKATIVE.solve(state, context);
        };
    assertHit(runs.runOne(), "token", 220, 200);
  }

  @Test
  void partsHaveLimitsOfTheirOwn() throws Exception {
    runs.solver =
        (state, context) -> {
          for (int i = 0; i < 3; i++) {
            try {
              context.within(
                  SampleLimits.ofTurns(2),
                  () -> {
                    TALKATIVE.solve(state, context);
                    return true;
                  });
            } catch (SampleLimitExceededException over) {
              context.note("part", over.type() + " " + over.value());
            }
          }
        };
    SampleResult sample = runs.runOne();
    assertThat(sample.limit()).isEmpty();
    assertThat(runs.requests).hasSize(6);
    assertThat(sample.notes()).hasSize(3);
    // The sample's own limit ends the sample, whatever its parts may do.
    runs.settings = Settings.NONE.with("turn_limit", 5);
    assertHit(runs.runOne(), "turn", 5, 5);
  }

  @Test
  void aPartMayHaveTimeOfItsOwn() throws Exception {
    runs.solver =
        (state, context) -> {
          try {
            context.within(
                SampleLimits.ofTime(Duration.ofMillis(1500)),
                () -> {
                  TALKATIVE.solve(state, context);
                  return true;
                });
          } catch (SampleLimitExceededException over) {
            state.setOutput("in time: " + over.type());
          }
        };
    SampleResult sample = runs.runOne();
    assertThat(sample.output()).contains("in time: time");
    assertThat(sample.times().total()).isEqualTo(1.5, within(1e-6));
  }

  @Test
  void gradersDoNotCountAsMessagesOrTurns() throws Exception {
    runs.settings = Settings.NONE.with("message_limit", 2).with("turn_limit", 1);
    runs.scorer =
        (_, context) -> {
          List<Message> many =
              List.of(Message.user("a"), Message.user("b"), Message.user("c"), Message.user("d"));
          context.role("grader").generate(Request.of(many));
          context.role("grader").generate(Request.of(many));
          return Score.RIGHT;
        };
    SampleResult sample = runs.runOne();
    assertThat(sample.error()).isEmpty();
    assertThat(sample.limit()).isEmpty();
    assertThat(sample.score()).contains(1.0);
  }

  @Test
  void whatASolverSetsIsNoLimitOfGraders() throws Exception {
    runs.solver =
        (state, context) -> {
          state.setTokenLimit(150);
          state.setMessageLimit(2);
          state.generate(context.model());
        };
    runs.scorer =
        (_, context) -> {
          for (int i = 0; i < 3; i++) {
            context.role("grader").ask("right?");
          }
          return Score.RIGHT;
        };
    SampleResult sample = runs.runOne();
    assertThat(sample.error()).isEmpty();
    assertThat(sample.score()).contains(1.0);
  }

  @ParameterizedTest
  @CsvSource({
    // solver, scorer, how long in all: 10 s, and half of that to score what took too long
    "1, 8, 9, true",
    "1, 10, 10, false",
    "8, 4, 12, true",
    "8, 6, 13, false",
    "20, 4, 14, true",
    "20, 6, 15, false",
  })
  void timeBoundsTheWholeSample(int solve, int score, double total, boolean isScored)
      throws Exception {
    runs.solver = (_, context) -> context.time().sleep(Duration.ofSeconds(solve));
    runs.scorer =
        (_, context) -> {
          context.time().sleep(Duration.ofSeconds(score));
          return Score.RIGHT;
        };
    runs.settings = Settings.NONE.with("time_limit", 10).with("fail_on_error", false);
    SampleResult sample = runs.runOne();
    assertThat(sample.times().total()).isEqualTo(total, within(1e-6));
    assertThat(sample.score().isPresent()).isEqualTo(isScored);
    assertThat(sample.error().orElse("scored"))
        .contains(isScored ? "scored" : "scoring took too long: the time limit");
    assertThat(sample.limit().isPresent()).isEqualTo(solve > 10);
  }

  @Test
  void aSolverThatCannotBeInterruptedFailsItsSampleAlone() throws Exception {
    runs.solver =
        (state, context) -> {
          state.generate(context.model());
          for (int i = 0; i < 100; i++) {
            try {
              context.time().sleep(Duration.ofHours(1));
            } catch (InterruptedException ignored) {
              // That is the point.
            }
          }
        };
    runs.settings = Settings.NONE.with("time_limit", 5).with("fail_on_error", false);
    SampleResult sample = runs.runOne();
    assertThat(sample.error().orElseThrow()).contains("did not end within 10 s");
  }

  @Test
  void aLimitIsNoErrorOfTheRun() throws Exception {
    runs.solver = TALKATIVE;
    runs.settings = Settings.NONE.with("turn_limit", 2);
    assertThat(runs.run().status()).isEqualTo(Status.SUCCESS);
    assertThat(runs.log).allMatch(sample -> sample.limit().isPresent()).hasSize(20);
  }

  @ParameterizedTest
  @CsvSource({
    "500k, 100, 100, 500000, 200",
    "1.5m, 100, 100, 1500000, 200",
    "2B, 1, 1, 2000000000, 2",
    "output:1m, 100, 7, 1000000, 7",
    "input:10, 100, 7, 10, 100",
    "total:10, 100, 7, 10, 107",
    "(input*0.1)+output:1m, 105, 7, 1000000, 17",
    "0.5*output + input:10, 1, 3, 10, 2",
  })
  void tokenLimitsAreReadAsPublished(
      String text, long input, long output, long limit, long counted) {
    TokenLimit parsed = TokenLimit.tryParse(text).orElseThrow();
    assertThat(parsed.limit()).isEqualTo(limit);
    assertThat(parsed.counted(new Usage(input, output))).isEqualTo(counted);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "0", "-5", "k", "5x", "words:5", "output:", "input*:5", "1e400", ":5"})
  void otherTokenLimitsAreRefused(String text) {
    assertThat(TokenLimit.tryParse(text)).isEmpty();
  }
}
