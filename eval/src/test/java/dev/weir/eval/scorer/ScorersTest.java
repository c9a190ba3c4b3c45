package dev.weir.eval.scorer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import dev.weir.eval.component.Component;
import dev.weir.model.ConfigurationException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScorersTest {

  @Test
  void eachCanBeFoundAndIsDescribed() {
    assertThat(Scorers.names())
        .containsExactly(
            "answer",
            "bleu",
            "choice",
            "exact",
            "f1",
            "includes",
            "json",
            "match",
            "math",
            "model_graded_fact",
            "model_graded_qa",
            "multi",
            "numeric",
            "pattern",
            "rouge",
            "similarity");
    assertThat(Scorers.all())
        .hasSameSizeAs(Scorers.names())
        .allSatisfy(
            scorer -> {
              assertThat(Scorers.find(scorer.name())).contains(scorer);
              assertThat(scorer.description()).endsWith(".");
              assertThat(scorer.parameters())
                  .allSatisfy(
                      parameter ->
                          assertThat(
                                  parameter.required()
                                      || parameter.description().contains("Default: "))
                              .isTrue());
            });
  }

  @Test
  void theMethodsGiveTheUsualForm() throws Exception {
    assertThat(Scoring.score(Scorers.exact(), "a", "A").value()).isEqualTo(1);
    assertThat(Scoring.score(Scorers.includes(), "bab", "A").value()).isEqualTo(1);
    assertThat(Scoring.score(Scorers.match(), "b a.", "A").value()).isEqualTo(1);
    assertThat(Scoring.score(Scorers.pattern("b (.)"), "b a.", "A").value()).isEqualTo(1);
    assertThat(Scoring.score(Scorers.answer("word"), "ANSWER: a", "A").value()).isEqualTo(1);
    assertThat(Scoring.score(Scorers.f1(), "b c", "b").value()).isEqualTo(2 / 3.0, within(1e-12));
    assertThat(Scoring.score(Scorers.json(), "{}", "A").value()).isEqualTo(1);
    assertThat(Scoring.score(Scorers.numeric(1), "5", "6").value()).isEqualTo(1);
    assertThat(Scoring.score(Scorers.math(), "2/4", "0.5").value()).isEqualTo(1);
    assertThat(Scoring.score(Scorers.rouge(), "a b", "a b").value()).isEqualTo(1);
    assertThat(Scoring.score(Scorers.bleu(), "a b", "a b").value()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({"mean, 0.6666666666666666", "max, 1", "min, 0", "majority, 1"})
  void severalMakeOne(String reducer, double value) throws Exception {
    Map<String, Object> given =
        Map.of(
            "scorers",
            List.of(
                "includes",
                Map.of("match", Map.of("location", "begin")),
                Map.of("exact", Map.of())),
            "reducer",
            reducer);
    Score score = Scoring.score(Scorers.of("multi", given), "Paris it is", "Paris");
    assertThat(score.value()).isEqualTo(value, within(1e-12));
    assertThat(score.metadata())
        .containsEntry("scores", Map.of("includes", 1.0, "match", 1.0, "exact", 0.0));
  }

  @Test
  void theLowestOfATieIsTheMajority() throws Exception {
    Scorer tie = Scorers.multi("majority", Scorers.includes(), Scorers.exact());
    assertThat(Scoring.score(tie, "It is Paris", "Paris").value()).isZero();
  }

  @Test
  void aSingleArgumentIsTheFirstAndNamesAreMadeDistinct() throws Exception {
    Scorer patterns =
        Scorers.of(
            "multi",
            Map.of("scorers", List.of(Map.of("pattern", "a(.)"), Map.of("pattern", "b(.)"))));
    Score score = Scoring.score(patterns, "ax by", "x");
    assertThat(score.metadata()).containsEntry("scores", Map.of("pattern", 1.0, "pattern_2", 0.0));
  }

  @Test
  void whatSeveralCannotUseIsToldWhenTheTaskIsRead() {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Scorers.of("multi", Map.of("scorers", List.of("exakt"))))
        .withMessage("`scorers` has 'exakt', which is no scorer; did you mean 'exact'?");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(
            () ->
                Scorers.of(
                    "multi", Map.of("scorers", List.of(Map.of("exact", Map.of("case", true))))))
        .withMessageStartingWith("`scorers` has 'exact', whose `case` is not an argument");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Scorers.of("multi", Map.of("scorers", List.of())))
        .withMessage("`scorers` must name at least one scorer");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Scorers.multi("median", Scorers.exact()))
        .withMessageStartingWith("`reducer` must be one of mean, max, min, majority");
  }

  @Test
  void similarityNeedsItsModule() {
    ClassLoader usual = Thread.currentThread().getContextClassLoader();
    try {
      // Whatever else is on the class path of the tests, this one has no embedder.
      Thread.currentThread().setContextClassLoader(ClassLoader.getPlatformClassLoader());
      assertThatExceptionOfType(ConfigurationException.class)
          .isThrownBy(Scorers::similarity)
          .withMessage(
              "`similarity` needs the module weir-embeddings, which is not there; add"
                  + " dev.weir:weir-embeddings to the class path, for ./weir with the variable"
                  + " WEIR_CLASSPATH");
    } finally {
      Thread.currentThread().setContextClassLoader(usual);
    }
  }

  /** A vector of how often three letters occur. */
  private static float[] letters(String text) {
    float[] counts = new float[3];
    text.chars().filter(c -> c >= 'a' && c <= 'c').forEach(c -> counts[c - 'a']++);
    return counts;
  }

  @Test
  void similarityIsTheCosineToTheNearestTarget() throws Exception {
    Scorer plain = new Similarity(ScorersTest::letters, java.util.Optional.empty());
    assertThat(Scoring.score(plain, "ab", "aabb", "c").value()).isEqualTo(1, within(1e-7));
    assertThat(Scoring.score(plain, "ab", "a").value()).isEqualTo(Math.sqrt(0.5), within(1e-7));
    assertThat(Scoring.score(plain, "ab", "c").value()).isZero();
    assertThat(Scoring.score(plain, "ab", "x").value()).isZero();
    assertThat(Scoring.score(plain, " ", "a").value()).isZero();
    Scorer strict = new Similarity(ScorersTest::letters, java.util.Optional.of(0.7));
    assertThat(Scoring.score(strict, "ab", "a").value()).isEqualTo(1);
    assertThat(Scoring.score(strict, "abb", "a").value()).isZero();
    assertThat(Scoring.score(strict, "abb", "a").explanation()).contains("nearness 0.447");
  }

  @Test
  void everyComponentRefusesArgumentsItDoesNotKnow() {
    for (Component<Scorer> component : Scorers.all()) {
      assertThatExceptionOfType(ConfigurationException.class)
          .isThrownBy(() -> Scorers.of(component.name(), Map.of("bogus", 1)))
          .withMessageStartingWith("`bogus` is not");
    }
  }
}
