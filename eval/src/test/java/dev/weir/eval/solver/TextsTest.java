package dev.weir.eval.solver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.dataset.Sample;
import dev.weir.log.SampleResult;
import dev.weir.model.ConfigurationException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TextsTest {

  private static final Sample FRANCE =
      new Sample(
          "s",
          "What is the capital?",
          List.of(),
          List.of("Paris"),
          List.of(),
          Map.of("country", "France", "tags", Map.of("continent", "Europe"), "prompt", "taken"),
          Map.of(),
          Optional.empty());

  private final ScriptedRun run = new ScriptedRun().with(FRANCE);

  @Test
  void messagesAreAddedWhereTheyBelong() throws Exception {
    run.says("Paris")
        .run(
            Solvers.userMessage("Of {{ country }}, in {{ metadata.tags.continent }}."),
            Solvers.assistantMessage("Sample {{ id }}, again: {{ epoch }}."),
            Solvers.systemMessage("Be brief."),
            Solvers.systemMessage("Be polite."),
            Solvers.generate());
    assertThat(run.lastSeen())
        .containsExactly(
            "Instructions: Be brief.",
            "Instructions: Be polite.",
            "User: What is the capital?",
            "User: Of France, in Europe.",
            "Assistant: Sample s, again: 1.");
  }

  @Test
  void theQuestionIsRewritten() throws Exception {
    run.says("Paris")
        .run(
            Solvers.promptTemplate("{{ prompt }} ({{ country }}) {{ input }}"),
            Solvers.chainOfThought(),
            Solvers.generate());
    assertThat(run.lastSeen())
        .singleElement()
        .asString()
        .startsWith("User: What is the capital? (France) What is the capital?\n\n")
        .contains("step by step", "ANSWER:");
  }

  @Test
  void bracesInWhatIsFilledInStayAsTheyAre() throws Exception {
    Sample odd = new Sample("s", "What does {{ country }} mean in {prompt}?", "x");
    run.with(odd).says("x").run(Solvers.promptTemplate("Q: {{ prompt }}"), Solvers.generate());
    assertThat(run.lastSeen())
        .containsExactly("User: Q: What does {{ country }} mean in {prompt}?");
  }

  @Test
  void aNameThatIsNotThereIsAnError() throws Exception {
    SampleResult result = run.run(Solvers.promptTemplate("{{ contry }}"), Solvers.generate());
    assertThat(result.error().orElseThrow()).contains("contry");
  }

  @Test
  void singleBracesAreToldBeforeTheyAreSent() {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Solvers.promptTemplate("Q: {prompt}"))
        .withMessageContaining("must have {{ prompt }} instead of {prompt}");
    assertThat(Solvers.promptTemplate("{{prompt}} as {\"json\": {}} or {other}")).isNotNull();
  }

  @Test
  void aCriticHelpsTheModel() throws Exception {
    run.says("Lyon").role("critic", "It is not Lyon.").says("Paris");
    SampleResult result = run.run(Solvers.generate(), Solvers.selfCritique());
    assertThat(result.score()).contains(1.0);
    assertThat(run.asked("critic"))
        .singleElement()
        .satisfies(
            request ->
                assertThat(request.messages().getFirst().text())
                    .contains("What is the capital?", "Lyon"));
    assertThat(run.lastSeen()).hasSize(3);
    assertThat(run.lastSeen().getLast())
        .contains("What is the capital?", "Lyon", "It is not Lyon.");
  }

  @Test
  void theModelIsItsOwnCriticIfThereIsNoOther() throws Exception {
    run.says("Lyon").says("Think again.").says("Paris");
    SampleResult result =
        run.run(
            Solvers.generate(),
            Solvers.selfCritique("Judge {{ completion }}", "{{ question }} {{ critique }}"));
    assertThat(result.score()).contains(1.0);
    assertThat(run.asked().get(1).messages().getFirst().text()).isEqualTo("Judge Lyon");
    assertThat(run.lastSeen().getLast()).isEqualTo("User: What is the capital? Think again.");
  }

  @Test
  void thereMustBeSomethingToCriticise() throws Exception {
    SampleResult result = run.run(Solvers.selfCritique());
    assertThat(result.error().orElseThrow()).contains("put generate before it");
  }
}
