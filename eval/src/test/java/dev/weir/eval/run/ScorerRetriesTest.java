package dev.weir.eval.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.option.Settings;
import dev.weir.eval.scorer.NoScoreException;
import dev.weir.eval.scorer.Score;
import dev.weir.limits.retry.Outcome;
import dev.weir.log.RunResult;
import dev.weir.log.RunResult.Status;
import dev.weir.log.SampleResult;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Origin;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.Usage;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Scorers that fail, and are retried. */
class ScorerRetriesTest {

  private final ScriptedRun runs = new ScriptedRun();
  private int scorings;

  private static Settings retries(int times) {
    return Settings.NONE.with("scorer_retries", times);
  }

  @Test
  void aScorerThatFailsOnceIsRetried() throws Exception {
    Set<String> failed = new HashSet<>();
    runs.scorer =
        (state, _) -> {
          if (failed.add(state.sample().id())) {
            throw new NoScoreException("the grader gave no grade");
          }
          return Score.RIGHT;
        };
    RunResult result = runs.run();
    assertThat(result.status()).isEqualTo(Status.SUCCESS);
    assertThat(result.samples().scored()).isEqualTo(20);
    assertThat(runs.log)
        .allSatisfy(
            sample -> {
              assertThat(sample.error()).isEmpty();
              assertThat(sample.errorRetries()).isEmpty();
              assertThat(sample.notes()).hasSize(1);
              assertThat(sample.notes().getFirst().data())
                  .isEqualTo(
                      Map.of("scorer", "test", "retry", 1, "error", "the grader gave no grade"));
            });
    assertThat(runs.requests).as("answers are not asked for again").hasSize(20);
  }

  private SampleResult failing(Exception failure) throws Exception {
    scorings = 0;
    runs.scorer =
        (_, _) -> {
          scorings++;
          throw failure;
        };
    return runs.runOne();
  }

  @Test
  void itIsRetriedAsOftenAsTheOptionSays() throws Exception {
    var failure = new NoScoreException("no grade");
    assertThat(failing(failure).error()).hasValue("no grade");
    assertThat(scorings).isEqualTo(2);
    runs.settings = retries(0);
    assertThat(failing(failure).error()).hasValue("no grade");
    assertThat(scorings).isEqualTo(1);
    runs.settings = retries(5);
    assertThat(failing(new IllegalStateException("broken")).error()).isPresent();
    assertThat(scorings).isEqualTo(6);
  }

  @Test
  void whatWouldFailAgainIsNotRetried() throws Exception {
    failing(new ConfigurationException("no such role"));
    assertThat(scorings).isEqualTo(1);
    runs.model =
        request ->
            request.messages().getFirst().text().equals("Right?")
                ? new Response.Authentication(
                    "the key is wrong", Outcome.Reach.ACCOUNT, Origin.of(ScriptedRun.NAME))
                : ScriptedRun.reply("answer", Usage.NONE);
    scorings = 0;
    runs.scorer =
        (_, context) -> {
          scorings++;
          context.model().generate(Request.of("Right?"));
          return Score.RIGHT;
        };
    assertThat(runs.runOne().error()).isPresent();
    assertThat(scorings).isEqualTo(1);
  }

  /** Otherwise a cache would give the verdict that could not be understood again. */
  @Test
  void aGraderIsAskedAnew() throws Exception {
    runs.role = Optional.of("grader");
    runs.scorer =
        (_, context) -> {
          context.role("grader").generate(Request.of("Right?"));
          if (scorings++ < 2) {
            throw new NoScoreException("no grade");
          }
          return Score.RIGHT;
        };
    runs.settings = retries(2);
    assertThat(runs.runOne().score()).hasValue(1.0);
    List<Integer> epochs =
        runs.requests.stream()
            .filter(request -> request.messages().getFirst().text().equals("Right?"))
            .map(Request::epoch)
            .toList();
    assertThat(epochs).hasSize(3).doesNotHaveDuplicates().startsWith(0);
  }

  @Test
  void epochsOfAttemptsDoNotMeet() {
    Set<Integer> epochs = new HashSet<>();
    for (int attempt = 0; attempt < 20; attempt++) {
      for (int repetition = 0; repetition < 20; repetition++) {
        for (int epoch = 0; epoch < 20; epoch++) {
          assertThat(epochs.add(ScorerRetries.epoch(epoch, repetition, attempt))).isTrue();
        }
      }
    }
    assertThat(epochs).allMatch(epoch -> epoch >= 0);
    assertThat(ScorerRetries.epoch(3, 0, 0)).isEqualTo(3);
    assertThat(ScorerRetries.epoch(3, 2, 0)).isEqualTo(2_000_003);
    assertThat(ScorerRetries.epoch(999_999, 999, 1_000)).isNotNegative();
  }
}
