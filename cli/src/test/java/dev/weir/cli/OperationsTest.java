package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.recording.Recording;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The rules and dashboards of ops/ with a real run in a real Prometheus.
 *
 * <p>Needs Prometheus and Python: runs in the profile {@code installed}.
 */
@Tag("installed")
class OperationsTest {

  private static final Pattern METRICS = Pattern.compile("127\\.0\\.0\\.1:(\\d+)/metrics");

  /** The replay ends by itself before that. */
  private static final int MOST_SECONDS = 320;

  @TempDir Path directory;

  @Test
  void aRecordedRunOfTwoHoursShowsInRulesAndDashboards() throws Exception {
    Recording.write(directory);
    String report = replay(directory.toString());
    assertThat(report).contains("All checks passed", "Scrapes every 1 s and every 60 s");
  }

  @Test
  void aRunningEvaluationIsScrapedAndItsSaturationIsThatOfItsLoad() throws Exception {
    try (SimulatorServer provider =
            SimulatorServer.start(
                Time.system(),
                WebSettings.loopback(0),
                Simulation.of(
                    Optional.empty(),
                    Map.of(Setting.LATENCY, List.of(new Given("test", "500ms:0.2"))),
                    7));
        WeirProcess weir =
            WeirProcess.start(
                directory,
                // Without a terminal, also where the tests have one.
                List.of("setsid"),
                List.of(),
                Map.of(
                    "OPENAI_API_KEY",
                    "sk-weir-test-0123456789abcdef",
                    "OPENAI_BASE_URL",
                    provider.address() + "/v1",
                    "WEIR_MODEL_ENGINE_LIMITS",
                    "{\"openai\": {\"gpt-4o\": 10}}"),
                List.of(
                    "eval",
                    task().toString(),
                    "--model",
                    "openai/gpt-4o",
                    "--max-connections",
                    "7",
                    "--metrics-port",
                    "0",
                    "--log-dir",
                    directory.resolve("logs").toString()))) {
      weir.until(() -> METRICS.matcher(weir.words()).find());
      Matcher address = METRICS.matcher(weir.words());
      assertThat(address.find()).isTrue();
      String report =
          replay("--live", address.group(1), "--expect", "max_concurrent_inferences=0.7");
      assertThat(report).contains("up is [1.0]", "All checks passed");
      assertThat(provider.stats().peakInFlight()).isEqualTo(7);
    }
  }

  /** More than is answered while the test lasts. */
  private Path task() throws Exception {
    Files.writeString(
        directory.resolve("many.csv"),
        IntStream.range(0, 20_000)
            .mapToObj("s%1$d,[[echo: %1$d]],%1$d\n"::formatted)
            .collect(Collectors.joining("", "id,input,target\n", "")));
    return Files.writeString(
        directory.resolve("task.yaml"),
        "{task: many, dataset: many.csv, solver: [generate], scorer: includes}");
  }

  private String replay(String... words) throws Exception {
    Path script = Path.of(System.getProperty("weir.root")).resolve("ops/replay/replay.py");
    List<String> command = new ArrayList<>(List.of("python3", script.toString()));
    command.addAll(List.of(words));
    Path report = Files.createTempFile(directory, "report", ".txt");
    Process replay =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(report.toFile())
            .start();
    try {
      assertThat(replay.waitFor(MOST_SECONDS, TimeUnit.SECONDS)).as("it ended").isTrue();
    } finally {
      replay.destroy();
    }
    assertThat(replay.exitValue()).as(() -> read(report)).isZero();
    return read(report);
  }

  private static String read(Path report) {
    try {
      return Files.readString(report);
    } catch (IOException unreadable) {
      return unreadable.toString();
    }
  }
}
