package dev.weir.eval.scorer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.weir.eval.metric.Metrics;
import dev.weir.eval.metric.ScoredSample;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScoringTest {

  @ParameterizedTest
  @ValueSource(doubles = {Double.NaN, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY})
  void aScoreIsANumber(double score) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Score.of(score))
        .withMessage("a score must be a finite number, was " + score);
  }

  /** The usual metrics of a task. */
  private static Map<String, Double> metrics(List<Double> scores) {
    List<ScoredSample> samples =
        scores.stream().map(score -> new ScoredSample("s", score, Map.of())).toList();
    return Metrics.compute(Metrics.usual(), samples);
  }

  @Test
  void accuracyHasAStandardError() {
    assertThat(metrics(List.of(1.0, 1.0, 0.0, 1.0))).containsEntry("accuracy", 0.75);
    // sqrt(((3 * 0.25^2 + 0.75^2) / 3) / 4)
    assertThat(metrics(List.of(1.0, 1.0, 0.0, 1.0)).get("stderr")).isEqualTo(0.25, within(1e-12));
  }

  @Test
  void whatCannotBeToldIsAbsent() {
    assertThat(metrics(List.of())).isEmpty();
    assertThat(metrics(List.of(1.0))).containsOnlyKeys("accuracy");
  }
}
