package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.log.RunLogReader;
import dev.weir.log.RunResult;
import dev.weir.log.SampleResult;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ctrl+C, as the signal that it is, to a process of its own with thousands of calls in flight. */
@Timeout(120)
class InterruptedRunTest {

  private static final int SAMPLES = 12_000;
  private static final int IN_FLIGHT = 10_000;

  /**
   * Less than the 10 s that a run has to end cleanly, so that who is not heard fails. How long it
   * takes on a quiet machine is in docs/benchmarks.md.
   */
  private static final Duration SOON = Duration.ofSeconds(9);

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
    return start(
        "eval",
        task,
        "-M",
        "rpm=0,latency=" + latency,
        "--max-connections",
        String.valueOf(IN_FLIGHT),
        "--max-samples",
        String.valueOf(IN_FLIGHT));
  }

  private Process start(String name, Path evaluated, String... options) throws Exception {
    List<String> command = new ArrayList<>(JavaCommand.weir(List.of()));
    command.addAll(
        List.of(
            name,
            evaluated.toString(),
            "--model",
            "sim/slow",
            "--log-dir",
            directory.resolve("logs").toString()));
    command.addAll(List.of(options));
    var builder = new ProcessBuilder(command).redirectOutput(directory.resolve("out").toFile());
    builder.environment().keySet().removeIf(variable -> variable.startsWith("WEIR_"));
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
      return files
          .filter(file -> !file.toString().endsWith(".lock"))
          .filter(file -> !file.getFileName().toString().startsWith("."))
          .findFirst()
          .orElseThrow();
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
      assertThat(reader.damage()).isEmpty();
    }
    assertThat(cancelled).isEqualTo(IN_FLIGHT);
    assertThat(directory.resolve("out")).content().contains("Interrupted: ");
  }

  /** Nothing less ends samples that do not heed an interrupt. */
  @ParameterizedTest
  @ValueSource(strings = {"eval", "eval-set"})
  void twiceEndsAtOnceARunThatCannotEndCleanlyAndLosesNothingThatWasFinished(String command)
      throws Exception {
    Path stubborn =
        Files.writeString(
            directory.resolve("Stubborn.java"),
            """
            import dev.weir.eval.dataset.Sample;
            import dev.weir.eval.scorer.Scorers;
            import dev.weir.eval.task.EvalTask;
            import dev.weir.eval.task.TaskDefinition;
            import java.time.Duration;
            import java.util.ArrayList;
            import java.util.List;

            class Stubborn {
              @EvalTask
              static TaskDefinition.Builder stubborn() {
                List<Sample> samples = new ArrayList<>();
                for (int i = 1; i <= 60; i++) {
                  samples.add(new Sample("s" + i, "What is " + i + "?", String.valueOf(i)));
                }
                return TaskDefinition.named("stubborn")
                    .dataset(samples.toArray(Sample[]::new))
                    .solver(
                        (state, context) -> {
                          state.generate(context.model());
                          while (Integer.parseInt(state.sample().target()) > 50) {
                            try {
                              context.time().sleep(Duration.ofHours(1));
                            } catch (InterruptedException ignored) {
                              // That is the point.
                            }
                          }
                        })
                    .scorer(Scorers.includes());
              }
            }
            """);
    Process process =
        start(command, stubborn, "-M", "rpm=0,latency=10ms", "--max-connections", "60");
    try (BufferedReader err = process.errorReader()) {
      String line = err.readLine();
      while (line != null && !line.startsWith("50/60")) {
        line = err.readLine();
      }
      assertThat(line).as("it never finished those that can be").isNotNull();
      long begun = System.currentTimeMillis();
      do {
        // Signals that come together are one.
        interrupt(process);
      } while (!process.waitFor(100, TimeUnit.MILLISECONDS)
          && System.currentTimeMillis() - begun < SOON.toMillis());
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(Duration.ofMillis(System.currentTimeMillis() - begun)).isLessThan(SOON);
      assertThat(process.exitValue()).isEqualTo(ExitCode.INTERRUPTED);
      String how =
          command.equals("eval")
              ? "to resume: weir eval-retry " + log().toRealPath()
              : "to resume: weir " + command;
      assertThat(err.lines())
          .anySatisfy(
              last ->
                  assertThat(last)
                      .startsWith(
                          "weir: ended at once; what was finished is in %s; %s"
                              .formatted(log().toRealPath(), how)));
    } finally {
      process.destroyForcibly();
    }
    int finished = 0;
    try (var reader = RunLogReader.open(log())) {
      for (Optional<SampleResult> sample = reader.sample();
          sample.isPresent();
          sample = reader.sample()) {
        assertThat(sample.get().cancelled()).isFalse();
        finished++;
      }
      assertThat(reader.end()).isEmpty();
    }
    assertThat(finished).isEqualTo(50);
  }

  @Test
  void theLastWordsNameWhatWasLeftAndWhatToDo() {
    List<Path> many =
        IntStream.range(0, 7).mapToObj(i -> Path.of("/logs/%d.journal".formatted(i))).toList();
    assertThat(Interrupts.lastWords("weir: given up", List.of(), new Resumption.WithRetry()))
        .isEqualTo("weir: given up");
    assertThat(Interrupts.lastWords("weir: given up", many, new Resumption.WithRetry()))
        .contains(
            "/logs/0.journal, ",
            "/logs/4.journal and 2 other journals; to resume: weir eval-retry FILE…");
    assertThat(
            Interrupts.lastWords(
                "weir: ended at once",
                List.of(Path.of("/my logs/it's.journal")),
                new Resumption.WithRetry()))
        .endsWith("; to resume: weir eval-retry '/my logs/it'\\''s.journal'");
    assertThat(
            Interrupts.lastWords(
                "weir: ended at once",
                many.subList(0, 1),
                new Resumption.WithTheSameCommand("weir eval-set a.yaml")))
        .isEqualTo(
            "weir: ended at once; what was finished is in /logs/0.journal; to resume: weir eval-set"
                + " a.yaml");
  }
}
