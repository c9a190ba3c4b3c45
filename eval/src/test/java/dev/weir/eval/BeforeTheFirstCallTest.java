package dev.weir.eval;

import static dev.weir.eval.scorer.Scorers.choice;
import static dev.weir.eval.scorer.Scorers.includes;
import static dev.weir.eval.solver.Solvers.generate;
import static dev.weir.eval.solver.Solvers.multipleChoice;
import static dev.weir.eval.solver.Solvers.promptTemplate;
import static dev.weir.eval.solver.Solvers.react;
import static dev.weir.eval.solver.Solvers.selfCritique;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.dataset.Dataset;
import dev.weir.eval.dataset.Sample;
import dev.weir.eval.metric.Metrics;
import dev.weir.eval.option.Settings;
import dev.weir.eval.solver.Solver;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.eval.task.TaskFile;
import dev.weir.eval.tool.Tools;
import dev.weir.model.ConfigurationException;
import dev.weir.time.virtual.VirtualTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tasks that a program makes are looked at, too, before anything is asked. */
class BeforeTheFirstCallTest {

  @TempDir Path directory;

  private final VirtualTime time = VirtualTime.seeded(1);

  private static Sample sample(int number, Map<String, @Nullable Object> metadata) {
    return new Sample(
        String.valueOf(number),
        "q",
        List.of(),
        List.of("a"),
        List.of(),
        metadata,
        Map.of(),
        Optional.empty());
  }

  private static Dataset withoutHintAt(int last) {
    List<Sample> samples = new ArrayList<>();
    for (int i = 1; i < last; i++) {
      samples.add(sample(i, Map.of("hint", "x")));
    }
    samples.add(sample(last, Map.of()));
    return new Dataset(samples);
  }

  private Evaluation prepare(TaskDefinition.Builder task, Settings given) {
    return Evaluation.prepare(
        time,
        List.of(task.build()),
        given.with("model", "sim/x").with("log-dir", directory.resolve("logs")),
        Host.process());
  }

  private void refuses(TaskDefinition.Builder task, String message) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> prepare(task, Settings.NONE))
        .withMessageStartingWith(message);
  }

  private static TaskDefinition.Builder task(Solver... steps) {
    return TaskDefinition.named("t").dataset(new Sample("1", "q", "a")).solver(steps);
  }

  @Test
  void aSampleFarDownThatLacksAVariableIsFound() {
    for (String template : List.of("{{ prompt }} {{ hint }}", "{{ prompt }} {{ hint | upper }}")) {
      TaskDefinition.Builder task =
          task(promptTemplate(template), generate())
              .dataset(withoutHintAt(90_000))
              .scorer(includes());
      refuses(task, "task t: the template: there is no variable 'hint'");
      assertThatExceptionOfType(ConfigurationException.class)
          .isThrownBy(() -> prepare(task, Settings.NONE))
          .withMessageContaining("sample '90000' does not have it");
    }
  }

  @Test
  void thatCanBeSkippedAndThenFailsTheSample() throws Exception {
    TaskDefinition.Builder task =
        task(promptTemplate("{{ hint }}"), generate()).dataset(withoutHintAt(3)).scorer(includes());
    Evaluation.Finished finished =
        time.run(
            () ->
                prepare(task, Settings.NONE.with("no-validate", true).with("fail-on-error", false))
                    .run());
    assertThat(finished.result().samples().failed()).isEqualTo(1);
  }

  @Test
  void samplesThatAreNotRunAreNotLookedAt() {
    TaskDefinition.Builder task =
        task(promptTemplate("{{ hint }}"), generate()).dataset(withoutHintAt(3)).scorer(includes());
    assertThat(prepare(task, Settings.NONE.with("limit", 2))).isNotNull();
  }

  @Test
  void stepsThatLackSomethingAreTold() {
    refuses(
        task(react(Tools.bash())).scorer(includes()),
        "task t: the tool 'bash' runs in a sandbox, but the task has none");
    refuses(
        task(selfCritique(), generate()).scorer(includes()),
        "task t: self_critique has no answer to work on; put generate before it");
    refuses(
        task(generate()).scorer(choice()),
        "task t: the scorer 'choice' judges what was chosen, but no step shows the choices");
  }

  @Test
  void aStepOfWhichNothingIsKnownMayDoAnything() {
    Solver own = (state, context) -> state.generate(context.model());
    assertThat(prepare(task(own, selfCritique()).scorer(includes()), Settings.NONE)).isNotNull();
  }

  @Test
  void aTemplateMayUseWhatItSetsAndWhatMayBeAbsent() {
    String template =
        "{% set x = 3 %}{{ x }}{% for c in choices %}{{ loop.index }}{{ c }}{% endfor %}"
            + "{% if metadata.hint is defined %}{{ metadata.hint }}{% endif %}";
    assertThat(
            prepare(task(promptTemplate(template), generate()).scorer(includes()), Settings.NONE))
        .isNotNull();
  }

  private Evaluation prepare(String yaml) throws Exception {
    Path file = Files.writeString(directory.resolve("t.yaml"), yaml);
    return Evaluation.prepare(
        time,
        List.of(TaskFile.read(file)),
        Settings.NONE.with("model", "sim/x").with("log-dir", directory.resolve("logs")),
        Host.process());
  }

  @Test
  void aValueFarDownThatATemplateCannotUseIsFoundWithItsLine() throws Exception {
    Files.writeString(directory.resolve("n.csv"), "input,target,n\na,a,1.5\nb,b,2\nc,c,unknown\n");
    String task =
        """
        task: t
        dataset: {file: n.csv, fields: {metadata: [n]}}
        solver:
          - prompt_template: "{{ n | %s }} {{ prompt }}"
          - generate
        scorer: includes
        """;
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> prepare(task.formatted("round")))
        .withMessageContaining("t.yaml, line 4, column 30: `prompt_template`")
        .withMessageContaining("sample '3' (%s, line 4)".formatted(directory.resolve("n.csv")));
    assertThat(prepare(task.formatted("upper"))).isNotNull();
  }

  @Test
  void aTemplateThatCannotBeUsedAtAllIsFound() {
    refuses(task(promptTemplate("{{ 'x' | round }}"), generate()).scorer(includes()), "task t: ");
  }

  @Test
  void whatDependsOnEarlierStepsIsNotJudged() {
    Evaluation evaluation =
        prepare(
            task(promptTemplate("12"), promptTemplate("{{ prompt | round }}"), generate())
                .scorer(includes()),
            Settings.NONE);
    assertThat(evaluation).isNotNull();
  }

  private static final String CLUSTERED =
      """
      task: t
      dataset:
        - {input: a, target: a, metadata: {topic: x, level: 1}}
        - {input: b, target: b, metadata: {topic: x, level: 2}}
        - {input: c, target: c, metadata: {topic: null, %s: 3}}
      solver: [generate]
      scorer: [includes, exact: {}]
      metrics: [accuracy, %s]
      """;

  @Test
  void aMetricThatLooksAtAKeyOfNoSampleIsRefusedWithTheNearest() {
    for (String metric :
        List.of(
            "stderr: {cluster: topc}",
            "ci: {cluster: topc}",
            "grouped: {metric: mean, group_key: topc}",
            "grouped: {metric: {stderr: {cluster: topc}}, group_key: level}")) {
      assertThatExceptionOfType(ConfigurationException.class)
          .isThrownBy(() -> prepare(CLUSTERED.formatted("level", metric)))
          .withMessageContaining("t.yaml, line 8, column 21: `metrics`: the metric '")
          .withMessageEndingWith(
              "looks at `topc`, which no sample has in its metadata; did you mean 'topic'? There"
                  + " are: level, topic");
    }
    assertThat(directory.resolve("logs")).doesNotExist();
  }

  @Test
  void metricsOfOneScorerAreToldWhereTheyStand() {
    String task =
        """
        task: t
        dataset: [{input: a, target: a}]
        solver: [generate]
        scorer:
          - includes
          - exact:
            metrics: [accuracy, stderr: {cluster: topic}]
        """;
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> prepare(task))
        .withMessageContaining("t.yaml, line 7, column 25: `metrics`: the metric 'stderr' looks at")
        .withMessageContaining("as no other key; a column of the dataset is one if `fields`");
    refuses(
        task(generate()).scorer(includes(), Metrics.of("stderr", Map.of("cluster", "topic"))),
        "task t: the metric 'stderr' looks at `topic`");
    Settings unseen = Settings.NONE.with("no-validate", true);
    assertThat(
            prepare(
                task(generate())
                    .scorer(includes(), Metrics.of("stderr", Map.of("cluster", "topic"))),
                unseen))
        .isNotNull();
  }

  @Test
  void howManySamplesLackAKeyIsToldOnce() throws Exception {
    Path file =
        Files.writeString(
            directory.resolve("t.yaml"),
            CLUSTERED.formatted(
                "levl",
                "stderr: {cluster: topic}, ci: {cluster: topic}, grouped: {metric: mean,"
                    + " group_key: level}"));
    assertThat(warnings(file, Settings.NONE))
        .containsExactly(
            "warning: t: 1 of 3 samples have no `topic` in their metadata; to the metric 'stderr'"
                + " each is a cluster of its own",
            "warning: t: 1 of 3 samples have no `level` in their metadata; to the metric"
                + " 'mean[level]' they are a group of their own");
    assertThat(warnings(file, Settings.NONE.with("limit", 2))).isEmpty();
    assertThat(warnings(file, Settings.NONE.with("limit", "3-3")))
        .as("others have it")
        .hasSize(2)
        .allMatch(told -> told.startsWith("warning: t: 1 of 1 samples"));
  }

  private List<String> warnings(Path file, Settings given) {
    List<String> warnings = new ArrayList<>();
    Evaluation evaluation =
        Evaluation.prepare(
            time,
            List.of(TaskFile.read(file)),
            given.with("model", "sim/x").with("log-dir", directory.resolve("logs")),
            new Host(Map.of(), Optional.empty(), (_, told) -> warnings.add(told.line())));
    assertThat(evaluation).isNotNull();
    return warnings;
  }

  @Test
  void tooManyEpochsAreToldWhereTheyStand() {
    String task =
        """
        task: t
        dataset: [{input: a, target: a}]
        solver: [generate]
        scorer: includes
        epochs: 1000000000
        """;
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> prepare(task))
        .withMessageContaining("t.yaml, line 5, column 9: `epochs`: t: 1 samples × 1000000000");
  }

  @Test
  void aTargetFarDownThatItsScorerCannotUseIsFound() throws Exception {
    var rows = new StringBuilder("input,target\n");
    for (int i = 1; i <= 2_000; i++) {
      rows.append("q%d,%s\n".formatted(i, i == 1_901 ? "n/a" : "$" + i));
    }
    Path data = Files.writeString(directory.resolve("n.csv"), rows);
    for (String scorer : List.of("numeric", "{multi: [includes, numeric]}")) {
      String task = "task: t\ndataset: n.csv\nsolver: generate\nscorer: %s\n".formatted(scorer);
      assertThatExceptionOfType(ConfigurationException.class)
          .isThrownBy(() -> prepare(task))
          .withMessageContaining("t.yaml, line 4")
          .withMessageContaining("the target 'n/a' is no number, but the scorer 'numeric' needs")
          .withMessageContaining("sample '1901' (%s, line 1902)".formatted(data));
      assertThat(prepare(task + "no_validate: true\n")).isNotNull();
      assertThat(prepare(task + "limit: 1900\n")).isNotNull();
    }
  }

  @Test
  void aTargetThatIsNoneOfTheChoicesIsFound() {
    for (String target : List.of("Z", "C", "Lima")) {
      refuses(
          choosing("A", "b", "Paris", "rome", target),
          "task t: the target '%s' is neither a letter of the 2 choices nor one of them:"
                  .formatted(target)
              + " sample '5' would fail");
    }
    assertThat(prepare(choosing("A", "B", "a and b", "Rome"), Settings.NONE)).isNotNull();
  }

  private static TaskDefinition.Builder choosing(String... targets) {
    List<Sample> samples = new ArrayList<>();
    for (String target : targets) {
      samples.add(
          new Sample(
              String.valueOf(samples.size() + 1),
              "q",
              List.of(),
              List.of(target),
              List.of("Paris", "Rome"),
              Map.of(),
              Map.of(),
              Optional.empty()));
    }
    return task(multipleChoice()).dataset(new Dataset(samples)).scorer(choice());
  }
}
