package dev.weir.eval.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.harrel.jsonschema.Validator;
import dev.harrel.jsonschema.ValidatorFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/**
 * The published schema is the one that the tables give; {@code -Dweir.schema=write} writes it anew.
 */
class TaskSchemaTest {

  private static final Path ROOT = Path.of(System.getProperty("weir.root"));
  private static final Path PUBLISHED = ROOT.resolve("docs/task-schema.json");

  private static final String GOOD =
      """
      task: t
      dataset: data.csv
      solver: [generate]
      scorer: includes
      """;

  @TempDir Path directory;

  private static List<String> problems(Path file) {
    String instance = new JsonMapper().writeValueAsString(YamlTree.value(YamlTree.read(file)));
    Validator.Result result = new ValidatorFactory().validate(TaskSchema.json(), instance);
    return result.getErrors().stream()
        .map(error -> error.getInstanceLocation() + ": " + error.getError())
        .toList();
  }

  private List<String> problems(String yaml) throws IOException {
    return problems(Files.writeString(directory.resolve("task.yaml"), yaml));
  }

  @Test
  void thePublishedSchemaIsThatOfTheTables() throws IOException {
    if ("write".equals(System.getProperty("weir.schema"))) {
      Files.writeString(PUBLISHED, TaskSchema.json());
    }
    assertThat(Files.readString(PUBLISHED))
        .as("docs/task-schema.json; mvn test -pl eval -Dtest=TaskSchemaTest -Dweir.schema=write")
        .isEqualTo(TaskSchema.json());
  }

  static List<Path> examples() throws IOException {
    try (Stream<Path> files = Files.list(ROOT.resolve("examples"))) {
      return files
          .filter(file -> file.toString().endsWith(".yaml"))
          .filter(TaskSchemaTest::isTask)
          .sorted()
          .toList();
    }
  }

  private static boolean isTask(Path file) {
    return YamlTree.value(YamlTree.read(file)) instanceof Map<?, ?> map
        && map.containsKey("task")
        && !map.containsKey("nodes"); // that of a selection
  }

  @ParameterizedTest
  @MethodSource("examples")
  void examplesAreValid(Path file) {
    assertThat(problems(file)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "model: [sim/a, sim/b]\nmodel_args: {accuracy: 0.5}\nlimit: 11-20\nepochs: 3\n",
        "fail_on_error: 0.1\ncache: true\ntime_limit: 30\ntoken_limit: 500k\ntags: [a, b]\n",
        "limit: ${LIMIT:-3}\nno_validate: \"{{ fast }}\"\nvars: {fast: true, x: [1]}\n",
        "metrics: [accuracy, stderr: {cluster: topic}]\nepochs_reducer: [mean, pass_at_2]\n",
        "sandbox: docker:python:3.13\n",
        "concurrency_mode: aimd\nlog_level: http\nreasoning_effort: none\n",
        "log_level: ${LEVEL:-debug}\nreasoning_effort: \"{{ effort }}\"\nvars: {effort: low}\n",
        "sandbox: {type: bubblewrap, mounts: [/usr], network: false, env: {A: 1}}\n",
      })
  void whatCanBeReadIsValid(String more) throws IOException {
    assertThat(problems(GOOD + more)).isEmpty();
    Files.writeString(directory.resolve("data.csv"), "input,target\na,b\n");
    TaskFile.read(directory.resolve("task.yaml"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "scorers: exact",
        "limit: [1]",
        "no_validate: perhaps",
        "concurrency_mode: fast",
        "log_level: loud",
        "reasoning_effort: some",
        "metrics: [acuracy]",
        "metrics: []",
        "sandbox: dcker",
        "sandbox: {memory: 1}",
        "sandbox: {type: local, memroy: 1}",
        "vars: {a-b: 1}",
        "model: {a: b}",
        "include: 5",
      })
  void brokenEntriesAreNot(String line) throws IOException {
    assertThat(problems(GOOD + line + "\n")).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "task: t\ndataset: a.csv\nsolver: generate\n",
        "task: t\ndataset: a.csv\nsolver: generat\nscorer: exact\n",
        "task: t\ndataset: a.csv\nsolver: []\nscorer: exact\n",
        "task: t\ndataset: a.csv\nsolver: {generate: {a: 1}}\nscorer: exact\n",
        "task: t\ndataset: {limit: 1}\nsolver: generate\nscorer: exact\n",
        "task: t\ndataset: {file: a, samples: []}\nsolver: generate\nscorer: exact\n",
        "task: t\ndataset: {file: a, fields: {inptu: q}}\nsolver: generate\nscorer: exact\n",
        "task: t\ndataset: {file: a, format: cvs}\nsolver: generate\nscorer: exact\n",
        "task: t\ndataset: [{input: a, taget: b}]\nsolver: generate\nscorer: exact\n",
        "task: t\ndataset: {samples: [{input: a, taget: b}]}\nsolver: generate\nscorer: exact\n",
        "task: t\ndataset: a.csv\nsolver: generate\nscorer: {name: x}\n",
        "task: t\ndataset: a.csv\nsolver: generate\nscorer: {exact: , includes: }\n",
        "- task\n",
      })
  void brokenTasksAreNot(String yaml) throws IOException {
    assertThat(problems(yaml)).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[{id: 1, input: a, target: [b, c], choices: [b, c], metadata: {x: 1}, setup: ls}]",
        "[{input: [{role: user, content: a}], target: b, files: {a.txt: text}}]",
        "{samples: [{input: a, target: b}], limit: 1}",
        "{samples: [{question: a, target: b, extra: 1}], fields: {input: question}}",
      })
  void samplesAreValid(String dataset) throws IOException {
    String yaml = "task: t\ndataset: %s\nsolver: generate\nscorer: exact\n".formatted(dataset);
    assertThat(problems(yaml)).isEmpty();
    TaskFile.read(directory.resolve("task.yaml"));
  }

  @Test
  void whatIsIncludedMayHoldTheRest() throws IOException {
    assertThat(problems("include: other.yaml\nlimit: 3\n")).isEmpty();
  }
}
