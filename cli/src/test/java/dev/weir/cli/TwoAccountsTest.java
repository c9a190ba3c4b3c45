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
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Two accounts of one provider in one run: each server knows only the key of its own. */
@Timeout(120)
class TwoAccountsTest {

  private static final String USUAL_KEY = "sk-usual-0123456789abcdef";
  private static final String OTHER_KEY = "sk-other-fedcba9876543210";
  private static final String MODEL = "openai/gpt-4o-mini";
  private static final String OTHER = "openai@team-b/gpt-4o-mini";

  @TempDir Path directory;

  private final Map<String, String> environment = new HashMap<>();
  private @Nullable SimulatorServer usual;
  private @Nullable SimulatorServer other;

  private record Said(int code, String out, String err) {}

  private static SimulatorServer serve(String key) throws Exception {
    return serve(key, Map.of());
  }

  private static SimulatorServer serve(String key, Map<Setting, List<Given>> more)
      throws Exception {
    Map<Setting, List<Given>> settings = new EnumMap<>(Setting.class);
    settings.put(Setting.LATENCY, List.of(new Given("test", "5ms")));
    settings.put(Setting.API_KEY, List.of(new Given("test", key)));
    settings.putAll(more);
    return SimulatorServer.start(
        Time.system(), WebSettings.loopback(0), Simulation.of(Optional.empty(), settings, 1));
  }

  @BeforeEach
  void serveBoth() throws Exception {
    SimulatorServer first = serve(USUAL_KEY);
    usual = first;
    SimulatorServer second = serve(OTHER_KEY);
    other = second;
    environment.put("OPENAI_API_KEY", USUAL_KEY);
    environment.put("OPENAI_BASE_URL", first.address().resolve("/v1").toString());
    environment.put("OPENAI_API_KEY_TEAM_B", OTHER_KEY);
    environment.put("OPENAI_BASE_URL_TEAM_B", second.address().resolve("/v1").toString());
    environment.put("WEIR_STATE_DIR", directory.resolve("state").toString());
    environment.put("WEIR_LOG_DIR", directory.resolve("logs").toString());
    Files.writeString(
        directory.resolve("many.csv"),
        IntStream.range(0, 12)
            .mapToObj("s%1$d,[[echo: %1$d]],%1$d\n"::formatted)
            .collect(Collectors.joining("", "id,input,target\n", "")));
  }

  @AfterEach
  void stop() {
    Stream.of(Optional.ofNullable(usual), Optional.ofNullable(other))
        .flatMap(Optional::stream)
        .forEach(SimulatorServer::close);
  }

  private static long refusals(@Nullable SimulatorServer server) {
    return server == null
        ? -1
        : server.stats().refusals().values().stream().mapToLong(Long::longValue).sum();
  }

  private static long requests(@Nullable SimulatorServer server) {
    return server == null ? -1 : server.stats().requests();
  }

  private String task(String more) throws Exception {
    return Files.writeString(
            directory.resolve("task.yaml"),
            "task: many\ndataset: many.csv\nsolver: generate\nscorer: includes\n" + more)
        .toString();
  }

  private Said weir(String... words) throws Exception {
    var out = new StringWriter();
    var err = new StringWriter();
    int code =
        Weir.run(
            new Surroundings(
                Time.system(), new PrintWriter(out), new PrintWriter(err), environment, false),
            words);
    var said = new Said(code, out.toString(), err.toString());
    assertThat(said.toString()).doesNotContain(USUAL_KEY, OTHER_KEY);
    return said;
  }

  private JsonNode succeeding(String... words) throws Exception {
    Said said = weir(words);
    assertThat(said.code()).as(said.toString()).isZero();
    return new JsonMapper().readTree(said.out());
  }

  @Test
  void modelsOfTwoAccountsAreAskedWithTheirOwnKeys() throws Exception {
    succeeding("eval", task(""), "--json", "--model", MODEL + "," + OTHER);
    assertThat(requests(usual)).isEqualTo(12);
    assertThat(requests(other)).isEqualTo(12);
    assertThat(weir("log", "list").out()).contains(MODEL, OTHER);
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String bytes = Files.readString(file, StandardCharsets.ISO_8859_1);
        assertThat(bytes).as(file.toString()).doesNotContain(USUAL_KEY, OTHER_KEY);
      }
    }
  }

  /** One account is refused and its window halved; the other's stays as it is. */
  @Test
  void eachAccountHasLimitsOfItsOwn() throws Exception {
    if (usual != null) {
      usual.close();
    }
    SimulatorServer limited =
        serve(
            USUAL_KEY,
            Map.of(
                Setting.RPM, List.of(new Given("test", "1200")),
                Setting.BURST, List.of(new Given("test", "4")),
                // Only refusals are to cut.
                Setting.ADVERTISE, List.of(new Given("test", "none"))));
    usual = limited;
    environment.put("OPENAI_BASE_URL", limited.address().resolve("/v1").toString());
    JsonNode results =
        succeeding(
            "eval",
            task(""),
            "--json",
            "--model",
            MODEL + "," + OTHER,
            "--concurrency-mode",
            "halving",
            "--max-concurrency",
            "8",
            "--max-retries",
            "50");
    assertThat(refusals(limited)).isPositive();
    assertThat(refusals(other)).isZero();
    assertThat(results.size()).isEqualTo(2);
    for (JsonNode result : results) {
      boolean isRefused = result.get("model").asString().equals(MODEL);
      Said said = weir("log", "dump", "--header-only", result.get("log").asString());
      JsonNode history =
          new JsonMapper().readTree(said.out()).get("stats").path("connection_limit_history");
      assertThat(history.valueStream().map(change -> change.get("model").asString()))
          .allMatch(result.get("model").asString()::equals);
      assertThat(
              history
                  .valueStream()
                  .anyMatch(change -> change.get("reason").asString().equals("rate_limit")))
          .isEqualTo(isRefused);
    }
  }

  @Test
  void aRoleMayHaveAnotherAccount() throws Exception {
    String graded =
        "model: %s\nmodel_role: {grader: %s}\n".formatted(MODEL, OTHER) + "fail_on_error: false\n";
    String task =
        Files.writeString(
                directory.resolve("graded.yaml"),
                "task: graded\ndataset: many.csv\nsolver: generate\nscorer: model_graded_qa\n"
                    + graded)
            .toString();
    weir("eval", task, "--json", "--limit", "3");
    assertThat(requests(usual)).isEqualTo(3);
    assertThat(requests(other)).isGreaterThanOrEqualTo(3);
  }

  @Test
  void aRetryUsesTheSameAccount() throws Exception {
    String[] words = {
      "eval",
      task("model: " + OTHER + "\n"),
      "--json",
      "--max-samples",
      "1",
      "--max-tokens-total",
      "1"
    };
    Said stopped = weir(words);
    String log = new JsonMapper().readTree(stopped.out()).get("log").asString();
    long before = requests(other);
    assertThat(before).isBetween(1L, 11L);
    succeeding("eval-retry", log, "--json", "--max-tokens-total", "1000000");
    assertThat(requests(other)).isEqualTo(12);
    assertThat(requests(usual)).isZero();
  }

  @Test
  void anAccountThatSetsNothingIsAnError() throws Exception {
    Said same = weir("eval", task(""), "--model", "openai@team-c/gpt-4o-mini");
    assertThat(same.code()).isEqualTo(2);
    assertThat(same.err())
        .contains("the account 'team-c' is the same as that of openai/gpt-4o-mini", "_TEAM_C");
    environment.remove("OPENAI_API_KEY");
    Said missing = weir("eval", task(""), "--model", "openai@team-c/gpt-4o-mini");
    assertThat(missing.err()).contains("set OPENAI_API_KEY_TEAM_C in the environment");
    assertThat(weir("eval", task(""), "--model", "openai@/gpt-4o-mini").code()).isEqualTo(2);
    assertThat(requests(usual) + requests(other)).isZero();
  }
}
