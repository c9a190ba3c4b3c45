package dev.weir.eval.scorer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
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

  @Test
  void accuracyHasAStandardError() {
    assertThat(Metrics.of(List.of(1.0, 1.0, 0.0, 1.0))).containsEntry("accuracy", 0.75);
    // sqrt(((3 * 0.25^2 + 0.75^2) / 3) / 4)
    assertThat(Metrics.of(List.of(1.0, 1.0, 0.0, 1.0)).get("stderr"))
        .isEqualTo(0.25, within(1e-12));
  }

  @Test
  void whatCannotBeToldIsAbsent() {
    assertThat(Metrics.of(List.of())).isEmpty();
    assertThat(Metrics.of(List.of(1.0))).containsOnlyKeys("accuracy");
  }
}
