package dev.weir.eval.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.dataset.NumberedSample;
import dev.weir.eval.option.RunOptions;
import dev.weir.model.ConfigurationException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Variables, the environment and included files. */
class TaskFileVariablesTest {

  private static final String GOOD =
      """
      task: "quiz-{{ topic }}"
      vars: {topic: rivers, times: 3}
      dataset:
        - {input: "Say {{ topic }} {{ other }}", target: x}
      solver: generate
      scorer: includes
      epochs: "{{ times }}"
      """;

  @TempDir Path directory;

  private Path write(String name, String yaml) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, yaml);
  }

  private TaskDefinition read(String yaml, Map<String, String> arguments, String... variables)
      throws IOException {
    Map<String, String> environment = new HashMap<>();
    for (int i = 0; i < variables.length; i += 2) {
      environment.put(variables[i], variables[i + 1]);
    }
    return TaskFile.read(
        write("task.yaml", yaml),
        new TaskInput(
            arguments,
            environment,
            () ->
                new ByteArrayInputStream(
                    "input,target\nfrom outside,x\n".getBytes(StandardCharsets.UTF_8))));
  }

  private void refuses(
      String yaml, Map<String, String> arguments, String[] variables, String... explanation) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> read(yaml, arguments, variables))
        .satisfies(thrown -> assertThat(thrown).hasMessageContainingAll(explanation));
  }

  private void refuses(String yaml, String... explanation) {
    refuses(yaml, Map.of(), new String[0], explanation);
  }

  @Test
  void anOptionMayBeAVariableThatIsAListOrMapping() throws IOException {
    String yaml =
        GOOD.replace("times: 3", "times: 3, words: [a, b], deep: [{k: v}], pairs: {k: v}");
    RunOptions options =
        RunOptions.parse(
            read(yaml + "tags: '{{ words }}'\nmetadata: '{{ pairs }}'\n", Map.of()).settings());
    assertThat(options.log().tags()).containsExactly("a", "b");
    assertThat(options.log().metadata().toString()).contains("k", "v");
    refuses(yaml + "tags: '{{ deep }}'\n", "`tags` must be a text or a list of texts");
    refuses(yaml + "tags: '{{ pairs }}'\n", "`tags` must be a text or a list of texts");
  }

  @Test
  void variablesStandForTheirValues() throws IOException {
    TaskDefinition task = read(GOOD, Map.of());
    assertThat(task.name()).isEqualTo("quiz-rivers");
    assertThat(RunOptions.parse(task.settings()).samples().epochs()).contains(3);
    // What is no variable of the task may be one of a template.
    assertThat(task.dataset().samples().getFirst().input()).isEqualTo("Say rivers {{ other }}");
  }

  @Test
  void argumentsWinOverVariables() throws IOException {
    TaskDefinition task = read(GOOD, Map.of("topic", "lakes"));
    assertThat(task.name()).isEqualTo("quiz-lakes");
    assertThat(read(GOOD + "task_args: {topic: seas}\n", Map.of()).name()).isEqualTo("quiz-seas");
    assertThat(read(GOOD + "task_args: {topic: seas}\n", Map.of("topic", "lakes")).name())
        .isEqualTo("quiz-lakes");
    refuses(
        GOOD,
        Map.of("topik", "x"),
        new String[0],
        "task.yaml: the task has no variable 'topik'; did you mean 'topic'?");
  }

  @Test
  void variablesNameVariablesInAnyOrder() throws IOException {
    String yaml =
        GOOD.replace(
            "{topic: rivers, times: 3}",
            "{topic: '{{ size }} {{ water }}', water: rivers, size: big, times: 3,"
                + " both: ['{{ topic }}', '{{ times }}'], all: '{{ both }}'}");
    assertThat(read(yaml, Map.of()).name()).isEqualTo("quiz-big rivers");
    assertThat(read(yaml, Map.of("water", "lakes")).name()).isEqualTo("quiz-big lakes");
    assertThat(read(yaml, Map.of("topic", "only {{ water }}")).name())
        .isEqualTo("quiz-only rivers");
    assertThat(
            read(yaml.replace("target: x", "target: \"{{ all }}\""), Map.of())
                .dataset()
                .samples()
                .getFirst()
                .targets())
        .containsExactly("big rivers", "3");
  }

  @Test
  void variablesThatLeadNowhereAreTold() {
    refuses(
        GOOD.replace("topic: rivers", "topic: \"{{ tims }}\""),
        "task.yaml, line 2, column 15: `vars`: there is no variable 'tims'; did you mean 'times'?");
    refuses(
        GOOD.replace("topic: rivers", "topic: \"{{ topic }}\""),
        "line 2, column 15: `vars`: 'topic' stands for itself: topic → topic");
    refuses(
        GOOD.replace("topic: rivers", "topic: \"a {{ other }}\", other: \"{{ topic }}\""),
        "line 2, column 39: `vars`: 'topic' stands for itself: topic → other → topic");
    refuses(
        GOOD.replace("topic: rivers", "topic: \"{{ times | abs }}\""),
        "line 2, column 15: `vars`: '{{ times | abs }}' is no variable");
    refuses(
        GOOD,
        Map.of("topic", "{{ tims }}"),
        new String[0],
        "task.yaml: the argument 'topic': there is no variable 'tims'; did you mean 'times'?");
    StringBuilder doubled = new StringBuilder("x0: ha");
    for (int i = 1; i <= 60; i++) {
      doubled.append(", x%d: \"{{ x%d }}{{ x%d }}\"".formatted(i, i - 1, i - 1));
    }
    refuses(GOOD.replace("topic: rivers", "topic: r, " + doubled), "line 2", "more than 16777216");
  }

  @Test
  void unknownVariablesAreToldWhereNoTemplateCanBe() {
    refuses(
        GOOD.replace("quiz-{{ topic }}", "quiz-{{ topik }}"),
        "task.yaml, line 1, column 7",
        "there is no variable 'topik'; did you mean 'topic'?");
    refuses(GOOD.replace("\"quiz-{{ topic }}\"", "{{ topic }}"), "line 1", "in quotes");
    refuses(GOOD.replace("{topic: rivers,", "{a-b: rivers,"), "line 2", "'a-b' is no name");
    refuses(GOOD.replace("topic: rivers", "topic: [a]"), "line 1", "is a list or mapping");
  }

  @Test
  void listsAndNumbersStayWhatTheyAre() throws IOException {
    String yaml =
        GOOD.replace("topic: rivers", "topic: rivers, all: [a, b]")
            .replace("target: x", "target: \"{{ all }}\"");
    assertThat(read(yaml, Map.of()).dataset().samples().getFirst().targets())
        .containsExactly("a", "b");
    assertThat(read(yaml, Map.of("all", "[\"c\", 1]")).dataset().samples().getFirst().targets())
        .containsExactly("c", "1");
  }

  @Test
  void theEnvironmentStandsInAnyScalar() throws IOException {
    TaskDefinition task =
        read(
            GOOD.replace("rivers", "'${TOPIC}'")
                + "limit: ${LIMIT:-7}\nmodel: ${MODEL:-sim/demo}\nmetadata: {price: '$${NOT}'}\n",
            Map.of(),
            "TOPIC",
            "brooks",
            "MODEL",
            "sim/other");
    assertThat(task.name()).isEqualTo("quiz-brooks");
    RunOptions options = RunOptions.parse(task.settings());
    assertThat(options.samples().range().orElseThrow().last()).isEqualTo(7);
    assertThat(options.model()).containsExactly("sim/other");
    assertThat(options.log().metadata()).containsEntry("price", "${NOT}");
  }

  @Test
  void whatTheEnvironmentLacksIsTold() {
    refuses(
        GOOD + "model: ${NO_SUCH}\n",
        "task.yaml, line 8, column 8",
        "no variable NO_SUCH",
        "${NO_SUCH:-default}");
    refuses(GOOD + "metadata: {a: ${B}}\n", "line 8, column 16", "in quotes");
  }

  @Test
  void valuesOfTheEnvironmentAreInNoError() {
    String[] secret = {"KEY", "hunter2secret", "SHORT", "abc"};
    for (String line :
        new String[] {
          "limit: ${KEY}",
          "model: ${KEY}",
          "epochs_reducer: ${KEY}",
          "model_args: ${KEY}",
          "sandbox: ${KEY}",
          "sandbox: {type: docker, image: x, memory: \"${KEY}\"}",
          "metrics: [\"${KEY}\"]",
          "prices: ${KEY}/nowhere\nlimit: ${KEY}",
          "limit: a-${SHORT}\nmax_samples: ${SHORT}",
        }) {
      assertThatExceptionOfType(ConfigurationException.class)
          .as(line)
          .isThrownBy(() -> read(GOOD + line + "\n", Map.of(), secret))
          .satisfies(
              thrown -> {
                assertThat(thrown.getMessage()).contains("task.yaml, line ");
                assertThat(thrown.getMessage()).doesNotContain("hunter2secret");
                assertThat(thrown.getCause()).isNull();
              });
    }
    refuses(GOOD + "limit: ${SHORT}\n", Map.of(), secret, "was '${SHORT}'");
    refuses(
        "task: t\nsolver: generate\nscorer: exact\ndataset: ${KEY}.csv\n",
        Map.of(),
        secret,
        "${KEY}.csv: there is no such file");
  }

  @Test
  void ownEntriesWinOverIncludedOnes() throws IOException {
    write(
        "shared/base.yaml",
        """
        vars: {topic: base, deep: from base}
        dataset: base.csv
        solver: generate
        scorer: exact
        limit: 1
        """);
    write("shared/base.csv", "input,target\nquestion,answer\n");
    TaskDefinition task =
        read(
            """
            include: shared/base.yaml
            task: "{{ topic }}, {{ deep }}"
            vars: {topic: own}
            scorer: includes
            """,
            Map.of());
    assertThat(task.name()).isEqualTo("own, from base");
    // Paths are relative to the file that they stand in.
    assertThat(task.dataset().samples())
        .containsExactly(NumberedSample.of("1", "question", "answer"));
    assertThat(task.scorers().getFirst().name()).isEqualTo("includes");
    assertThat(RunOptions.parse(task.settings()).samples().range().orElseThrow().last())
        .isEqualTo(1);
  }

  @Test
  void errorsNameTheFileTheyAreIn() throws IOException {
    write("a.yaml", "solver: generate\nscorer: exat\n");
    write("b.yaml", "limit: 0\nmodle: x\n");
    refuses(
        "include: [a.yaml]\ntask: t\ndataset: [{input: a, target: b}]\n",
        "a.yaml, line 2, column 9",
        "'exact'");
    refuses("include: b.yaml\n", "b.yaml, line 2, column 1", "'modle'", "'model'");
    write("b.yaml", "limit: 0\n");
    refuses(GOOD + "include: b.yaml\n", "b.yaml, line 1, column 8: `limit` must be");
    write("rows.yaml", "dataset:\n  - {input: a}\n");
    refuses(
        "include: rows.yaml\ntask: t\nsolver: generate\nscorer: exact\n",
        "rows.yaml, line 2, column 5",
        "has no `target`");
    refuses(GOOD + "include: gone.yaml\n", "task.yaml, line 8, column 10", "gone.yaml");
    write("c.yaml", "include: d.yaml\n");
    write("d.yaml", "include: c.yaml\n");
    refuses(GOOD + "include: c.yaml\n", "d.yaml, line 1, column 10", "includes itself");
    refuses(GOOD + "include: task.yaml\n", "task.yaml, line 8", "includes itself");
  }

  @Test
  void datasetsComeFromStandardInput() throws IOException {
    String yaml =
        """
        task: t
        dataset: {file: "-", format: csv}
        solver: generate
        scorer: includes
        """;
    assertThat(read(yaml, Map.of()).dataset().samples())
        .containsExactly(NumberedSample.of("1", "from outside", "x"));
    refuses(yaml.replace(", format: csv", ""), "standard input", "`format`");
  }
}
