package dev.weir.eval.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.dataset.NumberedSample;
import dev.weir.eval.dataset.Sample;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.RunOptions.SampleOptions;
import dev.weir.eval.option.Settings;
import dev.weir.eval.task.TaskDefinition.NamedScorer;
import dev.weir.model.ConfigurationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TaskFileTest {

  private static final String GOOD =
      """
      task: capitals
      dataset: capitals.csv
      solver: [generate]
      scorer: includes
      """;

  @TempDir Path directory;

  private TaskDefinition read(String yaml) throws IOException {
    Files.writeString(directory.resolve("capitals.csv"), "id,input,target\nfr,France?,Paris\n");
    return TaskFile.read(Files.writeString(directory.resolve("task.yaml"), yaml));
  }

  private void refuses(String yaml, String... explanation) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> read(yaml))
        .satisfies(thrown -> assertThat(thrown).hasMessageContainingAll(explanation))
        .withMessageContaining("task.yaml");
  }

  @Test
  void readsTheSmallestTask() throws IOException {
    TaskDefinition task = read(GOOD);
    assertThat(task.name()).isEqualTo("capitals");
    assertThat(task.dataset().samples()).containsExactly(new Sample("fr", "France?", "Paris"));
    assertThat(task.solvers()).hasSize(1);
    assertThat(task.scorers()).extracting(NamedScorer::name).containsExactly("includes");
    assertThat(task.settings()).isEqualTo(Settings.NONE);
  }

  @Test
  void readsOptionsAndASingleSolver() throws IOException {
    TaskDefinition task =
        read(
            GOOD.replace("[generate]", "generate")
                + """
                model: sim/demo
                model_args: {accuracy: 0.5, rpm: 60}
                limit: 5
                max_connections: 3
                seed: -9
                log_dir: out
                """);
    RunOptions options = RunOptions.parse(task.settings());
    assertThat(options.model()).containsExactly("sim/demo");
    assertThat(options.modelArguments()).isEqualTo(Map.of("accuracy", "0.5", "rpm", "60"));
    assertThat(options.samples().range()).contains(new SampleOptions.Range(1, 5));
    assertThat(options.limits().maxConnections()).contains(3);
    assertThat(options.seed()).contains(-9L);
    assertThat(options.logDir()).contains(directory.resolve("out"));
  }

  @Test
  void readsSamplesThatAreInTheFileItself() throws IOException {
    TaskDefinition task =
        read(
            GOOD.replace(
                "capitals.csv",
                """

                  - {input: "2+2?", target: 4}
                  - id: yes
                    input: Is no a word?
                    target: no
                """));
    assertThat(task.dataset().samples())
        .containsExactly(
            NumberedSample.of("1", "2+2?", "4"), new Sample("yes", "Is no a word?", "no"));
  }

  @Test
  void mappingsMayTakeOverTheEntriesOfOthers() throws IOException {
    TaskDefinition task =
        read(
            GOOD.replace(
                "capitals.csv",
                """

                  - &first {id: first, input: One?, target: x}
                  - &second {<<: *first, id: second, target: y}
                  - {input: Three?, <<: [*second, *first], id: third}
                """));
    assertThat(task.dataset().samples())
        .containsExactly(
            new Sample("first", "One?", "x"),
            new Sample("second", "One?", "y"),
            new Sample("third", "Three?", "y"));
    refuses(GOOD + "metadata: {<<: text}\n", "line 5, column 12", "`<<` must be an alias");
    refuses(GOOD + "metadata: &a {<<: *a}\n", "line 5, column 15", "`<<` must be an alias");
    refuses(GOOD + "metadata: {<<: {a: 1}, <<: {b: 1}}\n", "line 5", "twice");
  }

  @Test
  void givenOptionsWinOverTheFile() throws IOException {
    Settings file =
        read(GOOD + "model: sim/a\nmodel_args: {x: 1, y: 2}\nlimit: 1\nseed: 3\n").settings();
    Settings given =
        Settings.NONE.with("model", "sim/b").with("model_args", "y=3").with("max_connections", 4);
    RunOptions options = RunOptions.parse(given.orElse(file));
    assertThat(options.model()).containsExactly("sim/b");
    assertThat(options.modelArguments()).isEqualTo(Map.of("x", "1", "y", "3"));
    assertThat(options.samples().range()).contains(new SampleOptions.Range(1, 1));
    assertThat(options.limits().maxConnections()).contains(4);
    assertThat(options.seed()).contains(3L);
  }

  @Test
  void yamlThatDoesNotParseHasLineAndColumn() {
    refuses("task: capitals\n  solver: [generate\n", "line 2, column 9", "not YAML");
    refuses(GOOD + "model: 'sim/demo\n", "line 6, column 1", "not YAML");
    refuses("", "the file is empty");
    refuses("- task\n", "line 1, column 1", "must be a mapping");
  }

  @Test
  void unknownWordsHaveTheNearestKnownOne() {
    refuses(GOOD + "scorers: x\n", "line 5, column 1", "'scorers'", "did you mean 'scorer'?");
    refuses(GOOD + "colour: 1\n", "line 5, column 1", "known are: adaptive_connections,");
    refuses(
        GOOD.replace("generate", "generat"),
        "line 3, column 10",
        "no solver 'generat'",
        "'generate'");
    refuses(GOOD.replace("includes", "include"), "line 4, column 9", "no scorer", "'includes'");
  }

  @Test
  void missingAndDoubledKeysAreTold() {
    refuses("task: x\ndataset: capitals.csv\nsolver: generate\n", "the key `scorer` is missing");
    refuses(GOOD + "task: again\n", "line 5, column 1", "'task' is there twice");
  }

  @Test
  void namesOfTasksAreOneVisibleLine() {
    refuses(GOOD.replace("task: capitals", "task: ''"), "line 1, column 7", "must not be empty");
    refuses(GOOD.replace("task: capitals", "task: \"a\\nb\""), "line 1, column 7", "one line");
    refuses(GOOD.replace("task: capitals", "task: \"\\e[2Ja\""), "without control characters");
  }

  @Test
  void deepNestingIsToldWithItsPlace() throws IOException {
    refuses("task: " + "[".repeat(20_000), "line 1, column 106", "nested more than 100 levels");
    refuses("{a: ".repeat(20_000), "not YAML", "nested more than 100 levels");
    read(GOOD + "model_args: {a: b}\n");
  }

  @Test
  void aDirectoryIsNoFile() throws IOException {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> TaskFile.read(directory))
        .withMessage(directory + " is a directory; a task must be a file");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> TaskFile.read(Path.of("")))
        .withMessageContaining("the path of a task is empty");
    Files.createDirectory(directory.resolve("empty"));
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> read(GOOD.replace("capitals.csv", "empty")))
        .withMessageContaining("no file in the folder is a sample");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> read(GOOD.replace("capitals.csv", "{file: empty, format: csv}")))
        .withMessageContaining("is a directory; a dataset of this format must be a file");
    refuses(GOOD.replace("capitals.csv", "''"), "line 2, column 10", "`dataset` must not be empty");
    refuses(GOOD + "log_dir: ''\n", "line 5, column 10", "`log_dir` must not be empty");
  }

  @Test
  void placesHaveTheSameDigitsEverywhere() {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.of("ar", "EG"));
    try {
      refuses(GOOD + "limit: 0\n", "line 5, column 8", "at least 1");
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void valuesOfTheWrongKindAreTold() {
    refuses(GOOD.replace("task: capitals", "task: [a]"), "line 1, column 7", "must be text");
    refuses(GOOD.replace("task: capitals", "task:"), "line 1", "`task` must not be empty");
    refuses(GOOD + "limit: many\n", "line 5, column 8", "whole number", "'many'");
    refuses(GOOD + "limit: 0\n", "line 5, column 8", "at least 1", "was '0'");
    refuses(GOOD + "limit: 3000000000\n", "`limit` must be", "from 1 to 2147483647");
    refuses(GOOD + "max_connections: -4\n", "`max_connections` must be", "was '-4'");
    refuses(GOOD + "seed: 99999999999999999999\n", "at most 64 bits");
    refuses(GOOD + "model: demo\n", "line 5, column 8", "provider/model");
    refuses(GOOD + "model_args: fast\n", "line 5, column 13", "key=value");
    refuses(GOOD.replace("[generate]", "[]"), "line 3", "at least one solver");
    refuses(GOOD.replace("capitals.csv", "[{input: a}]"), "line 2, column 11", "has no `target`");
    refuses(GOOD.replace("capitals.csv", "[]"), "`dataset` is empty");
  }
}
