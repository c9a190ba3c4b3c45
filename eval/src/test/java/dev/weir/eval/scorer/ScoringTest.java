package dev.weir.eval.scorer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

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
