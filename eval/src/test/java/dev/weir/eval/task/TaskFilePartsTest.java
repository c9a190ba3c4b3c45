package dev.weir.eval.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.dataset.Sample;
import dev.weir.eval.metric.Metric;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.sandbox.SandboxSpec;
import dev.weir.eval.sandbox.SandboxType;
import dev.weir.eval.task.TaskDefinition.NamedScorer;
import dev.weir.model.ConfigurationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Datasets with settings, several scorers, metrics, sandboxes. */
class TaskFilePartsTest {

  private static final String GOOD =
      """
      task: t
      dataset: data.csv
      solver: generate
      scorer: includes
      """;

  @TempDir Path directory;

  private TaskDefinition read(String yaml) throws IOException {
    Files.writeString(
        directory.resolve("data.csv"), "q,a,topic\none,1,x\ntwo,2,y\nthree,3,x\nfour,4,y\n");
    return TaskFile.read(Files.writeString(directory.resolve("task.yaml"), yaml));
  }

  private static String dataset(String settings) {
    return GOOD.replace(
        "dataset: data.csv",
        "dataset: {file: data.csv, fields: {input: q, target: a, metadata: [topic]}%s}"
            .formatted(settings));
  }

  private List<String> inputs(String settings) throws IOException {
    return read(dataset(settings)).dataset().samples().stream().map(Sample::input).toList();
  }

  private void refuses(String yaml, String... explanation) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> read(yaml))
        .satisfies(thrown -> assertThat(thrown).hasMessageContainingAll(explanation))
        .withMessageContaining("task.yaml");
  }

  @Test
  void datasetsHaveFieldsAndASelection() throws IOException {
    assertThat(inputs("")).containsExactly("one", "two", "three", "four");
    assertThat(read(dataset("")).dataset().samples().getFirst().metadata())
        .isEqualTo(Map.of("topic", "x"));
    assertThat(inputs(", limit: 2")).containsExactly("one", "two");
    assertThat(inputs(", limit: 2-3")).containsExactly("two", "three");
    assertThat(inputs(", sample_id: [2, 4]")).containsExactly("two", "four");
    assertThat(inputs(", sample_id: 3")).containsExactly("three");
    assertThat(inputs(", shuffle: true")).isEqualTo(inputs(", shuffle: 0")).hasSize(4);
    assertThat(inputs(", shuffle: 1")).isNotEqualTo(inputs(", shuffle: 2"));
    assertThat(inputs(", shuffle: false, auto_id: true")).hasSize(4);
  }

  @Test
  void samplesOfTheFileItselfHaveSettingsToo() throws IOException {
    TaskDefinition task =
        read(
            GOOD.replace(
                "data.csv",
                """

                  samples:
                    - {question: a, target: b}
                    - {question: [{role: user, content: hi}], target: [c, d]}
                  fields: {input: question}
                """));
    assertThat(task.dataset().samples()).extracting(Sample::input).containsExactly("a", "hi");
    assertThat(task.dataset().samples().get(1).targets()).containsExactly("c", "d");
  }

  @Test
  void unknownKeysOfASampleAreTold() throws IOException {
    String inline = GOOD.replace("data.csv", "[{input: a, target: b, choises: [a]}]");
    refuses(
        inline, "line 2, column 33", "unknown key 'choises' of a sample; did you mean 'choices'?");
    refuses(GOOD.replace("data.csv", "{samples: [{input: a, taget: b}]}"), "'taget'", "'target'");
    // Columns of data need not be of use.
    assertThat(read(GOOD.replace("data.csv", "{file: data.csv, fields: {input: q, target: a}}")))
        .isNotNull();
  }

  @Test
  void wrongSettingsOfADatasetAreTold() {
    refuses(dataset(", limt: 1"), "line 2, column 77", "unknown key 'limt'", "'limit'");
    refuses(dataset(", limit: 0"), "line 2, column 84", "`limit` must be", "was '0'");
    refuses(dataset(", limit: 3-2"), "`limit` must be");
    refuses(dataset(", shuffle: maybe"), "`shuffle` must be true, false or a seed");
    refuses(dataset(", auto_id: 1"), "`auto_id` must be true or false");
    refuses(dataset(", format: cvs"), "no format 'cvs'; did you mean 'csv'?");
    refuses(dataset(", samples: []"), "line 2, column 10", "either `file`");
    refuses(GOOD.replace("data.csv", "{limit: 1}"), "either `file`");
    refuses(
        GOOD.replace("data.csv", "{file: data.csv, fields: {inptu: q}}"),
        "unknown key 'inptu'",
        "'input'");
    refuses(
        GOOD.replace("data.csv", "{file: data.csv, fields: {input: [a, b]}}"),
        "`input` must be the name of a column");
  }

  @Test
  void scorersHaveNamesAndMetricsOfTheirOwn() throws IOException {
    TaskDefinition task =
        read(
            dataset("")
                    .replace(
                        "scorer: includes",
                        """
                        scorer:
                          - includes
                          - includes:
                            name: found
                            metrics: [mean, stderr: {cluster: topic}]
                          - exact: {}
                        """)
                + "metrics: [accuracy]\n");
    assertThat(task.scorers())
        .extracting(NamedScorer::name)
        .containsExactly("includes", "found", "exact");
    assertThat(task.scorers().getFirst().metrics())
        .extracting(Metric::name)
        .containsExactly("accuracy");
    assertThat(task.scorers().get(1).metrics())
        .extracting(Metric::name)
        .containsExactly("mean", "stderr");
    refuses(dataset("").replace("includes", "[exact, exact]"), "line 4, column 17", "`name`");
    refuses(dataset("").replace("includes", "[{exact: , includes: }]"), "line 4", "one name");
    refuses(dataset("").replace("includes", "{name: x}"), "line 4, column 9", "one name");
    refuses(dataset("").replace("includes", "{math: 5}"), "line 4", "takes no arguments");
  }

  @Test
  void wrongMetricsAndReducersAreToldWithTheirPlace() throws IOException {
    refuses(dataset("") + "metrics: [acuracy]\n", "line 5, column 11", "did you mean 'accuracy'?");
    refuses(dataset("") + "metrics: [stderr: {clustr: x}]\n", "line 5, column 11", "'cluster'");
    refuses(dataset("") + "metrics: [mean, mean]\n", "line 5, column 17", "there twice");
    refuses(dataset("") + "metrics: []\n", "line 5, column 10", "at least one metric");
    refuses(dataset("") + "epochs_reducer: pass_at\n", "line 5, column 17", "pass_at_3");
    refuses(dataset("") + "epochs_reducer: [mean, meddian]\n", "line 5, column 17", "'median'");
    RunOptions options =
        RunOptions.parse(
            read(dataset("") + "epochs: 4\nepochs_reducer: [mean, pass_at_2]\n").settings());
    assertThat(options.samples().reducers()).containsExactly("mean", "pass_at_2");
  }

  @Test
  void sandboxesAreNamedOrDescribed() throws IOException {
    assertThat(read(dataset("")).sandbox()).isEmpty();
    assertThat(read(dataset("") + "sandbox: local\n").sandbox()).contains(SandboxSpec.local());
    SandboxSpec docker =
        read(dataset("")
                + "sandbox: {type: docker, image: 'python:3.13', memory: 512MB, env: {A: b}}\n")
            .sandbox()
            .orElseThrow();
    assertThat(docker.type()).isEqualTo(SandboxType.DOCKER);
    assertThat(docker.image()).isEqualTo("python:3.13");
    assertThat(docker.environment()).isEqualTo(Map.of("A", "b"));
    assertThat(
            read(dataset("") + "sandbox: {type: bubblewrap, mounts: [data]}\n")
                .sandbox()
                .orElseThrow()
                .mounts())
        .containsExactly(directory.toAbsolutePath().resolve("data"));
    refuses(dataset("") + "sandbox: dcker:x\n", "line 5, column 10", "'docker'");
    refuses(dataset("") + "sandbox: {type: local, memroy: 1}\n", "line 5, column 24", "'memory'");
    refuses(dataset("") + "sandbox: {type: local, memory: x}\n", "line 5, column 32", "a size");
    refuses(dataset("") + "sandbox: {memory: 1MB}\n", "line 5, column 10", "no `type`");
  }

  @Test
  void everySettingOfASandboxIsKnownToIt() throws IOException {
    Map<String, String> values =
        Map.of(
            "image", "x",
            "network", "true",
            "processes", "9",
            "cpu_time", "9s",
            "memory", "1GB",
            "file_size", "1MB",
            "cpus", "2",
            "output_limit", "1MB",
            "file_limit", "1MB",
            "env", "{A: b}");
    for (String key : SandboxEntry.KEYS) {
      if (!key.equals("type")) {
        String sandbox =
            key.equals("mounts")
                ? "{type: bubblewrap, mounts: /usr}"
                : "{type: docker, %s%s: %s}"
                    .formatted(key.equals("image") ? "" : "image: y, ", key, values.get(key));
        assertThat(read(dataset("") + "sandbox: " + sandbox + "\n").sandbox()).isPresent();
      }
    }
  }

  @Test
  void severalModelsAreAList() throws IOException {
    RunOptions options =
        RunOptions.parse(
            read(dataset("") + "model: [sim/a, 'sim/b:latency=1s,rpm=60']\n").settings());
    assertThat(options.model()).containsExactly("sim/a", "sim/b:latency=1s,rpm=60");
  }
}
