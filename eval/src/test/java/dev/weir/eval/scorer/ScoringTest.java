package dev.weir.eval.scorer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.weir.eval.component.Arguments;
import dev.weir.eval.dataset.Sample;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScoringTest {

  /** These scorers need nothing but the state. */
  private static final SampleContext NO_CONTEXT =
      (SampleContext)
          Proxy.newProxyInstance(
              ScoringTest.class.getClassLoader(),
              new Class<?>[] {SampleContext.class},
              (_, method, _) -> {
                throw new AssertionError(method);
              });

  private static double score(String scorer, String output, String target) throws Exception {
    var state = new SampleState(new Sample("1", "question", target), 1);
    state.setOutput(output);
    Scorer made = Scorers.find(scorer).orElseThrow().make(Arguments.of(Map.of()));
    return made.score(state, NO_CONTEXT).value();
  }

  @Test
  void includesFindsTheTargetAnywhere() throws Exception {
    assertThat(score("includes", "It is PARIS, of course.", "Paris")).isEqualTo(1);
    assertThat(score("includes", "It is Lyon.", "Paris")).isZero();
    assertThat(score("includes", "", "Paris")).isZero();
  }

  @Test
  void exactWantsTheTargetAlone() throws Exception {
    assertThat(score("exact", " paris\n", "Paris")).isEqualTo(1);
    assertThat(score("exact", "Paris.", "Paris")).isZero();
  }

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
