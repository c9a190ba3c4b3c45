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
  private static final String COMPARED = "select-best";

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
    Path root = Path.of(System.getProperty("weir.root", "..")).resolve("examples/promptfoo");
    List<String> names = new ArrayList<>();
    try (Stream<Path> folders = Files.list(root)) {
      folders.map(folder -> folder.getFileName().toString()).sorted().forEach(names::add);
    }
    return names.stream();
  }

  private static Path file(String example) {
    return Path.of(System.getProperty("weir.root", ".."))
        .resolve("examples/promptfoo")
        .resolve(example)
        .resolve("promptfooconfig.yaml");
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

  @Test
  void thereAreMoreThanTwenty() throws IOException {
    assertThat(examples()).hasSizeGreaterThanOrEqualTo(20);
  }

  @ParameterizedTest
  @MethodSource("examples")
  void runsToTheEnd(String example) throws IOException {
    for (Evaluation.FinishedRun run : run(example).runs()) {
      List<SampleResult> samples = samples(run);
      assertThat(samples).allSatisfy(sample -> assertThat(sample.error()).isEmpty());
      assertThat(run.result().status()).isEqualTo(RunResult.Status.SUCCESS);
      assertThat(samples).isNotEmpty();
      if (!example.equals(FAILING) && !example.equals(COMPARED)) {
        assertThat(samples)
            .allSatisfy(
                sample ->
                    assertThat(sample.scores().get("pass"))
                        .satisfies(
                            score ->
                                assertThat(score.value())
                                    .describedAs(score.toString())
                                    .isEqualTo(1)));
      }
    }
  }

  @Test
  void eachProviderWithEachPromptHasARow() {
    assertThat(run("getting-started").runs()).hasSize(4);
    assertThat(run("prompts-per-model").runs()).hasSize(2);
    assertThat(run("compare-providers").runs()).hasSize(5);
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
    SampleResult only = samples(run(COMPARED).runs().getFirst()).getFirst();
    List<Double> values = only.scores().values().stream().map(score -> score.value()).toList();
    assertThat(only.scores()).hasSize(2);
    // Both reach the threshold; the second is the best, and so right in all.
    assertThat(values).containsExactly(1.0, 1.0);
    assertThat(only.scores().values().stream().map(s -> String.valueOf(s.metadata().get("score"))))
        .containsExactly("0.5", "1.0");
  }

  @Test
  void namedScoresAreKept() throws IOException {
    SampleResult only = samples(run("assert-sets").runs().getFirst()).getFirst();
    assertThat(String.valueOf(score(only, "pass").metadata().get("named_scores")))
        .contains("Tone=1", "Content=0.5");
  }
}
