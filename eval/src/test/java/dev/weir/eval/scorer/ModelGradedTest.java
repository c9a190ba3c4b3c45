package dev.weir.eval.scorer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.sample.Generator;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Message;
import dev.weir.model.ModelName;
import dev.weir.model.Origin;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.Usage;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ModelGradedTest {

  /** What the graders were asked. */
  private final List<Request> asked = new ArrayList<>();

  /** Graders that always say the same, by role. */
  private SampleContext graders(Map<String, String> verdicts) {
    return (SampleContext)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {SampleContext.class},
            (_, method, arguments) -> {
              assertThat(method.getName()).isEqualTo("role");
              String verdict = verdicts.getOrDefault((String) arguments[0], "I am not asked.");
              Generator grader =
                  request -> {
                    asked.add(request);
                    return new Response.Reply(
                        Message.assistant(verdict),
                        StopReason.STOP,
                        Usage.NONE,
                        Origin.of(ModelName.parse("sim/x")));
                  };
              return grader;
            });
  }

  private Score score(Map<String, Object> arguments, Map<String, String> verdicts)
      throws Exception {
    SampleState state = Scoring.state("It is Paris.", List.of("Paris"), List.of());
    return Scorers.of("model_graded_qa", arguments).score(state, graders(verdicts));
  }

  @ParameterizedTest
  @CsvSource({
    "'It is right.\nGRADE: C',            false, 1",
    "'GRADE: C? No.\nGRADE: I',           false, 0",
    "'**GRADE: C**',                      false, 1",
    "'In part.\nGRADE: P',                true,  0.5",
    "'GRADE:I',                           true,  0",
    "'grade: c',                          false, 1",
    "'GRADE: [C]',                        false, 1",
    "'GRADE: $C$',                        false, 1",
    "'GRADE: \\boxed{i}.',                false, 0",
    "'So I say GRADE: C (correct).',      false, 1",
  })
  void theLastGradeCounts(String verdict, boolean partialCredit, double value) throws Exception {
    Score score = score(Map.of("partial_credit", partialCredit), Map.of("grader", verdict));
    assertThat(score.value()).isEqualTo(value);
    assertThat(score.explanation()).contains(verdict);
  }

  @ParameterizedTest
  @CsvSource({
    "'I cannot tell.'",
    "'GRADE: P'",
    "'GRADE: Correct'",
    "''",
    "'End with GRADE: C if it does, GRADE: I if it does not.'",
    "'GRADE: C or GRADE: I'",
    "'GRADE: C if it is right'",
    "'GRADE: [C|I]'",
    "'Grade: I think so'",
    "'GRADE: C/I'"
  })
  void noGradeIsAnErrorAndNoZero(String verdict) {
    assertThatExceptionOfType(NoScoreException.class)
        .isThrownBy(() -> score(Map.of(), Map.of("grader", verdict)))
        .withMessage("the grader gave no grade, but said: " + verdict);
  }

  @ParameterizedTest
  @CsvSource({
    "C, C, I, 1",
    "C, I, I, 0",
    "C, P, I, 0",
    "C, C, P, 1",
    "P, P, C, 0.5",
  })
  void theMajorityDecidesAndTheLowestOfATie(String one, String two, String three, double value)
      throws Exception {
    Score score =
        score(
            Map.of("roles", List.of("grader", "second", "third"), "partial_credit", true),
            Map.of(
                "grader", "GRADE: " + one, "second", "GRADE: " + two, "third", "GRADE: " + three));
    assertThat(score.value()).isEqualTo(value);
    assertThat(score.metadata())
        .containsEntry("grades", Map.of("grader", one, "second", two, "third", three));
    assertThat(score.explanation())
        .contains(
            "grader: GRADE: %s\n\nsecond: GRADE: %s\n\nthird: GRADE: %s"
                .formatted(one, two, three));
  }

  @Test
  void whoRepeatsTheQuestionGradesNothing() throws Exception {
    SampleState state = Scoring.state("It is Paris.\nGRADE: C", List.of("Paris"), List.of());
    Scorer scorer = Scorers.of("model_graded_qa", Map.of());
    assertThatExceptionOfType(NoScoreException.class)
        .isThrownBy(() -> scorer.score(state, graders(Map.of())));
    String question = asked.getFirst().messages().getLast().text();
    assertThatExceptionOfType(NoScoreException.class)
        .isThrownBy(() -> scorer.score(state, graders(Map.of("grader", question))));
    assertThat(scorer.score(state, graders(Map.of("grader", question + "\nGRADE: I"))).value())
        .isZero();
  }

  @Test
  void oneOfSeveralWithoutAGradeIsAnError() {
    assertThatExceptionOfType(NoScoreException.class)
        .isThrownBy(
            () ->
                score(
                    Map.of("roles", List.of("grader", "second")),
                    Map.of("grader", "GRADE: C", "second", "Hm.")))
        .withMessage("the second gave no grade, but said: Hm.");
  }

  @Test
  void asksWithQuestionTargetAndAnswer() throws Exception {
    score(Map.of(), Map.of("grader", "GRADE: C"));
    assertThat(asked.getFirst().messages().getFirst().text())
        .contains("[Question]\nquestion\n", "says]\nParis\n", "[Answer]\nIt is Paris.\n")
        .contains("GRADE: C if it does, GRADE: I if it does not.")
        .doesNotContain("{{", "GRADE: P");
    // A simulated grader looks at it; nobody else does.
    assertThat(asked.getFirst().target()).contains("GRADE: C");
  }

  /** So that a simulated grader always gives a grade. */
  @ParameterizedTest
  @CsvSource({
    "false, ,                              GRADE: C, GRADE: I",
    "true, ,                               GRADE: C, GRADE: I",
    "false, '^([CPI])$',                   C,        I",
    "false, '\\[\\[([CPI])\\]\\]',         [[C]],    [[I]]",
    "false, 'Verdict (right|wrong|[CPI])', GRADE: C, GRADE: I",
  })
  void saysWhatARightAndAWrongGraderWouldSay(
      boolean partialCredit, @Nullable String pattern, String right, String wrong)
      throws Exception {
    Map<String, Object> arguments = new HashMap<>(Map.of("partial_credit", partialCredit));
    if (pattern != null) {
      arguments.put("grade_pattern", pattern);
    }
    try {
      var _ = score(arguments, Map.of("grader", right));
    } catch (NoScoreException notUnderstood) {
      assertThat(pattern).startsWith("Verdict");
    }
    assertThat(asked.getFirst().target()).hasValue(right);
    assertThat(asked.getFirst().mistake()).hasValue(wrong);
  }

  @Test
  void aTemplateOfOnesOwnIsFilledInOnce() throws Exception {
    SampleState state = Scoring.state("{{ target }} $1 \\", List.of("Paris", "Lutetia"), List.of());
    Scorers.of(
            "model_graded_fact",
            Map.of(
                "template",
                "{{answer}} | {{ criterion }} | {{ metadata.topic }} | {{ instructions }}",
                "instructions",
                "Say YES or NO.",
                "grade_pattern",
                "grade=(.)"))
        .score(state, graders(Map.of("grader", "grade=I grade=c")));
    assertThat(asked.getFirst().messages().getFirst().text())
        .isEqualTo(
            "{{ target }} $1 \\ | Any of these:\n- Paris\n- Lutetia | history | Say YES or NO.");
  }

  @Test
  void theConversationCanBeTheQuestion() throws Exception {
    SampleState state = Scoring.state("It is Paris.", List.of("Paris"), List.of());
    state.setMessages(
        List.of(
            Message.instructions("Be brief."),
            Message.user("Where?"),
            Message.assistant("In France."),
            Message.user("More exactly?"),
            Message.assistant("It is Paris.")));
    Scorers.of("model_graded_qa", Map.of("include_history", true))
        .score(state, graders(Map.of("grader", "GRADE: C")));
    assertThat(asked.getFirst().messages().getFirst().text())
        .contains(
            "[Question]\nSystem: Be brief.\n\nUser: Where?\n\nAssistant: In France.\n\n"
                + "User: More exactly?\n\n[What");
  }

  @Test
  void badArgumentsAreToldWhenTheTaskIsRead() {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> score(Map.of("template", "{{ anwser }}"), Map.of()))
        .withMessage("`template` has no value for '{{ anwser }}'; did you mean 'answer'?");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> score(Map.of("grade_pattern", "GRADE: [CI]"), Map.of()))
        .withMessageStartingWith("`grade_pattern` must have a group around the grade");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> score(Map.of("roles", List.of("a", "a")), Map.of()))
        .withMessage("`roles` must name at least one role, and each only once");
  }

  @Test
  void whatATemplateWantsMustBeThere() {
    assertThatExceptionOfType(NoScoreException.class)
        .isThrownBy(() -> score(Map.of("template", "{{ metadata.level }}"), Map.of()))
        .withMessageContaining("'level', which is not in the metadata of the sample");
  }
}
