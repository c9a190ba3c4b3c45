package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.Evaluation;
import dev.weir.eval.option.Settings;
import dev.weir.log.RunResult;
import dev.weir.time.virtual.VirtualTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Models within the process have no provider, so nothing paces them; on virtual time. */
@Timeout(60)
class MockPaceTest {

  private static final int SAMPLES = 1_000;

  @TempDir Path directory;
  private Path task = Path.of("");

  @BeforeEach
  void write() throws Exception {
    Files.writeString(
        directory.resolve("many.csv"),
        IntStream.range(0, SAMPLES)
            .mapToObj(i -> "What is %d?,%d\n".formatted(i, i))
            .collect(Collectors.joining("", "input,target\n", "")));
    task =
        Files.writeString(
            directory.resolve("task.yaml"),
            "task: many\ndataset: many.csv\nsolver: generate\nscorer: includes\n");
  }

  private double seconds(String model, String... options) throws Exception {
    Settings settings =
        Settings.NONE
            .with("model", model)
            .with("seed", 1)
            .with("log_dir", directory.resolve("logs"));
    for (int i = 0; i < options.length; i += 2) {
      settings = settings.with(options[i], options[i + 1]);
    }
    Settings given = settings;
    VirtualTime time = VirtualTime.seeded(1);
    RunResult result =
        time.run(() -> Evaluation.prepare(time, task, given).run()).runs().getFirst().result();
    assertThat(result.samples()).isEqualTo(new RunResult.Counts(SAMPLES, SAMPLES, 0, 0));
    return result.seconds();
  }

  @Test
  void callsToAMockModelAreNotPaced() throws Exception {
    assertThat(seconds("mock/echo")).isLessThan(0.1);
  }

  @Test
  void whatTakesItsTimeIsAskedAllAtOnce() throws Exception {
    assertThat(seconds("mock/any", "model_args", "latency=2s")).isBetween(2.0, 2.1);
  }

  @Test
  void limitsThatAreGivenHold() throws Exception {
    assertThat(seconds("mock/echo", "rpm", "600")).as("where it begins").isGreaterThan(30);
    assertThat(seconds("mock/echo", "delay", "10ms")).isBetween(9.9, 10.1);
    assertThat(seconds("mock/any", "max_connections", "100", "model_args", "latency=1s"))
        .isBetween(10.0, 10.2);
    assertThat(seconds("mock/any", "max_concurrency", "100", "model_args", "latency=1s"))
        .isBetween(10.0, 10.2);
  }

  @Test
  void aSimulatedProviderKeepsItsPace() throws Exception {
    assertThat(seconds("sim/x:rpm=1200,burst=1,latency=1ms")).isGreaterThan(45);
  }

  @Test
  void aScriptThatRefusesStandsForAProvider() throws Exception {
    Path replies =
        Files.writeString(
            directory.resolve("replies.yaml"),
            """
            - error: {kind: rate_limited, retry_after: 2, status: 429}
            - {match: What, text: Nothing.}
            """);
    assertThat(seconds("mock/any", "model_args", "replies=" + replies)).isGreaterThan(1);
  }
}
