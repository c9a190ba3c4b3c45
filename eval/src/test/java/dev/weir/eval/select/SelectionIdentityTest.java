package dev.weir.eval.select;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.option.Settings;
import dev.weir.selection.Standing;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What makes outcomes of one selection serve another, and what must not. */
class SelectionIdentityTest {

  private static final int ALL = 4;

  @TempDir private Path directory;

  @BeforeEach
  void forgetCalls() {
    CountedProvider.reset();
  }

  private static Path task(Path directory, String scorer) throws IOException {
    Files.createDirectories(directory);
    return Files.writeString(
        directory.resolve("task.yaml"),
        """
        task: sums
        vars: {hard: "no"}
        dataset:
          - {id: a, input: What is 1 + 1?, target: "2"}
          - {id: b, input: What is 2 + 2?, target: "4"}
        solver: generate
        scorer: %s
        """
            .formatted(scorer));
  }

  /** How many of the outcomes were known before. */
  private long kept(Path task, Settings given) throws Exception {
    Path file =
        Files.writeString(
            directory.resolve("select.yaml"),
            """
            task: %s
            nodes:
              model: ["counted/a:rpm=0", "counted/b:rpm=0"]
            selector: brute_force
            log_dir: %s
            """
                .formatted(task, directory.resolve("logs")));
    var time = VirtualTime.seeded(1);
    SelectionFindings found =
        time.run(() -> ModelSelection.prepare(time, file, given, Planted.host()).run(_ -> {}));
    assertThat(found.result().evaluations()).isEqualTo(ALL);
    return found.kept();
  }

  @Test
  void theSameIsNotPaidForAgain() throws Exception {
    Path task = task(directory, "{match: {location: begin}}");
    assertThat(kept(task, Settings.NONE)).isZero();
    assertThat(kept(task, Settings.NONE)).isEqualTo(ALL);
    assertThat(CountedProvider.calls()).isEqualTo(ALL);
  }

  @Test
  void outcomesOfAScorerThatWasGivenSomethingElseAreNotReused() throws Exception {
    assertThat(kept(task(directory, "{match: {location: begin}}"), Settings.NONE)).isZero();
    assertThat(kept(task(directory, "{match: {location: end}}"), Settings.NONE)).isZero();
    assertThat(kept(task(directory, "{match: {location: begin}}"), Settings.NONE)).isEqualTo(ALL);
  }

  @Test
  void norThoseOfATaskThatWasGivenSomethingElse() throws Exception {
    Path task = task(directory, "match");
    assertThat(kept(task, Settings.NONE.with("task_args", "hard=true"))).isZero();
    assertThat(kept(task, Settings.NONE.with("task_args", "hard=false"))).isZero();
    assertThat(kept(task, Settings.NONE.with("task_args", "hard=true"))).isEqualTo(ALL);
  }

  @Test
  void norThoseOfAnotherFile() throws Exception {
    assertThat(kept(task(directory, "match"), Settings.NONE)).isZero();
    assertThat(kept(task(directory.resolve("other"), "match"), Settings.NONE)).isZero();
  }

  @Test
  void norThoseOfAnotherServer() throws Exception {
    Path task = task(directory, "match");
    Settings one = Settings.NONE.with("model_base_url", "http://127.0.0.1:1");
    Settings another = Settings.NONE.with("model_base_url", "http://127.0.0.1:2");
    assertThat(kept(task, one)).isZero();
    assertThat(kept(task, another)).isZero();
    assertThat(kept(task, one)).isEqualTo(ALL);
  }

  /** Of a task with a critic, which is a node as well. */
  private SelectionFindings found(String nodes, Settings given) throws Exception {
    Path file =
        Files.writeString(
            directory.resolve("select.yaml"),
            """
            task:
              task: sums
              dataset:
                - {id: a, input: What is 1 + 1?, target: "2"}
                - {id: b, input: What is 2 + 2?, target: "4"}
                - {id: c, input: What is 3 + 3?, target: "6"}
              solver: [generate, self_critique]
              scorer: includes
            selector: brute_force
            log_dir: %s
            nodes:
            %s
            """
                .formatted(directory.resolve("logs"), nodes.indent(2)));
    var time = VirtualTime.seeded(1);
    return time.run(() -> ModelSelection.prepare(time, file, given, Planted.host()).run(_ -> {}));
  }

  private static final String CRITICS = "critic: [\"counted/c:rpm=0\", \"counted/d:rpm=0\"]\n";

  private static final String MODELS = "[\"counted/a:rpm=0\", \"counted/b:rpm=0\"]\n";

  @Test
  void theOrderOfNodesAndCandidatesSaysNothing() throws Exception {
    SelectionFindings first = found(CRITICS + "model: " + MODELS, Settings.NONE);
    SelectionFindings again = found("model: " + MODELS + CRITICS, Settings.NONE);
    assertThat(again.kept()).isEqualTo(12);
    assertThat(scores(again)).isEqualTo(scores(first));
    SelectionFindings reversed =
        found(
            "critic: [\"counted/d:rpm=0\", \"counted/c:rpm=0\"]\nevaluated: " + MODELS,
            Settings.NONE);
    assertThat(reversed.kept()).isEqualTo(12);
    assertThat(CountedProvider.calls()).isEqualTo(12 * 3);
  }

  private static Map<Map<String, String>, OptionalDouble> scores(SelectionFindings found) {
    return found.result().standings().stream()
        .collect(Collectors.toMap(arm -> found.models(arm.arm()), Standing::score));
  }

  @Test
  void moreSamplesAskOnlyForThemselves() throws Exception {
    String nodes = CRITICS + "model: " + MODELS;
    assertThat(found(nodes, Settings.NONE.with("limit", "2")).kept()).isZero();
    SelectionFindings more = found(nodes, Settings.NONE);
    assertThat(more.kept()).isEqualTo(4 * 2);
    assertThat(more.result().evaluations()).isEqualTo(4 * 3);
    SelectionFindings fewer = found(nodes, Settings.NONE.with("sample_id", "c"));
    assertThat(fewer.kept()).isEqualTo(4);
    assertThat(CountedProvider.calls()).isEqualTo(4 * 3 * 3);
  }

  /** A sample that asks something else is another one. */
  @Test
  void norThoseOfASampleThatWasChanged() throws Exception {
    Path task = task(directory, "match");
    assertThat(kept(task, Settings.NONE)).isZero();
    Files.writeString(task, Files.readString(task).replace("What is 1 + 1?", "What is 1 plus 1?"));
    assertThat(kept(task, Settings.NONE)).isEqualTo(ALL / 2);
  }

  private static final String ASSERTED =
      """
      prompts: ["What is {{n}} + {{n}}?"]
      providers: ["weir:counted/a"]
      tests:
        - {vars: {n: 1}, assert: [{type: contains, value: "2"}]}
        - {vars: {n: 2}, assert: [{type: word-count, value: {min: 1}}], threshold: 0.5}
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "type: contains,|type: equals,",
        "min: 1|min: 100",
        "threshold: 0.5|threshold: 0.6",
        "{type: word-count, value: {min: 1}}|{type: word-count, value: {min: 1}, weight: 2}",
      })
  void norThoseOfATestThatIsJudgedOtherwise(String before, String after) throws Exception {
    Path task = directory.resolve("promptfooconfig.yaml");
    Files.writeString(task, ASSERTED);
    assertThat(kept(task, Settings.NONE)).isZero();
    assertThat(kept(task, Settings.NONE)).isEqualTo(ALL);
    assertThat(ASSERTED).contains(before);
    Files.writeString(task, ASSERTED.replace(before, after));
    assertThat(kept(task, Settings.NONE)).isEqualTo(ALL / 2);
  }

  @Test
  void norThoseOfAFileThatJudgesOtherwise() throws Exception {
    Path file = Files.writeString(directory.resolve("words.yaml"), "{min: 1}");
    Path task = directory.resolve("promptfooconfig.yaml");
    Files.writeString(task, ASSERTED.replace("value: {min: 1}", "value: file://words.yaml"));
    assertThat(kept(task, Settings.NONE)).isZero();
    Files.writeString(file, "{min: 2}");
    assertThat(kept(task, Settings.NONE)).isEqualTo(ALL / 2);
  }
}
