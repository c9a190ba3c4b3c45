package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.WeirProcess.Logged;
import dev.weir.log.RunResult.Status;
import dev.weir.log.SampleResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sets in processes of their own: who ends them, and who runs them twice. */
@Timeout(120)
class EvalSetProcessTest {

  private static final int SAMPLES = 60;

  @TempDir Path directory;

  private Path logs = Path.of("");

  @BeforeEach
  void prepare() throws IOException {
    logs = directory.resolve("set");
    Files.writeString(
        directory.resolve("questions.csv"),
        IntStream.range(0, SAMPLES)
            .mapToObj(i -> "q%d,What is %d?,42\n".formatted(i, i))
            .collect(Collectors.joining("", "id,input,target\n", "")));
    Files.writeString(
        directory.resolve("task.yaml"),
        "task: questions\ndataset: questions.csv\nsolver: generate\nscorer: includes\n");
  }

  private WeirProcess set(String latency) throws IOException {
    return WeirProcess.start(
        directory,
        List.of(),
        List.of(),
        Map.of(),
        List.of(
            "eval-set",
            directory.resolve("task.yaml").toString(),
            "--model",
            "sim/x",
            "-M",
            "rpm=0,accuracy=1,latency=" + latency,
            "--max-connections",
            "4",
            "--log-dir",
            logs.toString()));
  }

  private void awaitSamples(WeirProcess weir) throws Exception {
    weir.until(
        () -> {
          var journal = WeirProcess.log(logs);
          return journal.isPresent() && Files.size(journal.get()) > 6_000;
        });
  }

  @ParameterizedTest
  @CsvSource({"INT, 130", "KILL, 137"})
  void whoeverEndsItTheSameCommandGoesOn(String signal, int code) throws Exception {
    Logged first;
    try (WeirProcess weir = set("50ms")) {
      awaitSamples(weir);
      weir.signal(signal);
      assertThat(weir.ended()).as(weir.words()).isEqualTo(code);
      first = Logged.read(WeirProcess.log(logs).orElseThrow());
    }
    long kept = first.samples().stream().filter(SampleResult::hasFinished).count();
    assertThat(kept).isBetween(1L, SAMPLES - 1L);
    try (WeirProcess weir = set("50ms")) {
      assertThat(weir.ended()).as(weir.words()).isZero();
      assertThat(weir.words())
          .contains("reusing %d finished samples, running %d".formatted(kept, SAMPLES - kept));
    }
    Logged whole = Logged.read(WeirProcess.log(logs).orElseThrow());
    assertThat(whole.end().orElseThrow().status()).isEqualTo(Status.SUCCESS);
    assertThat(whole.samples()).hasSize(SAMPLES);
    // The log of the run that was ended is gone, and its lock with it.
    try (Stream<Path> left = Files.list(logs)) {
      assertThat(left.map(file -> file.getFileName().toString()))
          .hasSize(2)
          .contains(".weir-set.json")
          .anyMatch(name -> name.endsWith(".eval"));
    }
  }

  @Test
  void aSecondProcessIsTurnedAway() throws Exception {
    try (WeirProcess running = set("200ms")) {
      running.until(() -> Files.exists(logs.resolve(".weir-set.json.lock")));
      try (WeirProcess second = set("200ms")) {
        assertThat(second.ended()).as(second.words()).isEqualTo(ExitCode.USAGE);
        assertThat(second.words()).contains("the set in " + logs + " runs already");
      }
      assertThat(running.ended()).as(running.words()).isZero();
    }
    assertThat(logs.resolve(".weir-set.json.lock")).doesNotExist();
  }
}
