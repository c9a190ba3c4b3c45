package dev.weir.eval;

import static dev.weir.eval.scorer.Scorers.exact;
import static dev.weir.eval.scorer.Scorers.includes;
import static dev.weir.eval.solver.Solvers.generate;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.dataset.Sample;
import dev.weir.eval.metric.Metric;
import dev.weir.eval.metric.ScoredSample;
import dev.weir.eval.option.Settings;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.log.RunResult;
import dev.weir.model.ConfigurationException;
import dev.weir.time.virtual.VirtualTime;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ThresholdMetricsTest {

  @TempDir Path directory;

  private final VirtualTime time = VirtualTime.seeded(1);

  private static TaskDefinition.Builder task() {
    return TaskDefinition.named("t").dataset(new Sample("1", "q", "a")).solver(generate());
  }

  private Evaluation prepare(TaskDefinition.Builder task, Settings given) {
    return Evaluation.prepare(
        time,
        List.of(task.build()),
        given.with("model", "sim/x:accuracy=1,rpm=0").with("log-dir", directory.resolve("logs")),
        Host.process());
  }

  @Test
  void everyMetricHasAName() throws Exception {
    TaskDefinition.Builder task =
        task()
            .dataset(new Sample("1", "q", "a"), new Sample("2", "r", "b"))
            .scorer(includes())
            .scorer(exact());
    RunResult result = time.run(() -> prepare(task, Settings.NONE).run().result());
    assertThat(ThresholdMetrics.values(result).keySet())
        .containsExactly(
            "accuracy",
            "stderr",
            "accuracy_over_all",
            "includes/accuracy",
            "includes/stderr",
            "exact/accuracy",
            "exact/stderr");
    assertThat(ThresholdMetrics.missing("exact.accuracy", result))
        .startsWith("there is no metric 'exact.accuracy'; did you mean 'exact/accuracy'?");
  }

  @Test
  void aProgramIsToldBeforeTheFirstCallToo() {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(
            () -> prepare(task().scorer(includes()), Settings.NONE.with("threshold", "acuracy=1")))
        .withMessageContaining("threshold: there is no metric 'acuracy'; did you mean 'accuracy'?");
    assertThat(directory.resolve("logs")).doesNotExist();
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(
            () -> prepare(task().scorer(includes()).threshold(Map.of("f1", 1.0)), Settings.NONE))
        .withMessageContaining("there is no metric 'f1'");
  }

  /** A threshold is the least value that passes: it would pass what is too large. */
  @Test
  void whatIsBetterTheSmallerItIsHasNoThreshold() {
    for (String metric : List.of("stderr", "includes/stderr")) {
      assertThatExceptionOfType(ConfigurationException.class)
          .isThrownBy(
              () ->
                  prepare(
                      task().scorer(includes()), Settings.NONE.with("threshold", metric + "=0.01")))
          .withMessageContaining("threshold: a threshold is the least that will do")
          .withMessageContaining("of '%s' less is better".formatted(metric));
    }
  }

  /** What a program makes may tell anything, but only under the name of its scorer. */
  @Test
  void metricsOfAProgramDoNotHideOtherMistakes() {
    TaskDefinition own =
        task()
            .scorer(includes())
            .scorer(
                exact(),
                new Metric() {
                  @Override
                  public String name() {
                    return "accuracy";
                  }

                  @Override
                  public Map<String, Double> compute(List<ScoredSample> samples) {
                    return Map.of("best", 1.0);
                  }
                })
            .build();
    ThresholdMetrics.check(own, Settings.NONE.with("threshold", "exact/best=1"));
    for (String wrong : List.of("accurcy=1", "best=1", "includes/best=1")) {
      assertThatExceptionOfType(ConfigurationException.class)
          .isThrownBy(() -> ThresholdMetrics.check(own, Settings.NONE.with("threshold", wrong)))
          .withMessageContaining("there is no metric");
    }
  }
}
