package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.simulator.server.Given;
import dev.weir.simulator.server.Setting;
import dev.weir.simulator.server.Simulation;
import dev.weir.simulator.server.SimulatorServer;
import dev.weir.time.Time;
import dev.weir.web.WebSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Selections in processes of their own, against a provider that counts what it is asked. */
@Timeout(180)
class KilledSelectionTest {

  private static final int SAMPLES = 20;
  private static final int AT_ONCE = 8;

  /** Two models; of each sample an answer, a critique, a better answer and a grade. */
  private static final int NEEDED = 2 * SAMPLES * 4;

  @TempDir Path directory;

  private SimulatorServer server;

  @BeforeEach
  void start() throws Exception {
    Map<Setting, List<Given>> given = new EnumMap<>(Setting.class);
    given.put(Setting.LATENCY, List.of(new Given("test", "60ms:0.5")));
    server =
        SimulatorServer.start(
            Time.system(), WebSettings.loopback(0), Simulation.of(Optional.empty(), given, 1));
    Files.writeString(
        directory.resolve("questions.csv"),
        IntStream.range(0, SAMPLES)
            .mapToObj(i -> "Question %d. [[echo: GRADE: C]],%d\n".formatted(i, i))
            .collect(Collectors.joining("", "input,target\n", "")));
    Files.writeString(
        directory.resolve("agents.yaml"),
        """
        task:
          task: agents
          dataset: questions.csv
          solver: [generate, self_critique]
          scorer: model_graded_qa
        nodes:
          model: [openai/gpt-4o, openai/gpt-4o-mini]
        model_role: {grader: openai/gpt-4.1}
        selector: brute_force
        max_concurrent: %d
        max_connections: 100
        """
            .formatted(AT_ONCE));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private WeirProcess select(String logs) throws IOException {
    return WeirProcess.start(
        directory,
        List.of(),
        List.of(),
        Map.of(
            "OPENAI_API_KEY",
            "sk-weir-test-0123456789abcdef",
            "OPENAI_BASE_URL",
            server.address().resolve("/v1").toString()),
        List.of(
            "select",
            directory.resolve("agents.yaml").toString(),
            "--log-dir",
            directory.resolve(logs).toString(),
            "--json"));
  }

  private JsonNode found(WeirProcess weir) throws Exception {
    assertThat(weir.ended()).as(weir.words()).isZero();
    String words = weir.words();
    return new JsonMapper().readTree(words.substring(words.indexOf('{')));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void noAnswerIsPaidForTwice(int kills) throws Exception {
    JsonNode whole;
    try (WeirProcess weir = select("whole")) {
      whole = found(weir);
    }
    long before = server.stats().requests();
    assertThat(before).isEqualTo(NEEDED);
    for (int kill = 1; kill <= kills; kill++) {
      long until = before + (long) NEEDED * kill / (kills + 1);
      try (WeirProcess weir = select("logs")) {
        weir.until(() -> server.stats().requests() >= until);
        weir.signal("KILL");
        assertThat(weir.ended()).isEqualTo(137);
      }
    }
    JsonNode rest;
    try (WeirProcess weir = select("logs")) {
      rest = found(weir);
    }
    try (Stream<Path> left = Files.list(directory.resolve("logs"))) {
      assertThat(left).noneMatch(file -> file.toString().endsWith(".lock"));
    }
    // Of each kill no more is asked again than was in flight.
    assertThat(server.stats().requests() - before).isBetween((long) NEEDED, NEEDED + most(kills));
    assertThat(rest.path("evaluations").asInt()).isEqualTo(2 * SAMPLES);
    assertThat(rest.path("evaluations_from_journal").asInt()).isPositive();
    assertThat(rest.path("known_cost_usd").asDouble())
        .isCloseTo(whole.path("known_cost_usd").asDouble(), within(1e-9));
  }

  private static long most(int kills) {
    return (long) kills * AT_ONCE;
  }

  @Test
  void runsOnceAtATime() throws Exception {
    try (WeirProcess first = select("logs")) {
      first.until(() -> server.stats().requests() >= 1);
      first.signal("STOP");
      try (WeirProcess second = select("logs")) {
        assertThat(second.ended()).isEqualTo(ExitCode.USAGE);
        assertThat(second.words()).contains("this selection runs already");
      }
      first.signal("CONT");
      assertThat(found(first).path("evaluations").asInt()).isEqualTo(2 * SAMPLES);
    }
    assertThat(server.stats().requests()).isEqualTo(NEEDED);
  }
}
