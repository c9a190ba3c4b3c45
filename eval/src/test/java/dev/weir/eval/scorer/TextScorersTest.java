package dev.weir.eval.scorer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.sample.SampleState;
import dev.weir.model.ConfigurationException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Scorers that compare text. */
class TextScorersTest {

  @ParameterizedTest
  @CsvSource({
    "exact,    true,  ' paris\n', Paris, 1",
    "exact,    false, ' paris\n', Paris, 0",
    "exact,    true,  Paris.,     Paris, 0",
    "exact,    true,  '',         '',    1",
    "includes, true,  'It is PARIS, of course.', Paris, 1",
    "includes, false, 'It is PARIS, of course.', Paris, 0",
    "includes, true,  'It is Lyon.', Paris, 0",
    "includes, true,  '', Paris, 0",
    "includes, true,  anything, '', 0",
    "includes, true,  ' ', '', 1",
  })
  void comparesText(String scorer, boolean ignoreCase, String output, String target, double value)
      throws Exception {
    assertThat(Scoring.value(scorer, Map.of("ignore_case", ignoreCase), output, target))
        .isEqualTo(value);
  }

  @ParameterizedTest
  @CsvSource({
    "end,   'The capital is Paris.',      Paris, 1",
    "end,   'Paris is the capital.',      Paris, 0",
    "end,   'It is **PARIS**!',           paris, 1",
    "begin, '\"Paris\" is the capital.',  Paris, 1",
    "begin, 'It is Paris',                Paris, 0",
    "any,   'It is Paris, I think',       Paris, 1",
    "any,   'It is Lyon, I think',        Paris, 0",
    "exact, '(Paris)',                    Paris, 1",
    "exact, 'Paris, France',              Paris, 0",
    "exact, '-5',                         5,     0",
    "exact, '$5.',                        5,     1",
    "end,   'anything',                   '',    0",
  })
  void matchLooksAtAPlace(String location, String output, String target, double value)
      throws Exception {
    assertThat(Scoring.value("match", Map.of("location", location), output, target))
        .isEqualTo(value);
  }

  @ParameterizedTest
  @CsvSource({
    "end,   'First 3, then 1,000.50 dollars', 1000.5, 1",
    "end,   'It is 15',                        5,      0",
    "end,   'It is $5.00.',                    5,      1",
    "end,   'It is -5',                        5,      0",
    "end,   'It is -5',                        -5,     1",
    "begin, '7 of 9',                          7,      1",
    "begin, '7 of 9',                          9,      0",
    "any,   '7 of 9',                          9,      1",
    "any,   'none',                            9,      0",
    "exact, ' 12 % ',                          12,     1",
    "exact, '12 or 13',                        12,     0",
    "end,   'It is Paris.',                    Paris,  1",
  })
  void matchComparesNumbersAsNumbers(String location, String output, String target, double value)
      throws Exception {
    assertThat(
            Scoring.value("match", Map.of("location", location, "numeric", true), output, target))
        .isEqualTo(value);
  }

  @Test
  void anyOfSeveralTargetsWillDo() throws Exception {
    for (String scorer : List.of("exact", "includes", "match", "f1", "rouge", "math")) {
      assertThat(Scoring.value(scorer, Map.of(), "Lyon", "Paris", "Lyon")).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"exact", "includes", "match", "answer", "f1", "numeric", "math", "bleu"})
  void withoutATargetThereIsNoScore(String scorer) {
    assertThatExceptionOfType(NoScoreException.class)
        .isThrownBy(() -> Scoring.value(scorer, Map.of(), "Paris"))
        .withMessageStartingWith("the sample has no target");
  }

  @ParameterizedTest
  @CsvSource({
    "'colour: (\\w+)',        'The COLOUR: red',        red,  1",
    "'colour: (\\w+)',        'The colour: blue',       red,  0",
    "'(\\w+) or (\\w+)',      'It is red or blue',      blue, 1",
    "'(?:red|green)',         'It is green',            green,1",
    "'colour: (\\w+)',        'nothing',                red,  0",
    "'(a)?(b)',               'b',                      b,    1",
  })
  void aPatternFindsTheAnswer(String pattern, String output, String target, double value)
      throws Exception {
    assertThat(Scoring.value("pattern", Map.of("pattern", pattern), output, target))
        .isEqualTo(value);
  }

  @Test
  void aPatternMayWantAllGroupsOrOne() throws Exception {
    Map<String, Object> all = Map.of("pattern", "(\\w+) and (\\w+)", "match_all", true);
    assertThat(Scoring.value("pattern", all, "red and blue", "blue", "red")).isEqualTo(1);
    assertThat(Scoring.value("pattern", all, "red and green", "blue", "red")).isZero();
    Map<String, Object> second = Map.of("pattern", "(\\w+) and (\\w+)", "group", 2);
    assertThat(Scoring.score(Scorers.of("pattern", second), "red and blue", "red").value())
        .isZero();
    assertThat(Scoring.score(Scorers.of("pattern", second), "red and blue", "blue").answer())
        .contains("blue");
    Map<String, Object> sensitive = Map.of("pattern", "RED", "ignore_case", false);
    assertThat(Scoring.value("pattern", sensitive, "red", "red")).isZero();
  }

  @Test
  void aPatternThatTriesTooManyWaysIsAnError() {
    assertThatExceptionOfType(NoScoreException.class)
        .isThrownBy(
            () -> Scoring.value("pattern", Map.of("pattern", "(x+x+)+y\\1"), "x".repeat(60), "y"))
        .withMessageContaining("tries too many ways");
  }

  @ParameterizedTest
  @CsvSource({
    "letter, 'ANSWER: B',                     B,     1",
    "letter, 'answer : (b) because',          B,     1",
    "letter, 'ANSWER: A\nNo.\nANSWER: B',     B,     1",
    "letter, 'ANSWER: Because',               B,     0",
    "letter, '**ANSWER:** B',                 B,     1",
    "letter, 'It is B',                       B,     0",
    "word,   'ANSWER: Paris, France',         Paris, 1",
    "word,   'ANSWER: Lyon',                  Paris, 0",
    "line,   'So\n**ANSWER: New York**\nYes', 'New York', 1",
    "line,   'ANSWER: -5.',                   -5,    1",
    "line,   'ANSWER: -5',                    5,     0",
    "line,   'ANSWER:',                       '',    0",
  })
  void readsWhatStandsBehindAnswer(String kind, String output, String target, double value)
      throws Exception {
    assertThat(Scoring.value("answer", Map.of("kind", kind), output, target)).isEqualTo(value);
  }

  private static double choice(@Nullable Object stored, String output, String... targets)
      throws Exception {
    SampleState state =
        Scoring.state(output, List.of(targets), List.of("London", "Paris", "Rome", "Bern"));
    if (stored != null) {
      state.store().put("choices", stored);
    }
    return Scorers.choice().score(state, Scoring.NO_CONTEXT).value();
  }

  @Test
  void aChoiceIsRightIfAllRightAnswersAreChosenAndNoOther() throws Exception {
    assertThat(choice("B", "ANSWER: A", "B")).isEqualTo(1);
    assertThat(choice("A", "ANSWER: B", "B")).isZero();
    assertThat(choice("B", "", "paris")).isEqualTo(1);
    assertThat(choice("A,C", "", "A,C")).isEqualTo(1);
    assertThat(choice("C,A", "", "A", "Rome")).isEqualTo(1);
    assertThat(choice("A", "", "A", "C")).isZero();
    assertThat(choice("A,B,C", "", "A", "C")).isZero();
    assertThat(choice("", "", "A")).isZero();
    assertThat(choice("Z", "", "A")).isZero();
  }

  @Test
  void withoutTheSolverTheAnswerLineTellsTheChoice() throws Exception {
    assertThat(choice(null, "ANSWER: B) Paris", "B")).isEqualTo(1);
    assertThat(choice(null, "ANSWER: A and C", "A,C")).isEqualTo(1);
    assertThat(choice(null, "ANSWER: AC", "A,C")).isEqualTo(1);
    assertThat(choice(null, "I like them all.", "A")).isZero();
  }

  @Test
  void aTargetThatNamesNoChoiceIsAnError() {
    assertThatExceptionOfType(NoScoreException.class)
        .isThrownBy(() -> choice("A", "", "Madrid"))
        .withMessage("the target 'Madrid' is neither a letter of the 4 choices nor one of them");
    assertThatExceptionOfType(NoScoreException.class)
        .isThrownBy(
            () ->
                Scorers.choice()
                    .score(Scoring.state("A", List.of("A"), List.of()), Scoring.NO_CONTEXT))
        .withMessageContaining("has no choices");
  }

  @Test
  void badArgumentsAreToldWhenTheTaskIsRead() {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Scorers.of("match", Map.of("location", "ende")))
        .withMessage(
            "`location` must be one of begin, end, any, exact, was 'ende'; did you mean 'end'?");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Scorers.pattern("(a"))
        .withMessageContaining("is no regular expression: Unclosed group");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Scorers.of("pattern", Map.of("pattern", "(a)", "group", 2)))
        .withMessage("`group` must be at most 1, the groups of the pattern, was 2");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Scorers.of("patern", Map.of()))
        .withMessage("there is no scorer 'patern'; did you mean 'pattern'?");
  }
}
