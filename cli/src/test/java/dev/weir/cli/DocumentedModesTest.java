package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.simulator.server.Given;
import dev.weir.simulator.server.Setting;
import dev.weir.simulator.server.Simulation;
import dev.weir.simulator.server.SimulatorServer;
import dev.weir.time.Time;
import dev.weir.web.WebSettings;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What docs/modes.md says of static, aimd and halving, in whole runs over HTTP. */
@Timeout(120)
class DocumentedModesTest {

  private static final String KEY = "sk-weir-test-0123456789abcdef";

  @TempDir Path directory;

  private final Map<String, String> environment = new HashMap<>();
  private @Nullable SimulatorServer server;

  private record Said(int code, String out, String err) {}

  private void serve(Map<Setting, String> settings) throws Exception {
    Map<Setting, List<Given>> given = new EnumMap<>(Setting.class);
    given.put(Setting.LATENCY, List.of(new Given("test", "5ms")));
    given.put(Setting.API_KEY, List.of(new Given("test", KEY)));
    settings.forEach((setting, value) -> given.put(setting, List.of(new Given("test", value))));
    SimulatorServer started =
        SimulatorServer.start(
            Time.system(), WebSettings.loopback(0), Simulation.of(Optional.empty(), given, 1));
    server = started;
    String url = started.address().resolve("/v1").toString();
    environment.put("OPENAI_API_KEY", KEY);
    environment.put("OPENAI_BASE_URL", url);
    environment.put("LOCAL_API_KEY", KEY);
    environment.put("LOCAL_BASE_URL", url);
    environment.put("ANTHROPIC_API_KEY", KEY);
    environment.put("ANTHROPIC_BASE_URL", started.address().toString());
    environment.put("WEIR_TRACE_DIR", directory.resolve("traces").toString());
    environment.put("WEIR_LOG_DIR", directory.resolve("logs").toString());
    environment.put("WEIR_MEMORY", "false");
  }

  @AfterEach
  void stop() {
    if (server != null) {
      server.close();
    }
  }

  private String task(int samples) throws Exception {
    Files.writeString(
        directory.resolve("many.csv"),
        IntStream.range(0, samples)
            .mapToObj("s%1$d,[[echo: %1$d]],%1$d\n"::formatted)
            .collect(Collectors.joining("", "id,input,target\n", "")));
    return Files.writeString(
            directory.resolve("task.yaml"),
            "task: many\ndataset: many.csv\nsolver: generate\nscorer: includes\n")
        .toString();
  }

  private Said weir(String... words) {
    var out = new StringWriter();
    var err = new StringWriter();
    int code =
        Weir.run(
            new Surroundings(
                Time.system(), new PrintWriter(out), new PrintWriter(err), environment, false),
            words);
    return new Said(code, out.toString(), err.toString());
  }

  private JsonNode eval(String task, String... more) {
    Said said =
        weir(
            Stream.concat(Stream.of("eval", task, "--json"), Stream.of(more))
                .toArray(String[]::new));
    assertThat(said.code()).as(said.toString()).isZero();
    return new JsonMapper().readTree(said.out());
  }

  private List<JsonNode> history(JsonNode result) {
    Said said = weir("log", "dump", "--header-only", result.get("log").asString());
    assertThat(said.code()).as(said.toString()).isZero();
    JsonNode header = new JsonMapper().readTree(said.out());
    return header.get("stats").get("connection_limit_history").valueStream().toList();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"openai/gpt-4o-mini", "openai-api/local/some", "anthropic/claude-sonnet-4-5"})
  void theLimitHistoryNamesTheModelAsItWasAskedFor(String model) throws Exception {
    serve(Map.of());
    JsonNode result = eval(task(60), "--model", model, "--adaptive-connections", "2-4-16");
    assertThat(history(result))
        .isNotEmpty()
        .allSatisfy(change -> assertThat(change.get("model").asString()).isEqualTo(model))
        .first()
        .satisfies(
            change -> {
              assertThat(change.get("old_limit").asInt()).isEqualTo(4);
              assertThat(change.get("new_limit").asInt()).isEqualTo(8);
              assertThat(change.get("reason").asString()).isEqualTo("slow_start");
            });
  }

  @Test
  void theLimitHistoryHasModelsThatArePrograms() throws Exception {
    serve(Map.of());
    Path program =
        Files.writeString(
            directory.resolve("model.yaml"),
            "command: [sh, -c, 'cat > /dev/null; sleep 0.05; echo 1']\n");
    JsonNode result =
        eval(task(30), "--model", "exec:" + program, "--adaptive-connections", "2-2-8");
    assertThat(history(result))
        .isNotEmpty()
        .allSatisfy(change -> assertThat(change.get("model")).isEqualTo(result.get("model")));
  }

  /** A program that says once that it was asked too often. */
  @ParameterizedTest
  @ValueSource(
      strings = {"--adaptive-connections 1-4-16", "--concurrency-mode halving --max-concurrency 8"})
  void theLimitHistoryHasRefusalsOfModelsThatArePrograms(String options) throws Exception {
    serve(Map.of());
    Path once = directory.resolve("once");
    Path program =
        Files.writeString(
            directory.resolve("model.yaml"),
            ("command: [sh, -c, 'cat > /dev/null; if mkdir %s 2> /dev/null; then"
                    + " echo too many requests >&2; exit 1; fi; echo 1']\n")
                .formatted(once));
    List<String> words = new ArrayList<>(List.of("--model", "exec:" + program));
    words.addAll(List.of(options.split(" ", -1)));
    JsonNode result = eval(task(20), words.toArray(String[]::new));
    assertThat(history(result))
        .filteredOn(change -> change.get("reason").asString().equals("rate_limit"))
        .singleElement()
        .satisfies(
            change -> {
              assertThat(change.get("model")).isEqualTo(result.get("model"));
              assertThat(change.get("new_limit").asInt())
                  .isLessThan(change.get("old_limit").asInt());
            });
  }

  /** The evaluated model and its grader have one name, and limits of their own. */
  @Test
  void theLimitHistoryTellsTwoModelsOfOneNameApart() throws Exception {
    serve(Map.of());
    String here = String.valueOf(environment.get("OPENAI_BASE_URL"));
    try (SimulatorServer _ = server) {
      serve(Map.of());
      String task = task(40);
      Files.writeString(
          Path.of(task),
          "task: many\ndataset: many.csv\nsolver: generate\nscorer: model_graded_qa\n");
      Path samples = directory.resolve("many.csv");
      Files.writeString(
          samples, Files.readString(samples).replaceAll("echo: \\d+", "echo: GRADE: C"));
      JsonNode result =
          eval(
              task,
              "--model",
              "openai/gpt-4o-mini",
              "--model-base-url",
              here,
              "--model-role",
              "grader=openai/gpt-4o-mini",
              "--adaptive-connections",
              "1-2-8");
      assertThat(history(result))
          .extracting(change -> change.get("model").asString())
          .contains("openai/gpt-4o-mini", "openai/gpt-4o-mini (grader)");
    }
  }

  /** Each event of docs/models.md, in each mode that has it, as {@code trace dump} finds it. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --max-connections 16                                  | http ratelimit:hit ratelimit:learned ratelimit:warning request:retrying
          --adaptive-connections 1-4-32                         | http ratelimit:hit ratelimit:learned ratelimit:warning request:retrying concurrency:increased concurrency:decreased [connections]
          --concurrency-mode halving --max-concurrency 16       | http ratelimit:hit ratelimit:learned ratelimit:warning request:retrying concurrency:increased concurrency:decreased [connections]
          --concurrency-mode pace                               | http ratelimit:learned ratelimit:warning concurrency:increased [connections]
          """)
  void theTraceHasEachEventThatTheModeDocuments(String options, String events) throws Exception {
    serve(Map.of(Setting.RPM, "1200", Setting.BURST, "30"));
    List<String> words = new ArrayList<>(List.of("--model", "openai/gpt-4o-mini"));
    words.addAll(List.of("--max-retries", "50"));
    words.addAll(List.of(options.split(" ", -1)));
    eval(task(150), words.toArray(String[]::new));
    for (String event : events.split(" ", -1)) {
      Said said = weir("trace", "dump", "--filter", event);
      assertThat(said.out()).as(event).contains(event + " ");
      assertThat(said.out().lines()).allMatch(line -> line.contains(event));
    }
  }

  /** Only mode pace stops asking a provider whose calls fail one after the other. */
  @ParameterizedTest
  @CsvSource({
    "--concurrency-mode pace, true",
    "--concurrency-mode static, false",
    "--concurrency-mode halving, false"
  })
  void theTraceHasTheEventsOfAnOutageInModePace(String options, boolean hasCircuit)
      throws Exception {
    serve(Map.of());
    Path program =
        Files.writeString(
            directory.resolve("model.yaml"),
            ("command: [sh, -c, 'cat > /dev/null; for i in 1 2 3 4; do"
                    + " if mkdir %s/failure$i 2> /dev/null; then exit 75; fi; done; echo 1']\n")
                .formatted(directory));
    List<String> words = new ArrayList<>(List.of("--model", "exec:" + program));
    words.addAll(List.of(options.split(" ", -1)));
    eval(task(20), words.toArray(String[]::new));
    assertThat(weir("trace", "dump", "--filter", "request:retrying").out())
        .contains("request:retrying ");
    for (String event : List.of("circuit:opened", "circuit:closed")) {
      assertThat(weir("trace", "dump", "--filter", event).out().contains(event + " "))
          .as(event)
          .isEqualTo(hasCircuit);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--max-connections 4",
        "--adaptive-connections 1-4-8",
        "--concurrency-mode halving",
        "--concurrency-mode pace"
      })
  void aWrongKeyStopsTheScopeInEveryMode(String options) throws Exception {
    serve(Map.of());
    environment.put("OPENAI_API_KEY", "sk-wrong");
    List<String> words = new ArrayList<>(List.of("eval", task(3), "--model", "openai/gpt-4o-mini"));
    words.addAll(List.of(options.split(" ", -1)));
    assertThat(weir(words.toArray(String[]::new)).code()).isEqualTo(ExitCode.REFUSED);
    assertThat(weir("trace", "dump", "--filter", "scope:stopped").out()).contains("scope:stopped ");
  }
}
