package dev.weir.eval.scorer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import dev.weir.model.ConfigurationException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Scorers that count how many words two texts share; the figures are worked out by hand. */
class CountingScorersTest {

  @ParameterizedTest
  @CsvSource({
    "'The cat sat',        'a cat sat.',     1",
    "'cat',                'cat sat',        0.6666666666666666",
    "'cat cat cat',        'cat',            0.5",
    "'dog',                'cat',            0",
    "'',                   'cat',            0",
    "'the',                'a',              1",
    "'don''t stop',        'dont stop',      1",
    "'北京市',              '北京',            0.8",
  })
  void f1IsTheShareOfCommonWords(String output, String target, double value) throws Exception {
    assertThat(Scoring.value("f1", Map.of(), output, target)).isEqualTo(value, within(1e-12));
  }

  @Test
  void f1LeavesOutStopWords() throws Exception {
    assertThat(Scoring.value("f1", Map.of("stop_words", List.of("City")), "York city", "York"))
        .isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
    // Common words: police, the, gunman.
    "rouge1, 'police kill the gunman', 'police killed the gunman', 0.75",
    // Of three pairs each, one: the gunman.
    "rouge2, 'police kill the gunman', 'police killed the gunman', 0.3333333333333333",
    "rougel, 'police kill the gunman', 'police killed the gunman', 0.75",
    "rougel, 'the gunman kill police', 'police killed the gunman', 0.5",
    "rouge2, 'police',                 'police',                   0",
    "rougel, '',                       'police',                   0",
  })
  void rougeIsAnFMeasure(String type, String output, String target, double value) throws Exception {
    assertThat(Scoring.value("rouge", Map.of("type", type), output, target))
        .isEqualTo(value, within(1e-12));
  }

  @Test
  void rougeRefusesWhatWouldTakeTooLong() {
    assertThatExceptionOfType(NoScoreException.class)
        .isThrownBy(() -> Scoring.value("rouge", Map.of(), "word ".repeat(10_001), "word"))
        .withMessageContaining("at most 10000 words, but there are 10001");
  }

  @Test
  void bleuIsOneForTheTargetItself() throws Exception {
    String text = "the cat is on the mat";
    assertThat(Scoring.value("bleu", Map.of(), text, text)).isEqualTo(1, within(1e-12));
    assertThat(Scoring.value("bleu", Map.of(), "yes", "yes")).isEqualTo(1, within(1e-12));
    assertThat(Scoring.value("bleu", Map.of(), "", text)).isZero();
    assertThat(Scoring.value("bleu", Map.of(), "dogs bark", text)).isZero();
  }

  @Test
  void bleuIsTheMeanOfSmoothedPrecisions() throws Exception {
    // Words 5/6; pairs (3+1)/(5+1); triples (1+1)/(4+1); fours (0+1)/(3+1).
    double expected = Math.pow(5.0 / 6 * 4 / 6 * 2 / 5 * 1 / 4, 0.25);
    assertThat(Scoring.value("bleu", Map.of(), "the cat sat on the mat", "the cat is on the mat"))
        .isEqualTo(expected, within(1e-12));
    // A word counts only as often as the target has it.
    assertThat(Scoring.value("bleu", Map.of("max_n", 1), "the the the the", "the cat the mat"))
        .isEqualTo(0.5, within(1e-12));
  }

  @Test
  void bleuPunishesWhatIsTooShort() throws Exception {
    assertThat(Scoring.value("bleu", Map.of("max_n", 1), "the cat", "the cat sat down"))
        .isEqualTo(Math.exp(1 - 4 / 2.0), within(1e-12));
    // The target nearest in length decides.
    assertThat(Scoring.value("bleu", Map.of("max_n", 1), "the cat", "the cat sat down", "a cat"))
        .isEqualTo(1, within(1e-12));
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Scorers.of("bleu", Map.of("max_n", 10)))
        .withMessage("`max_n` must be at most 9, was 10");
  }

  @Test
  void theLongestCommonSequenceNeedNotBeConnected() {
    assertThat(Rouge.longestCommon(List.of("a", "b", "c", "d"), List.of("b", "x", "d", "a")))
        .isEqualTo(2);
  }
}
