package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.WeirProcess.Logged;
import dev.weir.log.RunResult.Status;
import dev.weir.log.SampleResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** However a run ends, its log says how, and another run goes on with it. */
@Timeout(120)
class ResumableEndsTest {

  private static final int SAMPLES = 60;
  private static final int AT_ONCE = 4;

  @TempDir Path directory;

  private Moody provider;

  @BeforeEach
  void prepare() throws IOException {
    provider = new Moody();
    provider.soften();
    Files.writeString(
        directory.resolve("questions.csv"),
        IntStream.range(0, SAMPLES)
            .mapToObj(i -> "q%d,What is %d?,42\n".formatted(i, i))
            .collect(Collectors.joining("", "id,input,target\n", "")));
    Files.writeString(
        directory.resolve("task.yaml"),
        "task: questions\ndataset: questions.csv\nsolver: generate\nscorer: includes\n");
  }

  @AfterEach
  void close() {
    provider.close();
  }

  private Path logs(String name) {
    return directory.resolve(name);
  }

  private WeirProcess simulated(String... shell) throws IOException {
    return simulated("50ms", shell);
  }

  private WeirProcess simulated(String latency, String[] shell) throws IOException {
    return WeirProcess.start(
        directory,
        List.of(shell),
        List.of(),
        Map.of(),
        List.of(
            "eval",
            directory.resolve("task.yaml").toString(),
            "--model",
            "sim/x",
            "-M",
            "rpm=0,accuracy=1,latency=" + latency,
            "--max-connections",
            String.valueOf(AT_ONCE),
            "--log-dir",
            logs("first").toString()));
  }

  private WeirProcess overHttp(String... words) throws IOException {
    List<String> all = new ArrayList<>(List.of(words));
    all.addAll(List.of("--max-retries", "1", "--max-connections", String.valueOf(AT_ONCE)));
    return WeirProcess.start(
        directory,
        List.of(),
        List.of(),
        Map.of("OPENAI_API_KEY", "sk-test", "OPENAI_BASE_URL", provider.address()),
        all);
  }

  /** The journal has a few samples. */
  private void awaitSamples(WeirProcess weir) throws Exception {
    weir.until(
        () -> {
          var journal = WeirProcess.log(logs("first"));
          return journal.isPresent() && Files.size(journal.get()) > 6_000;
        });
  }

  /** What the first run finished is kept by the second, which finishes the rest. */
  private void requireFinishable(WeirProcess retry, Logged first) throws Exception {
    try (retry) {
      assertThat(retry.ended()).as(retry.words()).isZero();
    }
    Logged second = Logged.read(WeirProcess.log(logs("second")).orElseThrow());
    assertThat(second.end().orElseThrow().status()).isEqualTo(Status.SUCCESS);
    assertThat(second.end().orElseThrow().samples().scored()).isEqualTo(SAMPLES);
    Map<String, SampleResult> there = new HashMap<>();
    second.samples().forEach(s -> assertThat(there.put(s.id(), s)).isNull());
    assertThat(there).hasSize(SAMPLES);
    assertThat(first.samples().stream().filter(SampleResult::hasFinished))
        .isNotEmpty()
        .allSatisfy(
            s -> assertThat(began(Objects.requireNonNull(there.get(s.id())))).isEqualTo(began(s)));
  }

  /** Tells whether it was run again; finished logs have microseconds. */
  private static Instant began(SampleResult sample) {
    return sample.started().truncatedTo(ChronoUnit.MICROS);
  }

  private List<String> retry() throws IOException {
    return List.of(
        "eval-retry",
        WeirProcess.log(logs("first")).orElseThrow().toString(),
        "--log-dir",
        logs("second").toString());
  }

  private Logged first() throws IOException {
    Path log = WeirProcess.log(logs("first")).orElseThrow();
    assertThat(log.toString()).endsWith(".eval");
    return Logged.read(log);
  }

  @ParameterizedTest
  @CsvSource({"INT, 130", "TERM, 143"})
  void bySignal(String signal, int code) throws Exception {
    // Seconds are left when the signal is sent: on a busy machine it comes late.
    try (WeirProcess weir = simulated("500ms", new String[0])) {
      awaitSamples(weir);
      weir.signal(signal);
      assertThat(weir.ended()).as(weir.words()).isEqualTo(code);
      assertThat(weir.words()).contains("Interrupted: ");
    }
    Logged first = first();
    assertThat(first.end().orElseThrow().status()).isEqualTo(Status.CANCELLED);
    assertThat(first.end().orElseThrow().samples().unfinished()).isPositive();
    List<String> allAtOnce = new ArrayList<>(retry());
    allAtOnce.addAll(List.of("--max-connections", String.valueOf(SAMPLES)));
    requireFinishable(WeirProcess.start(directory, allAtOnce), first);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "503 | {\"error\": {\"message\": \"down\", \"type\": \"server_error\"}} | 1",
        "401 | {\"error\": {\"message\": \"expired\", \"code\": \"invalid_api_key\"}} | 3"
      })
  void byTheProvider(int status, String body, int code) throws Exception {
    int answered = 20;
    provider.turn(answered, status, body);
    try (WeirProcess weir =
        overHttp(
            "eval",
            directory.resolve("task.yaml").toString(),
            "--model",
            "openai/gpt-4o-mini",
            "--log-dir",
            logs("first").toString())) {
      assertThat(weir.ended()).as(weir.words()).isEqualTo(code);
    }
    Logged first = first();
    assertThat(first.end().orElseThrow().status()).isEqualTo(Status.ERROR);
    int scored = first.end().orElseThrow().samples().scored();
    // Answers that came with the refusal may have been too late.
    assertThat(scored).isBetween(answered - AT_ONCE + 1, answered);
    provider.soften();
    requireFinishable(overHttp(retry().toArray(String[]::new)), first);
    assertThat(provider.answers())
        .as("what was finished is not asked again")
        .isEqualTo(answered + SAMPLES - scored);
  }

  /** One sample wants more memory than there is. */
  @Test
  void byASolverThatRunsOutOfMemory() throws Exception {
    Path greedy = Files.writeString(directory.resolve("Greedy.java"), GREEDY);
    Path greed = Files.createFile(directory.resolve("greed"));
    List<String> words =
        List.of(
            "eval",
            greedy.toString(),
            "--model",
            "sim/x",
            "-M",
            "rpm=0,accuracy=1,latency=10ms",
            "--max-connections",
            String.valueOf(AT_ONCE),
            "--log-dir",
            logs("first").toString());
    Map<String, String> environment = Map.of("GREED", greed.toString());
    List<String> smallHeap = List.of("-Xmx96m");
    try (WeirProcess weir =
        WeirProcess.start(directory, List.of(), smallHeap, environment, words)) {
      assertThat(weir.ended()).as(weir.words()).isEqualTo(ExitCode.FAILED);
      assertThat(weir.words()).contains("OutOfMemoryError");
    }
    Logged first = first();
    assertThat(first.end().orElseThrow().status()).isEqualTo(Status.ERROR);
    Files.delete(greed);
    requireFinishable(
        WeirProcess.start(directory, List.of(), smallHeap, environment, retry()), first);
  }

  private static final String GREEDY =
"""
      import dev.weir.eval.dataset.Sample;
      import dev.weir.eval.scorer.Scorers;
      import dev.weir.eval.task.EvalTask;
      import dev.weir.eval.task.TaskDefinition;
      import java.nio.file.Files;
      import java.nio.file.Path;
      import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
      import java.util.List;

      class Greedy {
        @EvalTask
        static TaskDefinition.Builder greedy() {
          List<Sample> samples = new ArrayList<>();
          for (int i = 0; i < 60; i++) {
            samples.add(new Sample("q" + i, "What is " + i + "?", String.valueOf(i)));
          }
          return TaskDefinition.named("greedy")
              .dataset(samples.toArray(Sample[]::new))
              .solver(
                  (state, context) -> {
                    state.generate(context.model());
                    boolean isGreedy = Files.exists(Path.of(System.getenv("GREED")));
                    if (isGreedy && state.sample().id().equals("q30")) {
                      List<byte[]> all = new ArrayList<>();
                      while (true) {
                        all.add(new byte[4 << 20]);
                      }
                    }
                  })
              .scorer(Scorers.includes());
        }
      }
""";

  /** The directory is made anew, and has all samples in the end. */
  @Test
  void evenIfTheDirectoryIsDeleted() throws Exception {
    try (WeirProcess weir = simulated()) {
      awaitSamples(weir);
      delete(logs("first"));
      assertThat(weir.ended()).as(weir.words()).isZero();
      assertThat(weir.words()).contains("cannot be written", "is gone", "nothing is lost");
    }
    Logged first = first();
    assertThat(first.end().orElseThrow().status()).isEqualTo(Status.SUCCESS);
    assertThat(first.samples()).hasSize(SAMPLES);
    assertThat(first.damage()).isEmpty();
  }

  /**
   * A limit on the length of files stands for a disk that is full: only root can make small disks.
   */
  private WeirProcess withFullDisk() throws Exception {
    WeirProcess weir = simulated("bash", "-c", "ulimit -S -f 12 && exec \"$@\"", "weir");
    weir.until(() -> weir.words().contains("cannot be written"));
    return weir;
  }

  @Test
  void evenIfTheDiskIsFullForAWhile() throws Exception {
    try (WeirProcess weir = withFullDisk()) {
      String pid = String.valueOf(weir.process().pid());
      var more = new ProcessBuilder("prlimit", "--pid", pid, "--fsize=unlimited:unlimited");
      assertThat(more.start().waitFor()).isZero();
      assertThat(weir.ended()).as(weir.words()).isZero();
      assertThat(weir.words()).contains("File too large", "nothing is lost");
    }
    Logged first = first();
    assertThat(first.end().orElseThrow().status()).isEqualTo(Status.SUCCESS);
    assertThat(first.samples()).hasSize(SAMPLES);
    assertThat(first.damage()).isEmpty();
  }

  /** It waits for the disk until somebody ends it. */
  @Test
  void evenIfTheDiskStaysFull() throws Exception {
    try (WeirProcess weir = withFullDisk()) {
      weir.signal("INT");
      assertThat(weir.ended()).as(weir.words()).isEqualTo(ExitCode.INTERRUPTED);
      Path journal = WeirProcess.log(logs("first")).orElseThrow();
      assertThat(weir.words())
          .contains(
              "Interrupted: ",
              "On disk: ",
              "Not on disk: ",
              "%s holds %d of %d samples; `weir eval-retry"
                  .formatted(journal, Logged.read(journal).samples().size(), SAMPLES));
    }
    Logged first = Logged.read(WeirProcess.log(logs("first")).orElseThrow());
    assertThat(first.samples()).hasSizeBetween(1, SAMPLES - 1);
    requireFinishable(WeirProcess.start(directory, retry()), first);
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
