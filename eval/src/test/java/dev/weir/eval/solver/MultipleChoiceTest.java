package dev.weir.eval.solver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.component.Arguments;
import dev.weir.eval.dataset.Sample;
import dev.weir.eval.scorer.Score;
import dev.weir.eval.scorer.Scorer;
import dev.weir.eval.scorer.Scorers;
import dev.weir.log.SampleResult;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MultipleChoiceTest {

  private static final List<String> CITIES = List.of("Lyon", "Paris", "Nice", "Lille");

  /** Shows what the solver left for the scorer. */
  private static final Scorer CHOSEN =
      (state, _) ->
          Score.RIGHT.withAnswer(String.valueOf(state.store().get(MultipleChoice.CHOSEN)));

  private final ScriptedRun run = new ScriptedRun().with(sample("s", "B")).with(CHOSEN);

  private static Sample sample(String id, String... targets) {
    return new Sample(
        id,
        "Which is the capital?",
        List.of(),
        List.of(targets),
        CITIES,
        Map.of(),
        Map.of(),
        Optional.empty());
  }

  private static Optional<String> chosen(SampleResult result) {
    return Objects.requireNonNull(result.scores().get("test")).answer();
  }

  @Test
  void showsTheChoicesAndFindsTheLetter() throws Exception {
    SampleResult result = run.says("The river helps.\nANSWER: B").run(Solvers.multipleChoice());
    assertThat(run.lastSeen())
        .singleElement()
        .asString()
        .contains("Which is the capital?\n\nA) Lyon\nB) Paris\nC) Nice\nD) Lille\n\n")
        .contains("one of A,B,C,D")
        .doesNotContain("step by step");
    assertThat(chosen(result)).contains("B");
    assertThat(result.output()).contains("The river helps.\nANSWER: B");
  }

  @Test
  void severalLettersAreFoundOnlyWhereSeveralMayBeRight() throws Exception {
    run.says("ANSWER: C, A");
    assertThat(chosen(run.run(Solvers.multipleChoice().withMultipleCorrect()))).contains("A,C");
    assertThat(run.lastSeen().getFirst()).contains("More than one may be right");
    var single = new ScriptedRun().with(sample("s", "B")).with(CHOSEN).says("ANSWER: C, A");
    assertThat(chosen(single.run(Solvers.multipleChoice()))).contains("");
  }

  @Test
  void lettersMeanTheOrderOfTheSampleWhateverIsShown() throws Exception {
    // What a simulated model would say is what is right in the order that is shown.
    Set<String> shown = new HashSet<>();
    for (String id : List.of("s1", "s2", "s3", "s4", "s5", "s6")) {
      var asking = new ScriptedRun().with(sample(id, "B")).with(CHOSEN).says("?");
      asking.run(Solvers.multipleChoice().withShuffle());
      String right = asking.asked().getFirst().target().orElseThrow();
      String letter = right.substring("ANSWER: ".length());
      assertThat(asking.lastSeen().getFirst()).contains(letter + ") Paris");
      shown.add(letter);
      var answering = new ScriptedRun().with(sample(id, "B")).with(CHOSEN).says(right);
      assertThat(chosen(answering.run(Solvers.multipleChoice().withShuffle()))).contains("B");
    }
    assertThat(shown).hasSizeGreaterThan(1);
  }

  @Test
  void targetsMayBeTheChoicesThemselves() throws Exception {
    run.with(sample("s", "Nice", "A")).says("?").run(Solvers.multipleChoice());
    assertThat(run.asked().getFirst().target()).contains("ANSWER: A,C");
  }

  @Test
  void theScorerUnderstandsWhatWasChosen() throws Exception {
    Scorer choice = Scorers.find("choice").orElseThrow().make(Arguments.of(Map.of()));
    Solver shuffled = Solvers.multipleChoice().withMultipleCorrect().withShuffle();
    var asking = new ScriptedRun().with(sample("s3", "D,B")).with(choice).says("ANSWER: none");
    assertThat(asking.run(shuffled).score()).contains(0.0);
    String right = asking.asked().getFirst().target().orElseThrow();
    assertThat(right).isNotEqualTo("ANSWER: B,D");
    var answering = new ScriptedRun().with(sample("s3", "D,B")).with(choice).says(right);
    assertThat(answering.run(shuffled).score()).contains(1.0);
  }

  @Test
  void aTemplateAndStepsCanBeAskedFor() throws Exception {
    run.says("ANSWER: B");
    run.run(
        Solvers.multipleChoice().withTemplate("{{ choices }} of {{ letters }}: {{ question }}"));
    assertThat(run.lastSeen().getFirst()).endsWith("D) Lille of A,B,C,D: Which is the capital?");
    var steps = new ScriptedRun().with(sample("s", "B")).with(CHOSEN).says("ANSWER: B");
    steps.run(Solvers.multipleChoice().withCot());
    assertThat(steps.lastSeen().getFirst()).contains("step by step");
  }

  @Test
  void aSampleWithoutChoicesIsAnError() throws Exception {
    SampleResult result = new ScriptedRun().says("B").run(Solvers.multipleChoice());
    assertThat(result.error().orElseThrow()).contains("sample 's' has 0 choices", "`choices`");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ANSWER: B|B",
        "answer: b|B",
        "**Answer:** (B)|B",
        "**ANSWER**: B|B",
        "ANSWER: B) Paris|B",
        "ANSWER: B. Because A is wrong|B",
        "ANSWER: A no, ANSWER: C|C",
        "It is A. ANSWER: $D$|D",
        "B|B",
        "b.|B",
        "(C)|C",
        "ANSWER: \\boxed{B}|B",
        "ANSWER: $\\boxed{\\text{B}}$|B",
        "\\boxed{C}|C",
        "ANSWER: E|''",
        "ANSWER: A or B|''",
        "ANSWER: A, C|''",
        "ANSWER: none of them|''",
        "ANSWER: a good question|''",
        "ANSWER:|''",
        "A good question|''",
        "I think B|''",
        "BB|''",
        "''|''",
      })
  void findsOneLetter(String output, String expected) {
    assertThat(letters(output, false)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ANSWER: A, C|AC",
        "ANSWER: C and A|AC",
        "ANSWER: AC|AC",
        "ANSWER: A, B, and D|ABD",
        "ANSWER: B|B",
        "ANSWER: A, E|A",
        "ANSWER: none|''",
      })
  void findsSeveralLetters(String output, String expected) {
    assertThat(letters(output, true)).isEqualTo(expected);
  }

  @Test
  void theLetterMayStandInTheNextLine() {
    assertThat(letters("**ANSWER:**\n\n(B)\nA would be wrong.", false)).isEqualTo("B");
    assertThat(letters("ANSWER:\r\nB\r\n", false)).isEqualTo("B");
  }

  private static String letters(String output, boolean several) {
    StringBuilder letters = new StringBuilder();
    ChosenLetters.in(output, 4, several).forEach(place -> letters.append((char) ('A' + place)));
    return letters.toString();
  }
}
