package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.WeirProcess.Logged;
import dev.weir.log.RunResult;
import dev.weir.log.SampleResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/**
 * Processes are killed at drawn instants, and their runs gone on with by others that are killed,
 * too, until one is left to finish. The instants are measured by what a process has written, so
 * that they are spread over its work however fast the machine is: its first record, the copying of
 * what is kept, samples, the making of the log. 25 of them, or as many as {@code
 * -Dweir.crash.instants} says.
 */
@Timeout(300)
class CrashTest {

  private static final long SEED = 20_261_115;
  private static final int INSTANTS = Integer.getInteger("weir.crash.instants", 25);
  private static final int OF_A_RUN = 5;
  private static final int SAMPLES = 150;

  /** What the system tells of a process that was ended by SIGKILL. */
  private static final int KILLED = 137;

  /** Group commits are so far apart at most: kills come between them, too. */
  private static final int COMMIT_MILLIS = 20;

  /** So many bytes, and the file has more than its header. */
  private static final long FIRST_RECORD = 200;

  @TempDir static Path directory;

  private static Path task;
  private static Logged undisturbed;
  private static long mostBytes;

  @BeforeAll
  static void runUndisturbed() throws Exception {
    Files.writeString(
        directory.resolve("questions.csv"),
        IntStream.range(0, SAMPLES)
            .mapToObj(i -> "q%d,What is %d?,%d\n".formatted(i, i, i))
            .collect(Collectors.joining("", "id,input,target\n", "")));
    task =
        Files.writeString(
            directory.resolve("task.yaml"),
            """
            task: questions
            dataset: questions.csv
            solver: generate
            scorer: includes
            model: sim/x:accuracy=0.7,latency=15ms,rpm=0
            seed: 7
            max_connections: 10
            """);
    Path logs = directory.resolve("undisturbed");
    try (WeirProcess weir = start(Optional.empty(), logs)) {
      while (!weir.process().waitFor(1, TimeUnit.MILLISECONDS)) {
        mostBytes = Math.max(mostBytes, WeirProcess.bytes(logs));
      }
      assertThat(weir.ended()).as(weir.words()).isZero();
    }
    undisturbed = Logged.read(WeirProcess.log(logs).orElseThrow());
    assertThat(undisturbed.samples()).hasSize(SAMPLES);
    assertThat(undisturbed.end().orElseThrow().metrics().get("accuracy")).isBetween(0.5, 0.9);
  }

  private static WeirProcess start(Optional<Path> log, Path logs) throws IOException {
    List<String> words = new ArrayList<>();
    words.addAll(
        log.isPresent()
            ? List.of("eval-retry", log.get().toString())
            : List.of("eval", task.toString()));
    words.addAll(List.of("--log-dir", logs.toString(), "--display", "none"));
    return WeirProcess.start(directory, List.of(), List.of(), control(), words);
  }

  private static Map<String, String> control() {
    return Map.of("WEIR_CTL_DIR", directory.resolve("run").toString());
  }

  static Stream<Arguments> runs() {
    return IntStream.range(0, Math.ceilDiv(INSTANTS, OF_A_RUN))
        .mapToObj(run -> Arguments.of(run, Math.min(OF_A_RUN, INSTANTS - run * OF_A_RUN)));
  }

  @ParameterizedTest(name = "run {0}, killed {1} times")
  @MethodSource("runs")
  void whatIsFinishedIsNeitherLostNorRunAgain(int run, int kills) throws Exception {
    var random = new SplittableRandom(SEED + run);
    Optional<Path> log = Optional.empty();
    Map<String, SampleResult> finished = new LinkedHashMap<>();
    int killed = 0;
    int counted = 0;
    for (int attempt = 0; ; attempt++) {
      Path logs = directory.resolve("run-%d-%d".formatted(run, attempt));
      try (WeirProcess weir = start(log, logs)) {
        if (killed < kills) {
          awaitInstant(weir, logs, random);
          if (random.nextBoolean()) {
            // Two ways to be told what is finished: by the log, and by the process itself.
            inTheLog(logs).forEach(finished::putIfAbsent);
          } else {
            counted = Math.max(counted, told(weir));
          }
          weir.process().destroyForcibly();
        }
        int code = weir.ended();
        if (code != KILLED) {
          assertThat(code).as(weir.words()).isZero();
          Path whole = WeirProcess.log(logs).or(earlier(log)).orElseThrow();
          requireWhole(whole, finished);
          if (killed == kills) {
            return;
          }
          // It was faster than the instant that was drawn: another run is killed instead.
          log = Optional.empty();
          finished.clear();
          counted = 0;
          continue;
        }
      }
      killed++;
      Optional<Logged> left = left(logs);
      if (left.isPresent()) {
        log = WeirProcess.log(logs);
        requireAll(byId(left.get().samples()), finished);
      }
      assertThat(finished.size())
          .as("samples that were told to be scored")
          .isGreaterThanOrEqualTo(counted);
    }
  }

  private static void awaitInstant(WeirProcess weir, Path logs, SplittableRandom random)
      throws Exception {
    // What is kept is copied soon after the first record, in few milliseconds.
    long instant = random.nextInt(3) == 0 ? FIRST_RECORD : random.nextLong(mostBytes);
    boolean hasEnded = false;
    while (!hasEnded && WeirProcess.bytes(logs) < instant) {
      hasEnded = weir.process().waitFor(1, TimeUnit.MILLISECONDS);
    }
    weir.process().waitFor(random.nextInt(COMMIT_MILLIS), TimeUnit.MILLISECONDS);
  }

  private static Map<String, SampleResult> inTheLog(Path logs) throws IOException {
    try {
      return byId(left(logs).map(Logged::samples).orElse(List.of()));
    } catch (NoSuchFileException replaced) {
      // By the finished log, in this moment.
      return Map.of();
    }
  }

  /** How many samples are scored, as the process says; 0 if it does not answer any more. */
  private static int told(WeirProcess weir) {
    Spoken list = Spoken.of(control(), "ctl", "list", "--json");
    if (list.code() == 0) {
      for (JsonNode evaluation : list.json()) {
        if (evaluation.get("pid").asLong() == weir.process().pid()) {
          return evaluation.at("/runs/0/scored").asInt();
        }
      }
    }
    return 0;
  }

  /** What a run can go on with; there is nothing if it was killed before its first call. */
  private static Optional<Logged> left(Path logs) throws IOException {
    Optional<Path> log = WeirProcess.log(logs);
    try {
      return log.isPresent() && Files.size(log.get()) > 0
          ? Optional.of(Logged.read(log.get()))
          : Optional.empty();
    } catch (NoSuchFileException replaced) {
      throw replaced;
    } catch (IOException early) {
      assertThat(early).hasMessageContaining("killed before its first call");
      return Optional.empty();
    }
  }

  private static Map<String, SampleResult> byId(List<SampleResult> samples) {
    Map<String, SampleResult> byId = new LinkedHashMap<>();
    for (SampleResult sample : samples) {
      assertThat(byId.put(sample.id(), sample)).as("%s is there twice", sample.id()).isNull();
      assertThat(sample.hasFinished()).isTrue();
    }
    return byId;
  }

  /**
   * All that was finished is there as it was, and the rest is remembered. When a sample began tells
   * that it was not run again; finished logs have microseconds.
   */
  private static void requireAll(
      Map<String, SampleResult> there, Map<String, SampleResult> finished) {
    finished.forEach(
        (id, sample) ->
            assertThat(there.get(id))
                .as(id)
                .usingRecursiveComparison()
                .withComparatorForType(
                    Comparator.comparing(at -> at.truncatedTo(ChronoUnit.MICROS)), Instant.class)
                .isEqualTo(sample));
    finished.putAll(there);
  }

  /** One that was killed after its log was whole left nothing to retry. */
  private static Supplier<Optional<Path>> earlier(Optional<Path> log) {
    return () -> log;
  }

  private static void requireWhole(Path log, Map<String, SampleResult> finished)
      throws IOException {
    Logged whole = Logged.read(log);
    Map<String, SampleResult> there = byId(whole.samples());
    requireAll(there, finished);
    assertThat(there).hasSize(SAMPLES);
    undisturbed
        .samples()
        .forEach(
            sample ->
                assertThat(Objects.requireNonNull(there.get(sample.id())).scores())
                    .isEqualTo(sample.scores()));
    RunResult end = whole.end().orElseThrow();
    assertThat(end.status()).isEqualTo(RunResult.Status.SUCCESS);
    assertThat(end.metrics()).isEqualTo(undisturbed.end().orElseThrow().metrics());
    assertThat(end.samples()).isEqualTo(undisturbed.end().orElseThrow().samples());
    assertThat(whole.damage()).isEmpty();
  }
}
