package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.log.RunLogReader;
import dev.weir.log.SampleResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** {@code weir eval} from the file to the log, for each kind of task; on virtual time. */
class EvalCommandTest {

  private static final Path EXAMPLES = Path.of(System.getProperty("weir.root"), "examples");
  private static final Path CAPITALS = EXAMPLES.resolve("capitals.yaml");

  @TempDir Path directory;

  private final Map<String, String> environment = new HashMap<>();

  private Spoken weir(Object... words) throws Exception {
    Object[] all =
        Stream.concat(Arrays.stream(words), Stream.of("--log-dir", directory.resolve("logs")))
            .toArray();
    return Spoken.onVirtualTime(environment, all);
  }

  private static Path log(JsonNode result) {
    return Path.of(result.get("log").asString());
  }

  private static List<String> ids(Path log) throws Exception {
    List<String> ids = new ArrayList<>();
    try (var reader = RunLogReader.open(log)) {
      for (Optional<SampleResult> sample = reader.sample();
          sample.isPresent();
          sample = reader.sample()) {
        ids.add(sample.get().id());
      }
    }
    return ids;
  }

  @Test
  void tasksInJavaRunFromTheirSource() throws Exception {
    Path java = EXAMPLES.resolve("java/tasks/Capitals.java");
    JsonNode both = weir("eval", java, "--json").json();
    assertThat(both.valueStream().map(run -> run.get("task").asString()))
        .containsExactlyInAnyOrder("capitals", "terse capitals");
    JsonNode terse = weir("eval", java + "@terse", "-T", "words=2", "--json").json();
    assertThat(terse.get("samples").get("total").asInt()).isEqualTo(100);
    assertThat(terse.get("metrics").get("accuracy").asDouble()).isBetween(0.5, 1.0);
  }

  @Test
  void aFileThatDoesNotCompileIsToldWithItsLine() throws Exception {
    Path java = directory.resolve("Broken.java");
    Files.writeString(java, "final class Broken {\n  int x = \"text\";\n}\n");
    Spoken said = weir("eval", java);
    assertThat(said.code()).isEqualTo(ExitCode.USAGE);
    assertThat(said.err()).contains("Broken.java", "line 2");
  }

  @Test
  void configurationsOfPromptfooRunWithModelsOfOurs() throws Exception {
    Path config = directory.resolve("promptfooconfig.yaml");
    Files.writeString(
        config,
        """
        prompts: ['What is the capital of {{country}}?']
        providers: ['weir:sim/demo', 'weir:sim/other']
        tests:
          - vars: {country: France}
            assert: [{type: not-equals, value: nothing of the kind}]
          - vars: {country: Peru}
            assert: [{type: not-equals, value: nothing of the kind}]
        """);
    Spoken said = weir("eval", config, "--json");
    assertThat(said.code()).as(said.err()).isZero();
    assertThat(said.json().valueStream().map(run -> run.get("model").asString()))
        .containsExactly("sim/demo", "sim/other");
    assertThat(said.json().valueStream().map(run -> run.get("samples").get("scored").asInt()))
        .containsExactly(2, 2);
  }

  @Test
  void aDirectoryIsAllTheTasksInIt() throws Exception {
    Path tasks = Files.createDirectory(directory.resolve("tasks"));
    for (String name : List.of("one", "two")) {
      Files.writeString(tasks.resolve(name + ".yaml"), small(name));
    }
    Spoken said = weir("eval", tasks, "--json");
    assertThat(said.code()).as(said.err()).isZero();
    assertThat(said.json().valueStream().map(run -> run.get("task").asString()))
        .containsExactlyInAnyOrder("one", "two");
  }

  private static String small(String name) {
    return """
    task: %s
    dataset: [{id: a, input: Hello, target: x}]
    solver: generate
    scorer: includes
    model: sim/demo:accuracy=1
    """
        .formatted(name);
  }

  @Test
  void tasksTimesModelsRunAsManyAtOnceAsAllowed() throws Exception {
    Path small = Files.writeString(directory.resolve("small.yaml"), small("small"));
    Object[] words = {
      "eval", CAPITALS, small, "--model", "sim/a,sim/b", "-M", "latency=2s,rpm=0", "--json"
    };
    List<Double> together = starts(weir(words));
    assertThat(together).hasSize(4).containsOnly(together.getFirst());
    List<Double> oneByOne =
        starts(weir(Stream.concat(Arrays.stream(words), Stream.of("--max-tasks=1")).toArray()));
    assertThat(oneByOne).hasSize(4).isSorted().doesNotHaveDuplicates();
  }

  /** When each run began, in tenths of a second. */
  private static List<Double> starts(Spoken said) {
    assertThat(said.code()).as(said.err()).isZero();
    return said.json()
        .valueStream()
        .map(
            run ->
                Instant.parse(run.get("ended").asString()).toEpochMilli() / 1e3
                    - run.get("seconds").asDouble())
        .map(start -> Math.rint(start * 10) / 10)
        .toList();
  }

  @Test
  void tagsAndMetadataAreInTheLog() throws Exception {
    JsonNode result =
        weir(
                "eval",
                CAPITALS,
                "--limit",
                2,
                "--tags",
                "nightly,small",
                "--metadata",
                "team=red",
                "--metadata",
                "ticket=7",
                "--json")
            .json();
    try (var reader = RunLogReader.open(log(result))) {
      assertThat(reader.start().tags()).containsExactly("nightly", "small");
      assertThat(reader.start().metadata().toString()).contains("team=red", "ticket=7");
    }
  }

  @Test
  void samplesAreChosenByIdAndByRange() throws Exception {
    JsonNode named = weir("eval", CAPITALS, "--sample-id", "france,jap*", "--json").json();
    assertThat(ids(log(named))).containsExactlyInAnyOrder("france", "japan");
    List<String> all = ids(log(weir("eval", CAPITALS, "--json", "--max-samples=1").json()));
    JsonNode range = weir("eval", CAPITALS, "--limit", "11-20", "--json").json();
    assertThat(ids(log(range))).containsExactlyInAnyOrderElementsOf(all.subList(10, 20));
    Spoken none = weir("eval", CAPITALS, "--sample-id", "atlantis");
    assertThat(none.code()).isEqualTo(ExitCode.USAGE);
    assertThat(none.err()).contains("atlantis");
  }

  @Test
  void aThresholdThatIsMissedEndsInOne() throws Exception {
    Spoken missed = weir("eval", CAPITALS, "-M", "accuracy=0", "--threshold", "accuracy=0.8");
    assertThat(missed.code()).isEqualTo(ExitCode.FAILED);
    assertThat(missed.err()).contains("threshold missed: ", "accuracy", "(capitals on sim/demo)");
    Spoken reached = weir("eval", CAPITALS, "-M", "accuracy=1", "--threshold", "accuracy=0.8");
    assertThat(reached.code()).isZero();
    assertThat(reached.err()).doesNotContain("threshold");
  }

  @Test
  void aBudgetStopsTheRunCleanly() throws Exception {
    Path prices =
        Files.writeString(
            directory.resolve("prices.json"),
            """
            {"prices": [{"models": ["sim/demo"], "input": 1000, "output": 1000,
              "as_of": "2026-11-15", "source": "made up"}]}
            """);
    for (String budget : List.of("--max-tokens-total=200", "--max-cost=0.20")) {
      Spoken said =
          weir("eval", CAPITALS, budget, "--prices", prices, "--max-samples", 2, "--json");
      assertThat(said.code()).as(said.err()).isEqualTo(ExitCode.FAILED);
      JsonNode result = said.json();
      assertThat(result.get("status").asString()).isEqualTo("cancelled");
      assertThat(result.get("stopped").asString()).contains("the budget of ", " is used up");
      assertThat(result.get("samples").get("scored").asInt()).isBetween(1, 49);
      try (var reader = RunLogReader.open(log(result))) {
        while (reader.sample().isPresent()) {
          // to the end
        }
        assertThat(reader.damage()).isEmpty();
        assertThat(reader.end().orElseThrow().stopped()).isPresent();
      }
    }
    Spoken told = weir("eval", CAPITALS, "--max-tokens-total=200", "--max-samples", 2);
    assertThat(told.out()).contains("the budget of 200 tokens is used up");
  }

  @Test
  void aValueThatIsNotAttachedIsToldAsSuch() throws Exception {
    Spoken said = weir("eval", CAPITALS, "--retry-on-error", "3");
    assertThat(said.code()).isEqualTo(ExitCode.USAGE);
    assertThat(said.err()).contains("3: there is no such file", "--retry-on-error=3");
    assertThat(weir("eval", CAPITALS, "--fail-on-error", "0.1").err())
        .contains("0.1: there is no such file", "as in --fail-on-error=0.1");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          gpt-4o                    | openai/gpt-4o
          claude-sonnet-4-5         | anthropic/claude-sonnet-4-5
          gemini-2.5-pro            | google/gemini-2.5-pro
          gpt-4o, claude-sonnet-4-5 | openai/gpt-4o,anthropic/claude-sonnet-4-5
          openai:gpt-4o             | openai/gpt-4o
          """)
  void aModelWithoutAProviderIsSuggestedWithIt(String given, String suggested) throws Exception {
    Spoken said = weir("eval", CAPITALS, "--model", given);
    assertThat(said.code()).isEqualTo(ExitCode.USAGE);
    assertThat(said.err())
        .contains("--model must be of the form provider/model", "was '%s'".formatted(given))
        .contains("did you mean '%s'?".formatted(suggested));
  }

  @Test
  void aModelOfARoleWithoutAProviderIsSuggestedWithIt() throws Exception {
    Spoken said = weir("eval", CAPITALS, "--model-role", "grader=gpt-4o");
    assertThat(said.code()).isEqualTo(ExitCode.USAGE);
    assertThat(said.err()).contains("did you mean 'openai/gpt-4o'?");
  }

  @Test
  void aMistypedPathIsSuggestedAsItShouldBe() throws Exception {
    assertThat(weir("eval", EXAMPLES.resolve("capitls.yaml")))
        .satisfies(said -> assertThat(said.code()).isEqualTo(ExitCode.USAGE))
        .satisfies(
            said -> assertThat(said.err()).contains("did you mean '%s'?".formatted(CAPITALS)));
    Path log = Files.createDirectories(directory.resolve("kept")).resolve("a-run.eval");
    Files.writeString(log, "");
    Path missing = log.resolveSibling("a-rnu.eval");
    String meant = "there is no log %s; did you mean '%s'?".formatted(missing, log);
    assertThat(weir("eval-retry", missing).err()).contains(meant);
    assertThat(weir("score", missing, "--scorer", "match").err()).contains(meant);
    Path task = directory.resolve("task.yaml");
    Files.writeString(task, "task: t\ndataset: dta.csv\nsolver: generate\nscorer: match\n");
    Files.writeString(directory.resolve("data.csv"), "question,answer\na,b\n");
    assertThat(weir("eval", task).err())
        .contains("did you mean '%s'?".formatted(directory.resolve("data.csv")));
    Files.writeString(task, "task: t\ndataset: data.csv\nsolver: generate\nscorer: match\n");
    assertThat(weir("eval", task).err()).contains("Its columns are: question, answer");
    Files.writeString(
        directory.resolve("data.jsonl"), "{\"question\": \"a\", \"answer\": \"b\"}\n");
    Files.writeString(task, "task: t\ndataset: data.jsonl\nsolver: generate\nscorer: match\n");
    assertThat(weir("eval", task).err()).contains("Its columns are: question, answer");
  }

  @Test
  void problemsThatAreToldTogetherStandOnLinesOfTheirOwn() throws Exception {
    Path file =
        Files.writeString(
            directory.resolve("promptfooconfig.yaml"),
            "prompts: [hi]\nproviders: [nobody:x, echo]\noutputPath: a\ntests: [{}]\n");
    Spoken said = weir("eval", file);
    assertThat(said.code()).isEqualTo(ExitCode.USAGE);
    assertThat(said.err().lines().filter(line -> line.contains("promptfooconfig.yaml, line")))
        .hasSize(2);
  }
}
