package dev.weir.eval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.dataset.Sample;
import dev.weir.eval.option.Settings;
import dev.weir.eval.scorer.Scorers;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.log.LogFiles;
import dev.weir.log.RunLogReader;
import dev.weir.log.RunResult;
import dev.weir.log.SampleResult;
import dev.weir.time.Task;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What was paid for is told, however often the runs of a task are killed. */
class RetriedUseTest {

  private static final int SAMPLES = 60;

  @TempDir Path directory;

  private final VirtualTime time = VirtualTime.seeded(1);
  private final Host host = new Host(Map.of(), Optional.empty(), (_, _) -> {});
  private volatile boolean isFlaky = true;

  /** Each third sample fails when its answer is there. */
  private final TaskDefinition task =
      TaskDefinition.named("flaky")
          .dataset(
              IntStream.range(0, SAMPLES)
                  .mapToObj(
                      i ->
                          new Sample(
                              Integer.toString(i), "What is %d?".formatted(i), Integer.toString(i)))
                  .toArray(Sample[]::new))
          .solver(
              (state, context) -> {
                state.generate(context.model());
                if (isFlaky && Integer.parseInt(state.sample().id()) % 3 == 0) {
                  throw new IllegalStateException("flaky");
                }
              })
          .scorer(Scorers.includes())
          .model("sim/x:accuracy=1,latency=1s,rpm=0")
          .build();

  private Settings settings(String logs) {
    return Settings.NONE
        .with("log_dir", directory.resolve(logs).toString())
        .with("fail_on_error", "false")
        .with("max_connections", 5);
  }

  private Evaluation first(String logs) {
    return Evaluation.prepare(time, List.of(task), settings(logs), host);
  }

  private Evaluation next(Path log, String logs) {
    return Evaluation.retry(time, log, task, settings(logs), host);
  }

  /** A journal as kill -9 leaves it: copied while the run writes it. */
  private Path killed(Evaluation evaluation, String logs, int seconds) throws Exception {
    return time.run(
        () -> {
          Task<Evaluation.Finished> running = time.start("evaluation", evaluation::run);
          time.sleep(Duration.ofSeconds(seconds).plusMillis(500));
          try (Stream<Path> files = Files.list(directory.resolve(logs))) {
            Path journal =
                files
                    .filter(file -> file.toString().endsWith(LogFiles.JOURNAL))
                    .findFirst()
                    .orElseThrow();
            Path copy = directory.resolve(logs + LogFiles.JOURNAL);
            Files.copy(journal, copy);
            running.cancel();
            running.join();
            return copy;
          }
        });
  }

  private record Use(long calls, long input) {

    static Use of(RunResult result) {
      assertThat(result.models()).hasSize(1);
      assertThat(result.models().getFirst().tokens().input()).isEqualTo(result.tokens().input());
      assertThat(result.cost().pricedCalls() + result.cost().unknownCalls())
          .isEqualTo(result.models().getFirst().calls());
      return new Use(result.models().getFirst().calls(), result.tokens().input());
    }

    Use plus(Use other) {
      return new Use(calls + other.calls, input + other.input);
    }
  }

  /** What the run of a journal has used itself. */
  private static Use own(Path journal) throws IOException {
    try (var reader = RunLogReader.open(journal)) {
      var use = new Use(0, 0);
      for (Optional<SampleResult> next = reader.sample();
          next.isPresent();
          next = reader.sample()) {
        SampleResult sample = next.get();
        if (!sample.started().isBefore(reader.start().started())) {
          use = use.plus(new Use(sample.calls().size(), sample.tokens().input()));
        }
      }
      return use;
    }
  }

  @Test
  void failedAttemptsOfAnEndedRunSurviveARetryThatIsKilled() throws Exception {
    Evaluation.Finished failed = time.run(() -> first("a").run());
    Path log = failed.runs().getFirst().file().orElseThrow();
    assertThat(failed.result().samples().failed()).isEqualTo(SAMPLES / 3);
    isFlaky = false;
    RunResult direct = time.run(() -> next(log, "direct").run()).result();
    assertThat(Use.of(direct).calls()).isEqualTo(SAMPLES + SAMPLES / 3);

    Path killed = killed(next(log, "b"), "b", 2);
    RunResult result = time.run(() -> next(killed, "c").run()).result();

    assertThat(Use.of(result)).isEqualTo(Use.of(direct));
    // The log that is made of the journal tells it, too.
    Use before = Use.of(failed.result()).plus(own(killed));
    Path recovered = LogFiles.convert(killed);
    assertThat(Use.of(LogFiles.result(recovered).orElseThrow())).isEqualTo(before);
    assertThat(Use.of(time.run(() -> next(recovered, "d").run()).result()))
        .isEqualTo(Use.of(direct));
  }

  @Test
  void ofAChainOfKilledRunsNothingIsForgotten() throws Exception {
    Path first = killed(first("a"), "a", 4);
    Path second = killed(next(first, "b"), "b", 3);
    Path third = killed(next(second, "c"), "c", 3);
    isFlaky = false;

    RunResult result = time.run(() -> next(third, "d").run()).result();

    Use before = own(first).plus(own(second)).plus(own(third));
    assertThat(result.samples().scored()).isEqualTo(SAMPLES);
    assertThat(Use.of(result)).isEqualTo(before.plus(own(file("d"))));
    assertThat(Use.of(result).calls()).isGreaterThan(SAMPLES);
  }

  /** A call that was refused used nothing, whoever counts it. */
  @Test
  void onlyAnswersAreCountedAsCalls() throws Exception {
    isFlaky = false;
    Settings refusing = settings("a").with("model_args", "error-rate=0.5").with("max_retries", 0);
    Path killed = killed(Evaluation.prepare(time, List.of(task), refusing, host), "a", 4);
    assertThat(LogFiles.result(killed).orElseThrow().samples().failed()).isPositive();
    Settings mended = settings("b").with("model_args", "error-rate=0");

    RunResult result =
        time.run(() -> Evaluation.retry(time, killed, task, mended, host).run()).result();

    assertThat(Use.of(result).calls()).isEqualTo(SAMPLES);
  }

  /** What is told of the whole and of its models is one sum, whatever cannot be read any more. */
  @Test
  void whatIsDamagedDoesNotMakeTwoSums() throws Exception {
    isFlaky = false;
    Path first = killed(first("a"), "a", 6);
    Path second = killed(next(first, "b"), "b", 4);
    byte[] whole = Files.readAllBytes(second);
    int damaged = 0;
    for (int seed = 1; seed <= 10; seed++) {
      var random = new SplittableRandom(seed);
      byte[] flipped = whole.clone();
      for (int i = 0; i < 20; i++) {
        flipped[random.nextInt(5_000, flipped.length)] ^= (byte) (1 << random.nextInt(8));
      }
      Path log = Files.write(directory.resolve(seed + LogFiles.JOURNAL), flipped);
      String logs = "c" + seed;
      Evaluation.Finished ended = time.run(() -> next(log, logs).run());
      assertThat(ended.result().samples().scored()).as("seed %d", seed).isEqualTo(SAMPLES);
      try (Stream<Path> files = Files.list(directory.resolve(logs))) {
        for (Path file : files.filter(name -> name.toString().endsWith(LogFiles.EVAL)).toList()) {
          RunResult told = LogFiles.result(file).orElseThrow();
          assertThat(told.models().getFirst().tokens())
              .as("seed %d, %s", seed, file)
              .isEqualTo(told.tokens());
          damaged++;
        }
      }
    }
    assertThat(damaged).isGreaterThanOrEqualTo(10);
  }

  private Path file(String logs) throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve(logs))) {
      return files
          .filter(file -> file.toString().endsWith(LogFiles.EVAL))
          .findFirst()
          .orElseThrow();
    }
  }
}
