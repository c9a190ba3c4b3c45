package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.log.RunLogReader;
import dev.weir.log.RunResult;
import dev.weir.log.SampleResult;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Ctrl+C, as the signal that it is, to a process of its own with thousands of calls in flight. */
@Timeout(120)
class InterruptedRunTest {

  private static final int SAMPLES = 4_000;
  private static final int IN_FLIGHT = 2_000;

  /** It is to take 2 s; machines that build other things at the same time take longer. */
  private static final Duration SOON = Duration.ofSeconds(8);

  @TempDir Path directory;

  private Path task;

  @BeforeEach
  void writeTask() throws Exception {
    Files.writeString(
        directory.resolve("many.csv"),
        IntStream.range(0, SAMPLES)
            .mapToObj(i -> "s%d,What is %d?,%d\n".formatted(i, i, i))
            .collect(Collectors.joining("", "id,input,target\n", "")));
    task =
        Files.writeString(
            directory.resolve("task.yaml"),
            "task: many\ndataset: many.csv\nsolver: generate\nscorer: includes\n");
  }

  private Process start(String latency) throws Exception {
    var builder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "dev.weir.cli.Weir",
                "eval",
                task.toString(),
                "--model",
                "sim/slow",
                "-M",
                "rpm=0,latency=" + latency,
                "--max-connections",
                String.valueOf(IN_FLIGHT),
                "--max-samples",
                String.valueOf(IN_FLIGHT),
                "--log-dir",
                directory.resolve("logs").toString())
            .redirectOutput(directory.resolve("out").toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("WEIR_"));
    builder.environment().put("XDG_STATE_HOME", directory.resolve("state").toString());
    return builder.start();
  }

  private static void awaitInFlight(BufferedReader err) throws Exception {
    String line = err.readLine();
    while (line != null && !line.contains(IN_FLIGHT + "/" + IN_FLIGHT + " in flight")) {
      line = err.readLine();
    }
    assertThat(line).as("it never had all in flight").isNotNull();
  }

  private static void interrupt(Process process) throws Exception {
    int code = new ProcessBuilder("kill", "-INT", String.valueOf(process.pid())).start().waitFor();
    assertThat(code).isZero();
  }

  private Path log() throws Exception {
    try (var files = Files.list(directory.resolve("logs"))) {
      return files.findFirst().orElseThrow();
    }
  }

  @Test
  void onceEndsTheRunSoonWithACompleteLog() throws Exception {
    Process process = start("60s");
    try (BufferedReader err = process.errorReader()) {
      awaitInFlight(err);
      long begun = System.currentTimeMillis();
      interrupt(process);
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(Duration.ofMillis(System.currentTimeMillis() - begun)).isLessThan(SOON);
      assertThat(process.exitValue()).isEqualTo(ExitCode.INTERRUPTED);
    } finally {
      process.destroyForcibly();
    }
    int cancelled = 0;
    try (var reader = RunLogReader.open(log())) {
      for (Optional<SampleResult> sample = reader.sample();
          sample.isPresent();
          sample = reader.sample()) {
        assertThat(sample.get().cancelled()).isTrue();
        assertThat(sample.get().scores()).isEmpty();
        cancelled++;
      }
      RunResult end = reader.end().orElseThrow();
      assertThat(end.status()).isEqualTo(RunResult.Status.CANCELLED);
      assertThat(end.samples().unfinished()).isEqualTo(SAMPLES);
      assertThat(reader.isCutOff()).isFalse();
    }
    assertThat(cancelled).isEqualTo(IN_FLIGHT);
    assertThat(directory.resolve("out")).content().contains("Interrupted: ");
  }

  @Test
  void twiceEndsItAtOnceAndLosesNothingThatWasFinished() throws Exception {
    Process process = start("7s");
    try (BufferedReader err = process.errorReader()) {
      awaitInFlight(err);
      // Some have been answered by now; the next line says so.
      String line = err.readLine();
      while (line != null && line.startsWith("0/")) {
        line = err.readLine();
      }
      long begun = System.currentTimeMillis();
      interrupt(process);
      interrupt(process);
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(Duration.ofMillis(System.currentTimeMillis() - begun)).isLessThan(SOON);
      assertThat(process.exitValue()).isEqualTo(ExitCode.INTERRUPTED);
      int told = Integer.parseInt(String.valueOf(line).split("/", 2)[0].strip());
      int finished = 0;
      try (var reader = RunLogReader.open(log())) {
        for (Optional<SampleResult> sample = reader.sample();
            sample.isPresent();
            sample = reader.sample()) {
          finished += sample.get().cancelled() ? 0 : 1;
        }
      }
      assertThat(finished).isGreaterThanOrEqualTo(told).isPositive();
    } finally {
      process.destroyForcibly();
    }
  }
}
