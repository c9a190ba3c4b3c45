package dev.weir.eval.scorer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScoringTest {

  private static double score(String scorer, String output, String target) {
    return Scorers.find(scorer).orElseThrow().score(output, target);
  }

  @Test
  void includesFindsTheTargetAnywhere() {
    assertThat(score("includes", "It is PARIS, of course.", "Paris")).isEqualTo(1);
    assertThat(score("includes", "It is Lyon.", "Paris")).isZero();
    assertThat(score("includes", "", "Paris")).isZero();
  }

  @Test
  void exactWantsTheTargetAlone() {
    assertThat(score("exact", " paris\n", "Paris")).isEqualTo(1);
    assertThat(score("exact", "Paris.", "Paris")).isZero();
  }

  @ParameterizedTest
  @ValueSource(doubles = {Double.NaN, 17, -0.001, 1.001, Double.POSITIVE_INFINITY})
  void aCheckedScorerFailsRatherThanGiveAScoreThatIsNone(double score) {
    Scorer checked = Scorer.checked((_, _) -> score);
    assertThatIllegalStateException()
        .isThrownBy(() -> checked.score("a", "b"))
        .withMessage("a score must be from 0 to 1, was " + score);
    assertThat(Scorer.checked(checked)).isSameAs(checked);
  }

  @Test
  void aCheckedScorerLetsScoresPass() {
    for (double score : new double[] {0, 0.5, 1}) {
      assertThat(Scorer.checked((_, _) -> score).score("a", "b")).isEqualTo(score);
    }
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
