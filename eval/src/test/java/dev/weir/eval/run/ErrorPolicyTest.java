package dev.weir.eval.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.eval.option.Settings;
import dev.weir.eval.sample.SampleLimitExceededException;
import dev.weir.eval.scorer.Score;
import dev.weir.eval.solver.Solver;
import dev.weir.limits.Mode;
import dev.weir.log.RunResult;
import dev.weir.log.RunResult.Status;
import dev.weir.log.SampleFailure;
import dev.weir.log.SampleResult;
import dev.weir.model.Usage;
import dev.weir.time.Task;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What becomes of a run whose samples fail. */
class ErrorPolicyTest {

  private final ScriptedRun runs = new ScriptedRun();

  /** The samples with these numbers fail each time. */
  private void fail(Integer... numbers) {
    Set<String> broken = new TreeSet<>();
    for (int number : numbers) {
      broken.add("s" + number);
    }
    runs.solver =
        (state, context) -> {
          state.generate(context.model());
          if (broken.contains(state.sample().id())) {
            throw new IllegalStateException("broken " + state.sample().id());
          }
        };
  }

  @Test
  void theFirstErrorEndsTheRunAtOnce() throws Exception {
    fail(5);
    RunResult result = runs.run();
    assertThat(result.status()).isEqualTo(Status.ERROR);
    assertThat(result.error().orElseThrow()).contains("sample s5 failed", "broken s5");
    assertThat(result.samples().failed()).isEqualTo(1);
    assertThat(result.samples().unfinished()).isPositive();
    // What was in flight is in the log, as cancelled.
    assertThat(runs.log).anyMatch(SampleResult::cancelled);
    assertThat(runs.log).filteredOn(SampleResult::cancelled).allMatch(s -> s.score().isEmpty());
  }

  @Test
  void theLogHasTheStackTraceOfAFailure() throws Exception {
    runs.solver =
        (_, _) -> {
          throw new IllegalStateException("broken", new ArithmeticException("why"));
        };
    SampleResult failed = runs.runOne();
    assertThat(failed.error()).hasValue("java.lang.IllegalStateException: broken");
    assertThat(failed.traceback().orElseThrow())
        .startsWith("java.lang.IllegalStateException: broken\n\tat ")
        .contains("ErrorPolicyTest.java:", "\nCaused by: java.lang.ArithmeticException: why\n");
  }

  @Test
  void theStackTraceOfAnEndlessRecursionIsShortened() throws Exception {
    runs.solver = (_, _) -> recurse(1);
    String traceback = runs.runOne().traceback().orElseThrow();
    assertThat(traceback).startsWith("java.lang.StackOverflowError").contains(" lines omitted\n");
    assertThat(traceback.lines().count()).isEqualTo(201);
  }

  @SuppressWarnings("InfiniteRecursion")
  private static int recurse(int depth) {
    return recurse(depth + 1) + depth;
  }

  @ParameterizedTest
  @CsvSource({
    "false, 20, SUCCESS",
    "0.1, 2, SUCCESS", // not more than a tenth of 20
    "0.1, 3, ERROR",
    "0.2, 4, SUCCESS",
    "0.2, 5, ERROR",
    "2, 2, SUCCESS", // not more than 2
    "2, 3, ERROR",
    "true, 1, ERROR",
    "0, 1, ERROR",
  })
  void moreThanTheThresholdFailsTheRun(String threshold, int failing, Status status)
      throws Exception {
    Integer[] numbers = new Integer[failing];
    for (int i = 0; i < failing; i++) {
      numbers[i] = i + 1;
    }
    fail(numbers);
    runs.settings = Settings.NONE.with("fail_on_error", threshold);
    assertThat(runs.run().status()).isEqualTo(status);
  }

  /** The published rule, for any number of samples, epochs, failures and any threshold. */
  @Test
  void theThresholdIsExactAtItsBoundary() throws Exception {
    var random = new SplittableRandom(5);
    for (int trial = 0; trial < 100; trial++) {
      int samples = 1 + random.nextInt(30);
      int epochs = 1 + random.nextInt(3);
      requireExact(samples, epochs, BigDecimal.valueOf(1 + random.nextInt(99), 2));
      requireExact(samples, epochs, BigDecimal.valueOf(1 + random.nextInt(samples * epochs)));
    }
    // Of 0.29, 0.57 and 0.58 no exact number is stored.
    for (int hundredths = 1; hundredths < 100; hundredths++) {
      requireExact(50, 2, BigDecimal.valueOf(hundredths, 2));
    }
  }

  /** As many as may fail do no harm, and one more does. */
  private static void requireExact(int samples, int epochs, BigDecimal threshold) throws Exception {
    int total = samples * epochs;
    BigDecimal most =
        threshold.compareTo(BigDecimal.ONE) < 0
            ? threshold.multiply(BigDecimal.valueOf(total))
            : threshold;
    int atMost = most.setScale(0, RoundingMode.FLOOR).intValueExact();
    assertThat(statusAfter(samples, epochs, atMost, threshold))
        .as("%s of %s × %s failed, %s may", atMost, samples, epochs, threshold)
        .isEqualTo(Status.SUCCESS);
    if (atMost < total) {
      assertThat(statusAfter(samples, epochs, atMost + 1, threshold))
          .as("%s of %s × %s failed, %s may", atMost + 1, samples, epochs, threshold)
          .isEqualTo(Status.ERROR);
    }
  }

  private static Status statusAfter(int samples, int epochs, int failing, BigDecimal threshold)
      throws Exception {
    var left = new AtomicInteger(failing);
    var others = new ScriptedRun();
    others.samples = samples;
    others.latency = _ -> Duration.ofMillis(1);
    others.solver =
        (state, context) -> {
          state.generate(context.model());
          if (left.getAndDecrement() > 0) {
            throw new IllegalStateException("broken");
          }
        };
    others.settings =
        Settings.NONE.with("fail_on_error", threshold.toPlainString()).with("epochs", epochs);
    return others.run().status();
  }

  @Test
  void onlyTheLastFailureOfASampleCounts() throws Exception {
    Map<String, Integer> tries = new HashMap<>();
    runs.solver =
        (state, context) -> {
          state.generate(context.model());
          // Each fails once, and two of them always do.
          boolean always = Set.of("s3", "s4").contains(state.sample().id());
          if (tries.merge(state.sample().id(), 1, Integer::sum) == 1 || always) {
            throw new IllegalStateException("broken");
          }
        };
    runs.settings = Settings.NONE.with("retry_on_error", 2).with("fail_on_error", 2);
    assertThat(runs.run().samples()).isEqualTo(new RunResult.Counts(20, 18, 2, 0));
    tries.clear();
    runs.settings = Settings.NONE.with("retry_on_error", 2).with("fail_on_error", 1);
    assertThat(runs.run().status()).isEqualTo(Status.ERROR);
  }

  @Test
  void epochsAreCountedInTheThreshold() throws Exception {
    fail(1);
    runs.settings = Settings.NONE.with("fail_on_error", 0.05).with("epochs", 3);
    RunResult result = runs.run();
    // 3 of 60: not more than 5 %.
    assertThat(result.status()).isEqualTo(Status.SUCCESS);
    assertThat(result.samples()).isEqualTo(new RunResult.Counts(60, 57, 3, 0));
  }

  @Test
  void aRunMayGoOnAndFailAtTheEnd() throws Exception {
    fail(1, 2, 3);
    runs.settings = Settings.NONE.with("continue_on_fail", true);
    RunResult result = runs.run();
    assertThat(result.status()).isEqualTo(Status.ERROR);
    assertThat(result.samples()).isEqualTo(new RunResult.Counts(20, 17, 3, 0));
    assertThat(result.error().orElseThrow()).isEqualTo("3 of 20 samples failed");
    runs.settings = runs.settings.with("fail_on_error", 0.1);
    assertThat(runs.run().error().orElseThrow())
        .isEqualTo("3 of 20 samples failed, and fail_on_error is 0.1");
    runs.settings = Settings.NONE.with("fail_on_error", 2);
    assertThat(runs.run().error().orElseThrow())
        .contains("failed: ", " (3 of 20 samples failed, and fail_on_error is 2)");
  }

  @Test
  void failedSamplesStayInTheDenominatorThatSaysSo() throws Exception {
    fail(1, 2, 3, 4, 5);
    runs.settings = Settings.NONE.with("fail_on_error", false);
    RunResult result = runs.run();
    assertThat(result.metrics().get("accuracy")).isEqualTo(1);
    assertThat(result.accuracyOverAll().orElseThrow()).isEqualTo(0.75, within(1e-9));
  }

  /** Of three epochs of two samples, one fails; all others are right. */
  @ParameterizedTest
  @CsvSource({
    "mean, 0.833333", // 2/3 and 1
    "max, 1",
    "median, 1",
    "at_least_3, 0.5", // 0 and 1
    "pass_k_2, 0.666667" // 1 of 3 pairs, and 1
  })
  void epochsThatFailedCountAsWrongBeforeTheyAreReduced(String reducer, double overAll)
      throws Exception {
    Map<String, Integer> tries = new HashMap<>();
    runs.samples = 2;
    runs.solver =
        (state, context) -> {
          state.generate(context.model());
          int epoch = tries.merge(state.sample().id(), 1, Integer::sum);
          if (epoch == 2 && state.sample().id().equals("s1")) {
            throw new IllegalStateException("broken");
          }
        };
    runs.settings =
        Settings.NONE
            .with("fail_on_error", false)
            .with("epochs", 3)
            .with("epochs_reducer", reducer);
    RunResult result = runs.run();
    assertThat(result.metrics().get("accuracy")).isEqualTo(1);
    assertThat(result.samples().failed()).isEqualTo(1);
    assertThat(result.accuracyOverAll().orElseThrow()).isEqualTo(overAll, within(1e-6));
  }

  /** What is shown last while a run goes on is what the result says. */
  @ParameterizedTest
  @CsvSource({"1, mean", "4, mean", "4, pass_at_2"})
  void theScoreSoFarIsThatOfTheResult(int epochs, String reducer) throws Exception {
    Map<String, Integer> tries = new HashMap<>();
    runs.scorer =
        (state, _) ->
            Score.of(tries.merge(state.sample().id(), 1, Integer::sum) % 3 == 1 ? 1 : 0.25);
    runs.settings = Settings.NONE.with("epochs", epochs).with("epochs_reducer", reducer);
    Run run = runs.prepare();
    assertThat(run.progress().score()).isEmpty();
    RunResult result = runs.time.run(run::run);
    RunProgress.Score last = run.progress().score().orElseThrow();
    assertThat(last.mean()).isEqualTo(result.metrics().get("accuracy"), within(1e-12));
    assertThat(
            last.interval()
                .map(
                    range ->
                        new RunResult.Range(
                            range.low(), range.high(), Optional.of(range.method().words()))))
        .isEqualTo(result.scores().getFirst().interval());
  }

  /** 10 epochs of a sample are not 10 samples: what is no evidence once is none ten times. */
  @Test
  void epochsOfARetriedSampleCountOnce() throws Exception {
    Map<String, Integer> tries = new HashMap<>();
    runs.solver =
        (state, context) -> {
          state.generate(context.model());
          boolean isFirst =
              tries.merge(state.sample().id() + "/" + state.epoch(), 1, Integer::sum) == 1;
          if (isFirst && state.sample().id().equals("s7")) {
            throw new IllegalStateException("boom");
          }
        };
    runs.scorer = (state, _) -> Score.of(!state.sample().id().equals("s7"));
    runs.settings = Settings.NONE.with("retry_on_error", 1).with("epochs", 10);
    assertThat(runs.run().retriedSamples().orElseThrow())
        .contains("1 retried sample", "the other 19", "p = 0.05");

    runs.scorer = (_, _) -> Score.of(true);
    runs.solver =
        (state, context) -> {
          state.generate(context.model());
          if (tries.merge("again " + state.sample().id(), 1, Integer::sum) == 1) {
            throw new IllegalStateException("boom");
          }
        };
    assertThat(runs.run().retriedSamples().orElseThrow()).contains("no others to compare");
  }

  @Test
  void samplesAreRunAgainAndEachErrorIsKept() throws Exception {
    Map<String, Integer> tries = new HashMap<>();
    runs.solver =
        (state, context) -> {
          state.generate(context.model());
          int attempt = tries.merge(state.sample().id(), 1, Integer::sum);
          if (attempt <= 2 && state.sample().id().equals("s7")) {
            throw new IllegalStateException("attempt " + attempt);
          }
        };
    runs.scorer = (state, _) -> Score.of(!state.sample().id().equals("s7"));
    runs.settings = Settings.NONE.with("retry_on_error", 2);
    RunResult result = runs.run();
    assertThat(result.status()).isEqualTo(Status.SUCCESS);
    SampleResult again =
        runs.log.stream().filter(s -> s.id().equals("s7")).findFirst().orElseThrow();
    assertThat(again.errorRetries())
        .extracting(error -> error.traceback().orElseThrow())
        .satisfiesExactly(
            first ->
                assertThat(first)
                    .startsWith("java.lang.IllegalStateException: attempt 1\n\tat ")
                    .contains("ErrorPolicyTest"),
            second ->
                assertThat(second).startsWith("java.lang.IllegalStateException: attempt 2\n\tat "));
    assertThat(again.errorRetries())
        .extracting(SampleFailure::message)
        .containsExactly(
            "java.lang.IllegalStateException: attempt 1",
            "java.lang.IllegalStateException: attempt 2");
    assertThat(runs.log).hasSize(20);
    assertThat(result.retriedSamples().orElseThrow()).contains("1 retried sample", "p = 0.05");
    runs.settings = Settings.NONE.with("retry_on_error", 1);
    tries.clear();
    RunResult failed = runs.run();
    assertThat(failed.status()).isEqualTo(Status.ERROR);
    assertThat(failed.traceback().orElseThrow())
        .startsWith("java.lang.IllegalStateException: attempt 2\n\tat ");
  }

  /** Too many failed only in the end: the first is shown. */
  @Test
  void aRunThatFailsAtItsEndHasTheStackTraceOfASample() throws Exception {
    runs.solver =
        (_, _) -> {
          throw new IllegalStateException("broken");
        };
    runs.settings = Settings.NONE.with("continue_on_fail", true);
    RunResult failed = runs.run();
    assertThat(failed.error().orElseThrow()).startsWith("20 of 20 samples failed");
    assertThat(failed.traceback().orElseThrow())
        .startsWith("java.lang.IllegalStateException: broken\n\tat ");
  }

  @Test
  void whatThereIsMayBeScored() throws Exception {
    fail(3);
    runs.settings = Settings.NONE.with("score_on_error", true).with("fail_on_error", 5);
    RunResult result = runs.run();
    SampleResult broken =
        runs.log.stream().filter(s -> s.error().isPresent()).findFirst().orElseThrow();
    assertThat(broken.score()).contains(1.0);
    assertThat(result.samples().failed()).isEqualTo(1);
    assertThat(result.metrics().get("accuracy")).as("its score counts").isEqualTo(1);
    assertThat(result.accuracyOverAll().orElseThrow()).isEqualTo(0.95, within(1e-9));
  }

  /** Half of the samples fail, in one of their epochs or in the only one, and score the most. */
  @ParameterizedTest
  @CsvSource({"1, 0.1, 0.2", "2, 0.15, 0.2"})
  void aFailedSampleIsZeroOverAllAndNoPartOfTheScoreSoFar(int epochs, double overAll, double soFar)
      throws Exception {
    runs.samples = 10;
    Map<String, Integer> tries = new HashMap<>();
    Set<String> failed = new TreeSet<>();
    runs.solver =
        (state, context) -> {
          state.generate(context.model());
          String id = state.sample().id();
          if (tries.merge(id, 1, Integer::sum) == 1
              && id.compareTo("s6") < 0
              && !id.equals("s10")) {
            failed.add(id + "/" + state.epoch());
            throw new IllegalStateException("broken");
          }
        };
    runs.scorer =
        (state, _) ->
            Score.of(failed.contains(state.sample().id() + "/" + state.epoch()) ? 1 : 0.2);
    runs.settings =
        Settings.NONE
            .with("score_on_error", true)
            .with("fail_on_error", false)
            .with("epochs", epochs);
    Run run = runs.prepare();
    RunResult result = runs.time.run(run::run);
    assertThat(result.samples().failed()).isEqualTo(5);
    assertThat(result.accuracyOverAll().orElseThrow()).isEqualTo(overAll, within(1e-9));
    assertThat(run.progress().score().orElseThrow().mean()).isEqualTo(soFar, within(1e-9));
    assertThat(result.metrics().get("accuracy")).isGreaterThan(soFar);
  }

  @Test
  void whatIsRunAgainIsScoredAtItsLastTryOnly() throws Exception {
    fail(3);
    var scored = new AtomicInteger();
    runs.scorer =
        (_, _) -> {
          scored.incrementAndGet();
          return Score.WRONG;
        };
    runs.settings =
        Settings.NONE
            .with("score_on_error", true)
            .with("retry_on_error", 2)
            .with("fail_on_error", 5);
    runs.run();
    assertThat(scored).hasValue(20);
    assertThat(runs.log)
        .filteredOn(sample -> sample.error().isPresent())
        .singleElement()
        .satisfies(
            sample -> {
              assertThat(sample.score()).contains(0.0);
              assertThat(sample.errorRetries()).hasSize(2);
            });
  }

  @Test
  void theFirstErrorOfASampleIsTheOneThatIsTold() throws Exception {
    fail(3);
    runs.scorer =
        (state, _) -> {
          if (state.sample().id().equals("s3")) {
            throw new IllegalStateException("nothing to judge");
          }
          return Score.RIGHT;
        };
    runs.settings = Settings.NONE.with("score_on_error", true).with("fail_on_error", 5);
    runs.run();
    assertThat(runs.log)
        .filteredOn(sample -> sample.error().isPresent())
        .singleElement()
        .satisfies(sample -> assertThat(sample.error().orElseThrow()).contains("broken s3"));
  }

  @Test
  void aFailedSampleHasNoScoreEvenIfOneScorerWasContent() throws Exception {
    runs.otherScorer =
        (state, _) -> {
          if (state.sample().id().equals("s2")) {
            throw new IllegalStateException("cannot judge");
          }
          return Score.RIGHT;
        };
    runs.scorer = (state, _) -> Score.of(!state.sample().id().equals("s2"));
    runs.settings = Settings.NONE.with("fail_on_error", false);
    RunResult result = runs.run();
    assertThat(runs.log)
        .filteredOn(sample -> sample.error().isPresent())
        .singleElement()
        .satisfies(sample -> assertThat(sample.scores()).isEmpty());
    assertThat(result.metrics().get("accuracy")).as("over scored samples").isEqualTo(1);
    assertThat(result.accuracyOverAll().orElseThrow()).isEqualTo(0.95, within(1e-9));
  }

  @Test
  void aBudgetStopsTheRunCleanly() throws Exception {
    runs.price = Optional.of(ScriptedRun.aDollarPerThousand());
    // 0.11 dollars each, three at a time.
    runs.settings = Settings.NONE.with("max_cost", "0.5");
    RunResult result = runs.run();
    assertThat(result.status()).isEqualTo(Status.CANCELLED);
    assertThat(result.stopped().orElseThrow()).isEqualTo("the budget of $0.5 is used up");
    assertThat(result.samples().failed()).isZero();
    // Answers that were on their way are paid for, and kept.
    assertThat(result.samples().scored()).isBetween(5, 8);
    assertThat(result.cost().knownUsd().doubleValue())
        .isEqualTo(0.11 * result.samples().scored(), within(1e-9));
    runs.settings = Settings.NONE.with("max_tokens_total", "1k");
    assertThat(runs.run().stopped().orElseThrow())
        .isEqualTo("the budget of 1000 tokens is used up");
  }

  @Test
  void aCallThatWaitsForAPlaceIsNotSentWhenTheAnswerThatFreesItUsesUpTheBudget() throws Exception {
    for (Solver asking :
        List.<Solver>of(
            (state, context) -> state.generate(context.model()),
            (_, context) -> context.role("helper").ask("help"))) {
      var one = new ScriptedRun();
      one.role = Optional.of("helper");
      one.mode = new Mode.Static(1);
      one.settings = Settings.NONE.with("max_tokens_total", "330");
      one.solver = asking;
      List<Boolean> usedUp = new ArrayList<>();
      one.attempted = budget -> usedUp.add(budget.usedUp().isPresent());
      assertThat(one.run().stopped()).isPresent();
      assertThat(one.requests).hasSize(3);
      // Known before the place is free: else whoever gets it may be sent before it is.
      assertThat(usedUp).containsExactly(false, false, true);
    }
  }

  @Test
  void whatMakesDoWithoutACallThatTheBudgetForbadeIsNotFinished() throws Exception {
    runs.price = Optional.of(ScriptedRun.aDollarPerThousand());
    runs.settings = Settings.NONE.with("max_cost", "0.5");
    runs.solver =
        (state, context) -> {
          state.generate(context.model());
          try {
            context.model().ask("again");
          } catch (RuntimeException unlooked) {
            state.setOutput("made do");
          }
        };
    RunResult result = runs.run();
    assertThat(result.status()).isEqualTo(Status.CANCELLED);
    assertThat(result.stopped().orElseThrow()).isEqualTo("the budget of $0.5 is used up");
    assertThat(runs.log)
        .filteredOn(sample -> sample.output().equals(Optional.of("made do")))
        .isNotEmpty()
        .allMatch(sample -> sample.cancelled() && sample.scores().isEmpty());
  }

  /** Half of the calls grade; each sample is 0.22 dollars. */
  private void gradeByItself(String budget) {
    runs.price = Optional.of(ScriptedRun.aDollarPerThousand());
    runs.settings = Settings.NONE.with("max_cost", budget);
    runs.scorer =
        (_, context) -> {
          context.role("grader").ask("right?");
          return Score.RIGHT;
        };
  }

  @Test
  void whatWasAnsweredIsGradedWhenTheBudgetIsUsedUp() throws Exception {
    gradeByItself("0.5");
    RunResult result = runs.run();
    assertThat(result.stopped()).isPresent();
    assertThat(result.samples().failed()).isZero();
    // No call was made for nothing: who was answered was scored.
    assertThat(runs.requests).hasSize(2 * result.samples().scored());
    assertThat(runs.log).allMatch(sample -> sample.cancelled() == (sample.tokens().output() == 0));
    // Three in flight, and for each the grade.
    assertThat(result.cost().knownUsd().doubleValue()).isBetween(0.5, 0.5 + 3 * 0.22);
  }

  @Test
  void noSampleIsOpenedWhenTheBudgetIsUsedUp() throws Exception {
    runs.settings = Settings.NONE.with("max_tokens_total", 550).with("max_samples", 3);
    runs.scorer =
        (_, context) -> {
          context.time().sleep(Duration.ofMillis(500));
          return Score.RIGHT;
        };
    var answers = new AtomicInteger();
    runs.model =
        _ -> {
          answers.incrementAndGet();
          return ScriptedRun.reply("answer", new Usage(100, 10));
        };
    List<Integer> answersAtOpening = new ArrayList<>();
    runs.solver =
        (state, context) -> {
          answersAtOpening.add(answers.get());
          state.generate(context.model());
        };
    RunResult result = runs.run();
    assertThat(result.stopped()).isPresent();
    // It is used up with the fifth answer; those that are open then are scored.
    assertThat(answersAtOpening).containsExactly(0, 0, 0, 3, 3, 3);
    assertThat(result.samples()).isEqualTo(new RunResult.Counts(20, 6, 0, 14));
  }

  @Test
  void aBudgetThatIsReachedWithTheLastSampleStopsNothing() throws Exception {
    runs.price = Optional.of(ScriptedRun.aDollarPerThousand());
    runs.settings = Settings.NONE.with("max_cost", "2.2");
    RunResult result = runs.run();
    assertThat(result.samples()).isEqualTo(new RunResult.Counts(20, 20, 0, 0));
    assertThat(result.status()).isEqualTo(Status.SUCCESS);
    assertThat(result.stopped()).isEmpty();
  }

  @Test
  void whatFailedBeforeTheBudgetWasUsedUpAndWouldBeRunAgainIsNotFinished() throws Exception {
    fail(1, 2, 3);
    runs.price = Optional.of(ScriptedRun.aDollarPerThousand());
    runs.settings = Settings.NONE.with("max_cost", "0.5").with("retry_on_error", 1);
    RunResult result = runs.run();
    assertThat(result.status()).isEqualTo(Status.CANCELLED);
    assertThat(result.samples().failed()).isZero();
    assertThat(runs.log)
        .filteredOn(sample -> !sample.errorRetries().isEmpty())
        .hasSize(3)
        .allMatch(SampleResult::cancelled);
  }

  @Test
  void cancellingTenThousandSamplesTakesNoTime() throws Exception {
    runs.samples = 12_000;
    runs.mode = new Mode.Static(10_000);
    runs.latency = _ -> Duration.ofHours(1);
    runs.time.run(
        () -> {
          Run run = runs.prepare();
          Task<RunResult> running = runs.time.start("run", run::run);
          runs.time.sleep(Duration.ofSeconds(10));
          assertThat(run.progress().lane().inFlight()).isEqualTo(10_000);
          running.cancel();
          long cancelled = runs.time.nanos();
          RunResult result = running.join();
          assertThat(runs.time.nanos()).isEqualTo(cancelled);
          assertThat(result.status()).isEqualTo(Status.CANCELLED);
          assertThat(runs.log).hasSize(10_005).allMatch(SampleResult::cancelled);
        });
  }

  @Test
  void aScorerThatThrowsIsAnErrorOfItsSample() throws Exception {
    runs.scorer =
        (state, _) -> {
          if (state.sample().id().equals("s2")) {
            throw new IllegalStateException("cannot judge");
          }
          return Score.RIGHT;
        };
    runs.settings = Settings.NONE.with("fail_on_error", false);
    RunResult result = runs.run();
    assertThat(result.samples()).isEqualTo(new RunResult.Counts(20, 19, 1, 0));
  }

  @Test
  @SuppressWarnings("NullAway") // what a scorer of anybody may do all the same
  void aScorerThatGivesNullIsAnErrorOfItsSample() throws Exception {
    runs.scorer = (state, _) -> state.sample().id().equals("s2") ? null : Score.RIGHT;
    runs.settings = Settings.NONE.with("fail_on_error", false);
    RunResult result = runs.run();
    assertThat(result.status()).isEqualTo(Status.SUCCESS);
    assertThat(result.samples()).isEqualTo(new RunResult.Counts(20, 19, 1, 0));
    assertThat(result.failures())
        .singleElement()
        .satisfies(
            failed -> assertThat(failed.error()).startsWith("the scorer 'test' gave null; it"));
  }

  /** Nothing of these could be written to the log, which would end the run. */
  @Test
  @SuppressWarnings({"NullAway", "NullOptional"})
  void aPartThatIsNullIsAnErrorOfItsSample() throws Exception {
    runs.solver =
        (state, context) -> {
          state.generate(context.model());
          if (state.sample().id().equals("s1")) {
            throw new SampleLimitExceededException(null, 1, 1, "no type");
          }
        };
    runs.scorer =
        (state, _) ->
            state.sample().id().equals("s2")
                ? new Score(1, null, Optional.empty(), Map.of())
                : Score.RIGHT;
    runs.settings = Settings.NONE.with("fail_on_error", false);
    RunResult result = runs.run();
    assertThat(result.samples()).isEqualTo(new RunResult.Counts(20, 18, 2, 0));
    assertThat(result.failures())
        .extracting(RunResult.FailedSample::error)
        .satisfiesExactlyInAnyOrder(
            error -> assertThat(error).contains("the type of a limit is null"),
            error -> assertThat(error).contains("`answer` of a score is null"));
  }
}
