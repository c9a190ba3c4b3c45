package dev.weir.eval.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.eval.option.Settings;
import dev.weir.eval.scorer.Score;
import dev.weir.limits.Mode;
import dev.weir.log.RunResult;
import dev.weir.log.RunResult.Status;
import dev.weir.log.SampleResult;
import dev.weir.time.Task;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
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
  }

  @Test
  void failedSamplesStayInTheDenominatorThatSaysSo() throws Exception {
    fail(1, 2, 3, 4, 5);
    runs.settings = Settings.NONE.with("fail_on_error", false);
    RunResult result = runs.run();
    assertThat(result.metrics().get("accuracy")).isEqualTo(1);
    assertThat(result.accuracyOverAll().orElseThrow()).isEqualTo(0.75, within(1e-9));
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
        .containsExactly(
            "java.lang.IllegalStateException: attempt 1",
            "java.lang.IllegalStateException: attempt 2");
    assertThat(runs.log).hasSize(20);
    assertThat(result.retriedSamples().orElseThrow()).contains("1 retried sample", "p = 0.05");
    runs.settings = Settings.NONE.with("retry_on_error", 1);
    tries.clear();
    assertThat(runs.run().status()).isEqualTo(Status.ERROR);
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
  void cancellingTenThousandSamplesTakesNoTime() throws Exception {
    runs.samples = 12_000;
    runs.mode = new Mode.Static(10_000);
    runs.latency = Duration.ofHours(1);
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
}
