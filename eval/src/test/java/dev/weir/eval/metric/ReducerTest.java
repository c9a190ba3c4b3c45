package dev.weir.eval.metric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.weir.model.ConfigurationException;
import java.util.Arrays;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReducerTest {

  @ParameterizedTest
  @CsvSource({
    "mean, 1 0 0.5, 0.5",
    "median, 1 0 0.25, 0.25",
    "median, 1 0 0.25 0.75, 0.5",
    "mode, 1 0 1, 1",
    "mode, 0 1 0.5, 0",
    "mode, 1 0.5 0 0.5 1, 0.5",
    "max, 0.25 0.75 0.5, 0.75",
    "at_least_2, 1 0 1, 1",
    "at_least_2, 1 0 0.9, 0",
    "pass_at_1, 1 0 0 1, 0.5",
    "pass_at_2, 1 0 0 1, 0.8333333333",
    "pass_at_4, 1 0 0 1, 1",
    "pass_k_1, 1 0 0 1, 0.5",
    "pass_k_2, 1 0 0 1, 0.1666666667",
    "pass_k_3, 1 0 0 1, 0"
  })
  void makesOneScoreOfSeveral(String word, String scores, double reduced) {
    double[] values =
        Arrays.stream(scores.split(" ", -1)).mapToDouble(Double::parseDouble).toArray();
    assertThat(Reducer.parse(word).reduce(values, values.length).getAsDouble())
        .isCloseTo(reduced, within(1e-9));
  }

  @ParameterizedTest
  @ValueSource(strings = {"mean", "median", "mode", "max", "at_least_2", "pass_at_10", "pass_k_3"})
  void isSaidAsItIsRead(String word) {
    assertThat(Reducer.parse(word).word()).isEqualTo(word);
    assertThat(Reducer.parse(word)).isEqualTo(Reducer.parse(word)).hasToString(word);
    assertThat(Reducer.parse(word).reduce(new double[0], 5)).isEmpty();
  }

  /** A failed epoch is neither right nor wrong. */
  @Test
  void epochsWithoutAScoreAreLeftAside() {
    double[] two = {1, 0};
    assertThat(reduce("mean", two, 3)).hasValue(0.5);
    assertThat(reduce("max", two, 3)).hasValue(1);
    assertThat(reduce("pass_at_1", two, 3)).hasValue(0.5);
    assertThat(reduce("pass_k_2", two, 3)).hasValue(0);
  }

  @Test
  void thereIsNoScoreWhenThoseMissingWouldDecide() {
    double[] two = {1, 0};
    assertThat(reduce("pass_at_3", two, 3)).isEmpty();
    assertThat(reduce("pass_k_3", two, 3)).isEmpty();
    assertThat(reduce("at_least_2", two, 3)).isEmpty();
    assertThat(reduce("at_least_1", two, 3)).hasValue(1);
    assertThat(reduce("at_least_3", two, 3)).hasValue(0);
  }

  @Test
  void theScoresStayInOrder() {
    double[] scores = {1, 0, 0.5};
    reduce("median", scores, 3);
    reduce("mode", scores, 3);
    assertThat(scores).containsExactly(1, 0, 0.5);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "avg|unknown reducer 'avg'",
        "medain|unknown reducer 'medain'; did you mean 'median'?",
        "mean_3|unknown reducer 'mean_3'; did you mean 'mean'?",
        "pass_att_5|unknown reducer 'pass_att_5'; did you mean 'pass_at_5'?",
        "pass_at|reducer 'pass_at' needs a number of epochs, such as pass_at_3",
        "pass_k|reducer 'pass_k' needs a number of epochs, such as pass_k_3",
        "at_least_k|reducer 'at_least_k' needs a number of epochs, such as at_least_3",
        "at_least_|reducer 'at_least_' needs a number of epochs, such as at_least_3",
        "pass_at_0|reducer 'pass_at_0' must count at least 1 epoch",
        "pass_at_-1|unknown reducer 'pass_at_-1'",
        "Mean|unknown reducer 'Mean'; did you mean 'mean'?",
        "''|unknown reducer ''"
      })
  void whatIsNoReducerIsExplained(String word, String message) {
    assertThatThrownBy(() -> Reducer.parse(word))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith(message);
  }

  @Test
  void anUnknownWordListsAllReducers() {
    assertThatThrownBy(() -> Reducer.parse("harmonic"))
        .hasMessage(
            "unknown reducer 'harmonic'; known are: at_least_3, max, mean, median, mode,"
                + " pass_at_3, pass_k_3");
  }

  @Test
  void tooFewEpochsAreRefusedBeforeARun() {
    assertThatThrownBy(() -> Reducer.parse("pass_at_3").requireEpochs(2))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage(
            "reducer 'pass_at_3' needs at least 3 epochs, was 2; raise epochs or take pass_at_2");
    Reducer.parse("pass_at_3").requireEpochs(3);
    Reducer.MEAN.requireEpochs(1);
  }

  @Test
  void thereCannotBeMoreScoresThanEpochs() {
    assertThatThrownBy(() -> Reducer.MEAN.reduce(new double[] {1, 0}, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("`epochs` must be >= the number of scores (2), was 1");
  }

  private static OptionalDouble reduce(String word, double[] scores, int epochs) {
    return Reducer.parse(word).reduce(scores, epochs);
  }
}
