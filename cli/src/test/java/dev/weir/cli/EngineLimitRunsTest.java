package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.simulator.server.Given;
import dev.weir.simulator.server.RequestTotals;
import dev.weir.simulator.server.Setting;
import dev.weir.simulator.server.Simulation;
import dev.weir.simulator.server.SimulatorServer;
import dev.weir.simulator.server.Stats;
import dev.weir.time.Time;
import dev.weir.web.WebSettings;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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

/** The limits of engines, in whole runs over HTTP, as the provider counts. */
@Timeout(120)
class EngineLimitRunsTest {

  private static final String KEY = "sk-weir-test-0123456789abcdef";
  private static final String OTHER_KEY = "sk-weir-test-fedcba9876543210";

  @TempDir Path directory;

  private final Map<String, String> environment = new HashMap<>();
  private @Nullable SimulatorServer server;

  private record Said(int code, String out, String err) {}

  private static SimulatorServer serve(int port, String key) throws Exception {
    return SimulatorServer.start(
        Time.system(),
        WebSettings.loopback(port),
        Simulation.of(
            Optional.empty(),
            Map.of(
                Setting.LATENCY, List.of(new Given("test", "40ms")),
                Setting.API_KEY, List.of(new Given("test", key))),
            1));
  }

  private SimulatorServer serve() throws Exception {
    SimulatorServer started = serve(0, KEY);
    server = started;
    environment.put("ANTHROPIC_API_KEY", KEY);
    environment.put("ANTHROPIC_BASE_URL", started.address().toString());
    environment.put("WEIR_TRACE_DIR", directory.resolve("traces").toString());
    environment.put("WEIR_LOG_DIR", directory.resolve("logs").toString());
    environment.put("WEIR_MEMORY", "false");
    return started;
  }

  @AfterEach
  void stop() {
    if (server != null) {
      server.close();
    }
  }

  private Path task(int samples) throws Exception {
    Files.writeString(
        directory.resolve("many.csv"),
        IntStream.range(0, samples)
            .mapToObj("s%1$d,[[echo: %1$d]],%1$d\n"::formatted)
            .collect(Collectors.joining("", "id,input,target\n", "")));
    return Files.writeString(
        directory.resolve("task.yaml"),
        "task: many\ndataset: many.csv\nsolver: generate\nscorer: includes\n");
  }

  private Said eval(int samples, String... more) throws Exception {
    return evalText(
        samples, Stream.concat(Stream.of("--json"), Stream.of(more)).toArray(String[]::new));
  }

  private Said evalText(int samples, String... more) throws Exception {
    Path task = task(samples);
    var out = new StringWriter();
    var err = new StringWriter();
    int code =
        Weir.run(
            new Surroundings(
                Time.system(), new PrintWriter(out), new PrintWriter(err), environment, false),
            Stream.concat(Stream.of("eval", task.toString()), Stream.of(more))
                .toArray(String[]::new));
    return new Said(code, out.toString(), err.toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "AIGW_MODEL_ENGINE_CONCURRENCY_LIMITS | {\"anthropic\": {\"claude-a\": 2, \"claude-b\":"
            + " 3}}",
        "AIGW_MODEL_ENGINE_LIMITS | {\"anthropic\": {\"claude-a\": {\"concurrency\": 2},"
            + " \"claude-b\": {\"concurrency\": 3}}}",
        "WEIR_MODEL_ENGINE_LIMITS | {\"anthropic\": {\"claude-a\": {\"concurrency\": 2},"
            + " \"claude-b\": 3}}"
      })
  void twoModelsOfAnEngineStayWithinItsLimit(String variable, String limits) throws Exception {
    SimulatorServer provider = serve();
    environment.put(variable, limits);
    Said said =
        eval(30, "--model", "anthropic/claude-a,anthropic/claude-b", "--max-connections", "20");
    assertThat(said.code()).as(said.toString()).isZero();
    assertThat(provider.stats().requests()).isEqualTo(60);
    assertThat(provider.stats().peakInFlight()).isEqualTo(3);
    assertThat(said.err()).doesNotContain("engine limits");
  }

  /** The time of all calls, divided by that of the run, is the limit. */
  @Test
  void aRunThatALimitHeldUpSaysNothingThatCanBeDivided() throws Exception {
    serve();
    environment.put("WEIR_MODEL_ENGINE_LIMITS", "{\"anthropic\": {\"claude-a\": 3}}");
    Said said = evalText(60, "--model", "anthropic/claude-a", "--max-connections", "20");
    assertThat(said.out())
        .contains("Limited by: a configured engine limit, ")
        .doesNotContain("calling", "in flight", "would save");
    assertThat(said.err()).doesNotContain("in flight");
    environment.remove("WEIR_MODEL_ENGINE_LIMITS");
    assertThat(evalText(5, "--model", "anthropic/claude-a").out()).contains(" calling, ");
  }

  @Test
  void oneModelStaysWithinItsOwnLimitInModePace() throws Exception {
    SimulatorServer provider = serve();
    environment.put(
        "AIGW_MODEL_ENGINE_CONCURRENCY_LIMITS",
        "{\"anthropic\": {\"claude-a\": 2, \"claude-b\": 50}}");
    Said said = eval(40, "--model", "anthropic/claude-a", "--rpm", "60000");
    assertThat(said.code()).as(said.toString()).isZero();
    assertThat(provider.stats().peakInFlight()).isEqualTo(2);
  }

  /** That is how a new model, or a change of a limit, is noticed without Prometheus. */
  @Test
  void limitsThatContradictWhatIsObservedAreReported() throws Exception {
    SimulatorServer provider = serve();
    environment.put("WEIR_MODEL_ENGINE_LIMITS", "{\"anthropic\": {\"claude-a\": 7531}}");
    Said said = eval(5, "--model", "anthropic/claude-a,anthropic/claude-b");
    assertThat(said.code()).as(said.toString()).isZero();
    assertThat(said.err())
        .contains(
            "limit of anthropic/claude-b out of date: none is configured for this model; add one")
        .doesNotContain("limit of anthropic/claude-a", "7531");
    assertThat(provider.stats().requests()).isEqualTo(10);
  }

  @Test
  void aFileHasPatternsAndLimitsOfEngines() throws Exception {
    SimulatorServer provider = serve();
    Path limits =
        Files.writeString(
            directory.resolve("limits.yaml"),
            "engines: {anthropic: {concurrency: 5, models: {claude-*: 3}}}");
    Said said =
        eval(
            30,
            "--model",
            "anthropic/claude-a,anthropic/claude-b",
            "--max-connections",
            "20",
            "--engine-limits",
            limits.toString());
    assertThat(said.code()).as(said.toString()).isZero();
    assertThat(provider.stats().peakInFlight()).isEqualTo(5);
  }

  @Test
  void limitsThatAreNotEnforcedChangeNothing() throws Exception {
    SimulatorServer provider = serve();
    Path limits =
        Files.writeString(
            directory.resolve("limits.yaml"),
            "{enforce: false, engines: {anthropic: {concurrency: 2}}}");
    environment.put("WEIR_ENGINE_LIMITS", limits.toString());
    Said said = eval(40, "--model", "anthropic/claude-a", "--max-connections", "10");
    assertThat(said.code()).as(said.toString()).isZero();
    assertThat(provider.stats().peakInFlight()).isEqualTo(10);
  }

  /** A task file must not switch off what a vault says. */
  @Test
  void limitsOfVariablesAreEnforcedBesideAFileThatIsNot() throws Exception {
    SimulatorServer provider = serve();
    Path limits =
        Files.writeString(
            directory.resolve("limits.yaml"),
            "{enforce: false, engines: {anthropic: {concurrency: 2}}}");
    environment.put("WEIR_MODEL_ENGINE_LIMITS", "{\"anthropic\": {\"claude-a\": 4}}");
    Said said =
        eval(
            40,
            "--model",
            "anthropic/claude-a",
            "--max-connections",
            "10",
            "--engine-limits",
            limits.toString());
    assertThat(said.code()).as(said.toString()).isZero();
    assertThat(provider.stats().peakInFlight()).isEqualTo(4);
  }

  /** How limits from a vault are tried out: as GitLab's gateway, which only observes. */
  @Test
  void aFileMayTurnAllLimitsIntoOnesThatAreObserved() throws Exception {
    SimulatorServer provider = serve();
    Path observe = Files.writeString(directory.resolve("limits.yaml"), "enforce: false");
    environment.put("WEIR_MODEL_ENGINE_LIMITS", "{\"anthropic\": {\"claude-a\": 4}}");
    environment.put("WEIR_ENGINE_LIMITS", observe.toString());
    Said said = eval(40, "--model", "anthropic/claude-a", "--max-connections", "10");
    assertThat(said.code()).as(said.toString()).isZero();
    assertThat(provider.stats().peakInFlight()).isEqualTo(10);
    assertThat(said.err()).contains("not enforced").doesNotContain("in flight");
  }

  /** As the provider counts, over some seconds; CeilingProofTest does the same over minutes. */
  @Test
  void ceilingsPerMinuteHoldOverHttp() throws Exception {
    SimulatorServer provider = serve();
    environment.put(
        "WEIR_MODEL_ENGINE_LIMITS",
        """
        {"anthropic": {"claude-a": {"concurrency": 3, "requests": 1200},
                       "claude-b": {"concurrency": 5, "requests": 600}}}
        """);
    Said said =
        eval(60, "--model", "anthropic/claude-a,anthropic/claude-b", "--max-connections", "20");
    assertThat(said.code()).as(said.toString()).isZero();
    Stats stats = provider.stats();
    assertThat(stats.all().peakOpen()).isLessThanOrEqualTo(5);
    RequestTotals first = Objects.requireNonNull(stats.models().get("claude-a"));
    RequestTotals second = Objects.requireNonNull(stats.models().get("claude-b"));
    assertThat(first.requests()).isEqualTo(60);
    assertThat(second.requests()).isEqualTo(60);
    assertThat(first.peakOpen()).isLessThanOrEqualTo(3);
    assertThat(second.peakOpen()).isLessThanOrEqualTo(5);
    // The first of 60 leaves at once, the others a tenth of a second apart. Within a second: eleven
    // and 21, and two that the network has held up.
    assertThat(stats.makespanSeconds()).isGreaterThanOrEqualTo(5.85);
    assertThat(stats.acceptedPerSecondMax()).isLessThanOrEqualTo(34);
  }

  /** The key is replaced while calls are made; the old one is rejected from then on. */
  @Test
  void aKeyThatIsRotatedInItsFileIsUsed() throws Exception {
    SimulatorServer provider = serve();
    Path key = Files.writeString(directory.resolve("key"), KEY + "\n");
    environment.remove("ANTHROPIC_API_KEY");
    environment.put("ANTHROPIC_API_KEY_FILE", key.toString());
    try (WeirProcess weir =
        WeirProcess.start(
            directory,
            List.of(),
            List.of(),
            environment,
            List.of(
                "eval",
                task(150).toString(),
                "--model",
                "anthropic/claude-a",
                "--max-connections",
                "2"))) {
      weir.until(() -> provider.stats().requests() > 5);
      Files.writeString(key, OTHER_KEY + "\n");
      provider.close();
      try (SimulatorServer rotated = serve(provider.address().getPort(), OTHER_KEY)) {
        assertThat(weir.ended()).as(weir.words()).isZero();
        assertThat(rotated.stats().unauthorized()).isPositive();
        assertThat(rotated.stats().answers()).isGreaterThan(100);
        assertThat(weir.words()).doesNotContain(KEY, OTHER_KEY);
      }
    }
  }

  @Test
  void limitsInAFileAreReadAgainWhileItRuns() throws Exception {
    SimulatorServer provider = serve();
    Path limits = directory.resolve("limits");
    Files.writeString(limits, "{\"anthropic\": {\"claude-a\": 1}}");
    environment.put("AIGW_MODEL_ENGINE_LIMITS_FILE", limits.toString());
    try (WeirProcess weir =
        WeirProcess.start(
            directory,
            // Without a terminal, also where the tests have one.
            List.of("setsid"),
            List.of(),
            environment,
            List.of(
                "eval",
                task(150).toString(),
                "--model",
                "anthropic/claude-a",
                "--max-connections",
                "20"))) {
      weir.until(() -> provider.stats().requests() > 5);
      assertThat(provider.stats().peakInFlight()).isEqualTo(1);
      Files.writeString(limits, "{\"anthropic\": {\"claude-a\": 7531x}}");
      weir.signal("HUP");
      weir.until(() -> weir.words().contains("the limits of engines stay as they were"));
      Files.writeString(limits, "{\"anthropic\": {\"claude-a\": 4}}");
      weir.signal("HUP");
      weir.until(() -> provider.stats().peakInFlight() == 4);
      assertThat(weir.ended()).as(weir.words()).isZero();
      assertThat(weir.words())
          .contains("the engine limits have changed; the new ones apply from now on")
          .doesNotContain("7531");
    }
    assertThat(provider.stats().requests()).isEqualTo(150);
    assertThat(provider.stats().peakInFlight()).isEqualTo(4);
  }

  @Test
  void aKeyMayStandInAFile() throws Exception {
    serve();
    Path key = Files.writeString(directory.resolve("key"), KEY + "\n");
    environment.remove("ANTHROPIC_API_KEY");
    environment.put("ANTHROPIC_API_KEY_FILE", key.toString());
    try (WeirProcess weir =
        WeirProcess.start(
            directory,
            List.of(),
            List.of(),
            environment,
            List.of("eval", task(3).toString(), "--model", "anthropic/claude-a"))) {
      assertThat(weir.ended()).as(weir.words()).isZero();
      assertThat(weir.words()).doesNotContain(KEY);
    }
  }

  @Test
  void aMalformedValueEndsTheRunBeforeItBeginsAndIsNotPrinted() throws Exception {
    SimulatorServer provider = serve();
    environment.put("AIGW_MODEL_ENGINE_LIMITS", "{\"anthropic\": {\"claude-a\": \"7531\"}}");
    environment.put("WEIR_DEBUG", "1");
    Said said = eval(1, "--model", "anthropic/claude-a");
    assertThat(said.code()).isEqualTo(2);
    assertThat(said.err())
        .contains(
            "AIGW_MODEL_ENGINE_LIMITS: the limit of model 1 of engine 1 must be a whole number")
        .doesNotContain("7531");
    assertThat(said.out()).doesNotContain("7531");
    assertThat(provider.stats().requests()).isZero();
    assertThat(directory.resolve("logs")).doesNotExist();
  }

  @Test
  void anEngineThatIsNoProviderIsReportedWithoutItsLimits() throws Exception {
    serve();
    environment.put("AIGW_MODEL_ENGINE_LIMITS", "{\"antropic\": {\"claude-a\": 7531}}");
    Said said = eval(1, "--model", "anthropic/claude-a");
    assertThat(said.code()).as(said.toString()).isZero();
    assertThat(said.err())
        .contains("engine limits name 'antropic'", "did you mean 'anthropic'?")
        .doesNotContain("7531");
  }

  @Test
  void anEngineOfAServerOfOnesOwnIsKnown() throws Exception {
    SimulatorServer provider = serve();
    environment.put("ACME_BASE_URL", provider.address() + "/v1");
    environment.put("ACME_API_KEY", KEY);
    environment.put("WEIR_MODEL_ENGINE_LIMITS", "{\"acme\": {\"m\": 2}}");
    Said said = eval(20, "--model", "openai-api/acme/m", "--max-connections", "10");
    assertThat(said.code()).as(said.toString()).isZero();
    assertThat(said.err()).doesNotContain("engine limits name");
    assertThat(provider.stats().peakInFlight()).isEqualTo(2);
  }

  @Test
  void limitsThatMissASimulatedModelByItsArgumentsAreReported() throws Exception {
    environment.put("WEIR_LOG_DIR", directory.resolve("logs").toString());
    environment.put("WEIR_MODEL_ENGINE_LIMITS", "{\"sim\": {\"quick\": 2}}");
    String report = "engine limits of sim/quick do not apply to sim/quick:latency=1ms";
    assertThat(eval(1, "--model", "sim/quick:latency=1ms").err())
        .contains(report, "write quick* in the limits");
    assertThat(eval(1, "--model", "sim/quick", "-M", "latency=1ms").err()).doesNotContain(report);
    environment.put("WEIR_MODEL_ENGINE_LIMITS", "{\"sim\": {\"quick*\": 2}}");
    assertThat(eval(1, "--model", "sim/quick:latency=1ms").err()).doesNotContain(report);
  }
}
