package dev.weir.scripting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.Evaluation;
import dev.weir.eval.Host;
import dev.weir.eval.option.Settings;
import dev.weir.eval.promptfoo.PromptfooConfig;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.log.RunLogReader;
import dev.weir.log.RunResult;
import dev.weir.log.SampleResult;
import dev.weir.simulator.server.Given;
import dev.weir.simulator.server.Setting;
import dev.weir.simulator.server.Simulation;
import dev.weir.simulator.server.SimulatorServer;
import dev.weir.time.Time;
import dev.weir.web.WebSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** All configurations below examples/promptfoo, run against the simulator over HTTP. */
class PromptfooExamplesTest {

  private static final String FAILING = "failing";
  private static final String COMPARED = "eval-select-best";

  @TempDir static Path directory = Path.of("");
  private static SimulatorServer server;
  private static final Map<String, String> ENVIRONMENT = new HashMap<>();

  @BeforeAll
  static void start() throws Exception {
    Map<Setting, List<Given>> given = new EnumMap<>(Setting.class);
    given.put(Setting.LATENCY, List.of(new Given("test", "1ms")));
    server =
        SimulatorServer.start(
            Time.system(), WebSettings.loopback(0), Simulation.of(Optional.empty(), given, 1));
    String address = server.address().toString();
    ENVIRONMENT.put(
        "SIMULATOR", address.endsWith("/") ? address.substring(0, address.length() - 1) : address);
    ENVIRONMENT.put("PATH", System.getenv("PATH"));
    for (String provider : List.of("OPENAI", "ANTHROPIC", "AZURE_OPENAI", "GEMINI", "MISTRAL")) {
      ENVIRONMENT.put(provider + "_API_KEY", "key");
    }
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  static Stream<String> examples() throws IOException {
    List<String> names = new ArrayList<>();
    try (Stream<Path> folders = Files.list(root())) {
      folders
          .filter(Files::isDirectory)
          .map(folder -> folder.getFileName().toString())
          .sorted()
          .forEach(names::add);
    }
    return names.stream();
  }

  private static Path file(String example) {
    return root().resolve(example).resolve("promptfooconfig.yaml");
  }

  private static Path root() {
    return Path.of(System.getProperty("weir.root", "..")).resolve("examples/promptfoo");
  }

  private static Evaluation.Finished run(String example) {
    Path file = file(example);
    assertThat(PromptfooConfig.isPromptfoo(file)).isTrue();
    List<TaskDefinition> tasks = PromptfooConfig.read(file, ENVIRONMENT);
    Settings settings = Settings.NONE.with("log_dir", directory.resolve(example)).with("seed", 1);
    return Evaluation.prepare(
            Time.system(),
            tasks,
            settings,
            new Host(
                PromptfooConfig.environment(file, ENVIRONMENT), Optional.empty(), (_, _) -> {}))
        .run();
  }

  private static List<SampleResult> samples(Evaluation.FinishedRun run) throws IOException {
    List<SampleResult> samples = new ArrayList<>();
    try (var log = RunLogReader.open(run.file().orElseThrow())) {
      for (var sample = log.sample(); sample.isPresent(); sample = log.sample()) {
        samples.add(sample.get());
      }
    }
    return samples;
  }

  private static SampleResult.ScoreResult score(SampleResult sample, String scorer) {
    return Objects.requireNonNull(sample.scores().get(scorer));
  }

  private static Stream<String> outcomes() throws IOException {
    return Files.readAllLines(root().resolve("outcomes.txt")).stream()
        .filter(line -> !line.isBlank() && !line.startsWith("#"));
  }

  /** The first word of a line. */
  private static String name(String outcome) {
    int end = outcome.indexOf(' ');
    return end < 0 ? outcome : outcome.substring(0, end);
  }

  @Test
  void allExamplesHaveAnOutcome() throws IOException {
    assertThat(outcomes().map(PromptfooExamplesTest::name))
        .containsExactlyElementsOf(examples().toList());
  }

  /** At least twenty of promptfoo's own, with where they are from. */
  @Test
  void mostAreOfPromptfoo() throws IOException {
    List<String> theirs = new ArrayList<>();
    for (String example : examples().toList()) {
      String first = Files.readAllLines(file(example)).getFirst();
      assertThat(first).matches("# (From promptfoo, examples/\\S+ \\(MIT.*|Weir's own.*)");
      if (first.startsWith("# From promptfoo")) {
        theirs.add(example);
      }
    }
    assertThat(theirs).hasSizeGreaterThanOrEqualTo(24);
  }

  @ParameterizedTest
  @MethodSource("outcomes")
  void runsToItsOutcome(String expected) throws IOException {
    String example = name(expected);
    int tasks = 0;
    int passed = 0;
    int failed = 0;
    int errors = 0;
    for (Evaluation.FinishedRun run : run(example).runs()) {
      tasks++;
      assertThat(run.result().status()).isEqualTo(RunResult.Status.SUCCESS);
      for (SampleResult sample : samples(run)) {
        for (Map.Entry<String, SampleResult.ScoreResult> score : sample.scores().entrySet()) {
          if (!score.getKey().equals("score")) {
            passed += score.getValue().value() == 1 ? 1 : 0;
            failed += score.getValue().value() == 1 ? 0 : 1;
          }
        }
        errors += sample.error().isPresent() ? 1 : 0;
      }
    }
    assertThat(
            "%s  %d tasks  %d passed  %d failed  %d errors"
                .formatted(example, tasks, passed, failed, errors))
        .isEqualTo(expected);
  }

  @Test
  void whatFailsIsToldWithItsReason() throws IOException {
    List<SampleResult> samples = samples(run(FAILING).runs().getFirst());
    Map<String, Double> passed = new HashMap<>();
    Map<String, Double> scored = new HashMap<>();
    for (SampleResult sample : samples) {
      passed.put(sample.id(), score(sample, "pass").value());
      scored.put(sample.id(), score(sample, "score").value());
    }
    assertThat(passed).isEqualTo(Map.of("1", 1.0, "2", 0.0, "3", 1.0, "4", 1.0));
    assertThat(scored).isEqualTo(Map.of("1", 1.0, "2", 0.5, "3", 1.0, "4", 1.0));
    SampleResult failed =
        samples.stream().filter(s -> s.id().equals("2")).findFirst().orElseThrow();
    assertThat(score(failed, "pass").explanation().orElse("")).contains("equals", "'yes'");
    assertThat(score(failed, "pass").metadata().toString()).contains("contains", "equals");
  }

  @Test
  void theBestOfAllColumnsWins() throws IOException {
    for (SampleResult sample : samples(run(COMPARED).runs().getFirst())) {
      assertThat(sample.scores().values().stream().map(score -> score.value()))
          .containsExactlyInAnyOrder(1.0, 0.0);
    }
  }

  @Test
  void namedScoresAreKept() throws IOException {
    SampleResult only = samples(run("assert-sets").runs().getFirst()).getFirst();
    assertThat(String.valueOf(score(only, "pass").metadata().get("named_scores")))
        .contains("Tone=1", "Content=0.5");
  }
}
