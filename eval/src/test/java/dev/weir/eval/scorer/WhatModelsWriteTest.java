package dev.weir.eval.scorer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import dev.weir.eval.sample.SampleState;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Answers as models really write them, which scorers must neither miss nor take for right. */
class WhatModelsWriteTest {

  /** An é of one character, and one of two. */
  private static final String ONE = "caf\u00E9";

  private static final String TWO = "cafe\u0301";

  @ParameterizedTest
  @CsvSource({"exact", "includes", "match", "f1", "rouge", "bleu"})
  void anAccentIsAnAccentHoweverItIsWritten(String scorer) throws Exception {
    assertThat(Scoring.value(scorer, Map.of(), ONE, TWO)).isEqualTo(1);
    assertThat(Scoring.value(scorer, Map.of(), TWO, ONE)).isEqualTo(1);
    assertThat(Scoring.value(scorer, Map.of(), "cafe", ONE)).isEqualTo(0);
  }

  @Test
  void patternsSeeAccentsAndTheirCase() throws Exception {
    Map<String, Object> pattern = Map.of("pattern", "is (\u00C9cole)");
    assertThat(Scoring.value("pattern", pattern, "It is e\u0301cole.", "\u00E9cole")).isEqualTo(1);
  }

  @Test
  void spacesThatDoNotBreakAreSpaces() throws Exception {
    assertThat(Scoring.value("exact", Map.of(), "\uFEFF\u00A0Paris\u200B\u00A0", "Paris"))
        .isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
    "'About 6.02 × 10^23 per mole', 6.02e23, 1",
    "'It is $1.5 \\times 10^{-3}$ m', 0.0015, 1",
    "'1\u202F234\u202F567 people', 1234567, 1",
    "'10,\\!000', 10000, 1",
    "'1{,}234.5', 1234.5, 1",
    "'It lost \u221240%', -40, 1",
    "'-$5', -5, 1",
    "'\\boxed{42}', 42, 1",
    "'It is 5', -5, 0",
    "'', 0, 0",
    "'none', 0, 0",
    "'2 * 10^2 = 200', 200, 1",
  })
  void numbersInManyForms(String output, String target, double value) throws Exception {
    assertThat(Scoring.value("numeric", Map.of(), output, target)).isEqualTo(value);
  }

  @ParameterizedTest
  @CsvSource({
    "'The answer is **42**.', 42, 1",
    "'So x is `1/2`', 0.5, 1",
    "'Hence\n$$\nx = \\frac{3}{4}\n$$', 0.75, 1",
    "'Hence\n\\[ y = 12 \\]', 12, 1",
    "'It is \\(5\\).', 5, 1",
    "'First \\boxed{5}, then \\boxed{6', 5, 1",
    "'\\fbox{1} and \\boxed{2}', 2, 1",
    "'\\boxed{\\text{Evelyn}}', '\\text{Evelyn}', 1",
    "'\\boxed{\\text{Bob}}', '\\text{Evelyn}', 0",
    "'\\boxed{}', '\\text{Evelyn}', 0",
    "'', '\\text{Evelyn}', 0",
    "'', '0', 0",
    "'\\boxed{listen}', silent, 0",
    "'\\boxed{Silent}', silent, 1",
    "'\\boxed{\\text{(C)}}', C, 1",
    "'\\boxed{12 \\text{ cm}}', 12, 1",
    "'\\boxed{10,\\!000}', 10000, 1",
    "'\\boxed{1,-2}', '-2, 1', 1",
    "'\\boxed{x=1, x=-2}', '-2, 1', 1",
    "'\\boxed{1,2}', '(2,1)', 0",
    "'\\boxed{(1,2)}', '(2,1)', 0",
    "'\\boxed{(1,2),(3,4)}', '(3,4),(1,2)', 1",
    "'\\boxed{-\\dfrac12}', '-0.5', 1",
    "'\\boxed{50\\%}', '1/2', 1",
    "'\\boxed{0.333}', '1/3', 0",
  })
  void mathematicsInManyForms(String output, String target, double value) throws Exception {
    assertThat(Scoring.value("math", Map.of(), output, target)).isEqualTo(value);
  }

  @ParameterizedTest
  @CsvSource({
    "word, 'ANSWER: Zürich', Zürich, 1",
    "word, 'ANSWER: -5', -5, 1",
    "word, 'ANSWER: 1,000.5 metres', '1,000.5', 1",
    "word, 'ANSWER: Paris, France', Paris, 1",
    "word, 'ANSWER: don''t know', don't, 1",
    "line, 'ANSWER：東京', 東京, 1",
    "line, '**Answer:** Paris', Paris, 1",
    "line, '', Paris, 0",
    "line, 'ANSWER: Lyon\nNo. ANSWER: Paris\nDone', Paris, 1",
    "letter, 'ANSWER: (B) Paris', B, 1",
    "letter, 'ANSWER: A or B', A, 0",
    "letter, 'ANSWER: A, B', A, 0",
    "letter, 'ANSWER: A and then some', A, 1",
  })
  void answersInManyForms(String kind, String output, String target, double value)
      throws Exception {
    assertThat(Scoring.value("answer", Map.of("kind", kind), output, target)).isEqualTo(value);
  }

  @ParameterizedTest
  @CsvSource({
    "'ANSWER: (A) and (C)', 'A,C', 1",
    "'ANSWER: A AND C', 'A,C', 1",
    "'ANSWER: A & C', 'A,C', 1",
    "'ANSWER: C; A', 'A,C', 1",
    "'ANSWER: AC', 'A,C', 1",
    "'ANSWER: A, C', A, 0",
    "'ANSWER: A or B', A, 0",
    "'ANSWER: A or B, I am not sure', A, 0",
    "'ANSWER: B) two', B, 1",
    "'ANSWER: Z', A, 0",
    "'', A, 0",
  })
  void choicesInManyForms(String output, String target, double value) throws Exception {
    SampleState state =
        Scoring.state(output, List.of(target), List.of("one", "two", "three", "four"));
    assertThat(Scorers.choice().score(state, Scoring.NO_CONTEXT).value()).isEqualTo(value);
  }

  @ParameterizedTest
  @CsvSource({
    "'```json {\"a\": 1}```', 1",
    "'```json{\"a\": 1}```', 1",
    "'```\n{\"a\": 1}\n```', 1",
    "'Sure:\n```python\nprint(1)\n```\n```json\n{\"a\": 1}\n```', 1",
    "'```json\n{\"a\": 1', 0",
    "'', 0",
  })
  void jsonInFences(String output, double value) throws Exception {
    assertThat(Scoring.value("json", Map.of("path", "$.a"), output, "1")).isEqualTo(value);
  }

  /** A group that is repeated goes deeper with each character, until the stack ends. */
  @Test
  void aPatternThatGoesTooDeepIsAnErrorOfTheSample() {
    assertThatExceptionOfType(NoScoreException.class)
        .isThrownBy(
            () ->
                Scoring.value("pattern", Map.of("pattern", "(?:a|b)*c"), "ab".repeat(500_000), "x"))
        .withMessageContaining("make it simpler");
  }

  /**
   * What rouge_score 0.1.2 and sentence_bleu of NLTK 3.10.4 with SmoothingFunction.method2 give for
   * these texts. NLTK looks at case, so the one word that differs in it alone is another word here.
   */
  @Test
  void figuresOfReferenceImplementations() throws Exception {
    String target = "The quick brown fox jumps over the lazy dog";
    String output = "The quick brown dog jumps on the log.";
    assertThat(Scoring.value("rouge", Map.of("type", "rouge1"), output, target))
        .isCloseTo(0.705882, within(1e-6));
    assertThat(Scoring.value("rouge", Map.of("type", "rougel"), output, target))
        .isCloseTo(0.588235, within(1e-6));
    assertThat(
            Scoring.value(
                "bleu",
                Map.of(),
                "It is a guide to action which ensures that the military always obeys the commands"
                    + " of the party",
                "It is a guide to action that ensures that the military will forever heed Partys"
                    + " commands"))
        .isCloseTo(0.4452, within(1e-4));
  }
}
