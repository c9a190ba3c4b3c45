package dev.weir.eval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.dataset.Sample;
import dev.weir.eval.option.Settings;
import dev.weir.eval.scorer.Scorers;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.log.LogDirectory;
import dev.weir.log.LogEntry;
import dev.weir.log.LogFiles;
import dev.weir.log.LogRecovery;
import dev.weir.log.RunLogReader;
import dev.weir.log.RunResult;
import dev.weir.log.SampleResult;
import dev.weir.log.SampleSummary;
import dev.weir.log.journal.Cursor;
import dev.weir.log.journal.JournalEntry;
import dev.weir.log.journal.JournalReader;
import dev.weir.time.Task;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A retry that is killed before it has copied all that it keeps: its journal is cut there. */
class CutRetryTest {

  /** The record that says so, as docs/log-format.md has it. */
  private static final int COPIED = 6;

  /** How the run began, which is told twice, and then some samples. */
  private static final int SOME = 5;

  private static final int SAMPLES = 20;

  @TempDir Path directory;

  private final VirtualTime time = VirtualTime.seeded(1);
  private final Host host = new Host(Map.of(), Optional.empty(), (_, _) -> {});
  private volatile boolean isFlaky;

  /**
   * @param changed samples whose question has got longer
   */
  private TaskDefinition task(Set<Integer> changed) {
    return TaskDefinition.named("questions")
        .dataset(
            IntStream.range(0, SAMPLES)
                .mapToObj(
                    i ->
                        new Sample(
                            Integer.toString(i),
                            (changed.contains(i) ? "Now, tell me: what is %d?" : "What is %d?")
                                .formatted(i),
                            Integer.toString(i)))
                .toArray(Sample[]::new))
        .solver(
            (state, context) -> {
              state.generate(context.model());
              if (isFlaky) {
                throw new IllegalStateException("flaky");
              }
            })
        .scorer(Scorers.includes())
        .model("sim/x:accuracy=1,latency=1s,rpm=0")
        .build();
  }

  private Settings settings(String logs) {
    return Settings.NONE
        .with("log_dir", directory.resolve(logs).toString())
        .with("fail_on_error", "false")
        .with("max_connections", 5);
  }

  private Path first(TaskDefinition task, String logs) throws Exception {
    return file(
        time.run(() -> Evaluation.prepare(time, List.of(task), settings(logs), host).run()));
  }

  private static Path file(Evaluation.Finished finished) {
    return finished.runs().getFirst().file().orElseThrow();
  }

  private Evaluation.Finished again(Path log, TaskDefinition task, Settings settings)
      throws Exception {
    return time.run(() -> Evaluation.retry(time, log, task, settings, host).run());
  }

  /** What a retry leaves that is killed after so many records. */
  private Path cut(Path log, TaskDefinition task, Settings settings, String name, int records)
      throws Exception {
    Path whole =
        killed(Evaluation.retry(time, log, task, settings, host), settings, name, Duration.ZERO);
    Files.write(whole, Arrays.copyOf(Files.readAllBytes(whole), end(whole, records)));
    return whole;
  }

  /** Where so many records end. */
  private static int end(Path journal, int records) throws IOException {
    try (var reader = JournalReader.open(journal)) {
      Cursor<JournalEntry> entries = reader.entries();
      long end = 0;
      for (int i = 0; i < records; i++) {
        JournalEntry entry = Objects.requireNonNull(entries.next());
        assertThat(entry.type()).isNotEqualTo(COPIED);
        end = entry.offset() + entry.length();
      }
      return (int) end;
    }
  }

  /** A journal as kill -9 leaves it: copied while the run writes it. */
  private Path killed(Evaluation evaluation, Settings settings, String name, Duration after)
      throws Exception {
    return time.run(
        () -> {
          Task<Evaluation.Finished> running = time.start("evaluation", evaluation::run);
          time.sleep(after.plusMillis(500));
          Path logs = Path.of(settings.word("log-dir").orElseThrow());
          try (Stream<Path> files = Files.list(logs)) {
            Path journal =
                files
                    .filter(file -> file.toString().endsWith(LogFiles.JOURNAL))
                    .findFirst()
                    .orElseThrow();
            Path copy =
                Files.createDirectories(directory.resolve(name)).resolve(journal.getFileName());
            Files.copy(journal, copy);
            running.cancel();
            running.join();
            return copy;
          }
        });
  }

  private static List<SampleResult> samples(Path log) throws IOException {
    List<SampleResult> samples = new ArrayList<>();
    try (var reader = RunLogReader.open(log)) {
      for (var next = reader.sample(); next.isPresent(); next = reader.sample()) {
        samples.add(next.get());
      }
    }
    return samples;
  }

  private static void assertUsed(RunResult result, RunResult expected) {
    assertThat(result.tokens()).isEqualTo(expected.tokens());
    assertThat(result.cost()).isEqualTo(expected.cost());
    assertThat(result.models()).hasSize(1);
    assertThat(result.models().getFirst().calls()).isEqualTo(expected.models().getFirst().calls());
    assertThat(result.models().getFirst().tokens()).isEqualTo(result.tokens());
  }

  @Test
  void whatIsOutsideOfTheRunIsNotTakenFromTheEarlierLog() throws Exception {
    TaskDefinition task = task(Set.of());
    Path log = first(task, "a");
    Settings fewer = settings("direct").with("limit", 5).with("epochs", 2);
    RunResult direct = again(log, task, fewer).result();
    assertThat(direct.models().getFirst().calls()).isEqualTo(SAMPLES + 5);

    Path cut =
        cut(log, task, fewer.with("log_dir", directory.resolve("b").toString()), "cut", SOME);

    LogEntry entry = LogDirectory.entry(cut);
    assertThat(entry.done()).contains(5L);
    assertThat(entry.total()).contains(10L);
    assertThat(samples(cut)).hasSize(5);
    Evaluation.Finished finished =
        again(cut, task, fewer.with("log_dir", directory.resolve("c").toString()));
    assertUsed(finished.result(), direct);
    assertThat(samples(file(finished))).hasSize(10);
    assertThat(LogRecovery.recover(cut, false).told()).contains("recovered 5 of 10 samples");
  }

  @Test
  void whatHasChangedIsNotTakenFromTheEarlierLog() throws Exception {
    Path log = first(task(Set.of()), "a");
    TaskDefinition changed = task(Set.of(2, 7, 8, 11));
    RunResult direct = again(log, changed, settings("direct")).result();
    assertThat(direct.models().getFirst().calls()).isEqualTo(SAMPLES + 4);

    // From the first record on.
    for (int records : List.of(1, 2, SOME, SAMPLES - 4)) {
      Path cut = cut(log, changed, settings("b" + records), "cut" + records, records);
      try (var reader = RunLogReader.open(cut)) {
        assertThat(reader.summaries())
            .hasSize(SAMPLES - 4)
            .extracting(SampleSummary::id)
            .doesNotContain("2", "7", "8", "11");
        assertThat(reader.sample("2", 1)).isEmpty();
        assertThat(reader.sample("19", 1)).isPresent();
      }
      Evaluation.Finished finished = again(cut, changed, settings("c" + records));
      assertUsed(finished.result(), direct);
      assertThat(samples(file(finished))).hasSize(SAMPLES);
      assertThat(LogRecovery.recover(cut, false).told())
          .contains("recovered %d of %d samples".formatted(SAMPLES - 4, SAMPLES));
      assertThat(samples(LogFiles.eval(cut)))
          .hasSize(SAMPLES - 4)
          .noneMatch(sample -> Set.of("2", "7", "8", "11").contains(sample.id()));
    }
  }

  @Test
  void whatModelsDidForSamplesThatAreNotKeptIsTold() throws Exception {
    TaskDefinition task = task(Set.of());
    Path first =
        killed(
            Evaluation.prepare(time, List.of(task), settings("a"), host),
            settings("a"),
            "killed",
            Duration.ofSeconds(3));
    TaskDefinition changed = task(Set.of(1));
    // Its samples alone tell what the first has used; then its result does.
    for (Path log : List.of(first, file(again(first, changed, settings("b"))))) {
      String name = log.equals(first) ? "c" : "d";
      RunResult direct = again(log, task(Set.of(2)), settings("direct" + name)).result();
      Path cut = cut(log, task(Set.of(2)), settings(name), "cut" + name, SOME);
      Path twice = cut(cut, task(Set.of(2)), settings(name + "2"), "twice" + name, SOME);
      for (Path killed : List.of(cut, twice)) {
        RunResult result =
            again(
                    killed,
                    task(Set.of(2)),
                    settings(name + Objects.requireNonNull(killed.getParent()).getFileName()))
                .result();
        assertUsed(result, direct);
        RunResult counted = LogFiles.result(killed).orElseThrow();
        assertThat(counted.models().getFirst().tokens()).isEqualTo(counted.tokens());
      }
    }
  }

  @Test
  void failedAttemptsBeforeItAreTold() throws Exception {
    TaskDefinition task = task(Set.of());
    Path first =
        killed(
            Evaluation.prepare(time, List.of(task), settings("a"), host),
            settings("a"),
            "killed",
            Duration.ofSeconds(3));
    isFlaky = true;
    Path failed = file(again(first, task, settings("b")));
    isFlaky = false;
    RunResult direct = again(failed, task, settings("direct")).result();
    assertThat(direct.models().getFirst().calls()).isGreaterThan(SAMPLES);

    Path cut = cut(failed, task, settings("c"), "cut", SOME);

    assertUsed(again(cut, task, settings("d")).result(), direct);
  }

  private Path failed(TaskDefinition task) throws Exception {
    isFlaky = true;
    Path log = first(task, "failed");
    isFlaky = false;
    assertThat(samples(log)).hasSize(SAMPLES).allMatch(sample -> sample.error().isPresent());
    return log;
  }

  private static void assertEachFailedOnce(Path log) throws IOException {
    assertThat(samples(log))
        .hasSize(SAMPLES)
        .allSatisfy(sample -> assertThat(sample.hasFinished()).isTrue())
        .allSatisfy(
            sample ->
                assertThat(sample.errorRetries())
                    .as(sample.id())
                    .singleElement()
                    .satisfies(
                        error -> {
                          assertThat(error.message()).contains("flaky");
                          assertThat(error.traceback().orElse("none")).contains("\n\tat ");
                        }));
  }

  @Test
  void whatSamplesFailedWithSurvivesARetryThatIsCancelled() throws Exception {
    TaskDefinition task = task(Set.of());
    Path failed = failed(task);
    Path cancelled =
        time.run(
            () -> {
              Task<Evaluation.Finished> running =
                  time.start(
                      "evaluation", Evaluation.retry(time, failed, task, settings("b"), host)::run);
              time.sleep(Duration.ofMillis(2_500));
              running.cancel();
              return file(running.join());
            });
    assertThat(samples(cancelled).stream().filter(SampleResult::hasFinished).count())
        .isBetween(1L, SAMPLES - 6L);
    assertEachFailedOnce(file(again(cancelled, task, settings("c"))));
  }

  @Test
  void whatSamplesFailedWithSurvivesRetriesThatAreKilled() throws Exception {
    TaskDefinition task = task(Set.of());
    Path failed = failed(task);
    Path once = killedRetry(failed, task, "b");
    Path twice = killedRetry(once, task, "c");
    Path early = cut(twice, task, settings("d"), "cut", 2);
    int name = 0;
    for (Path killed : List.of(once, twice, early)) {
      assertEachFailedOnce(file(again(killed, task, settings("e" + name++))));
    }
    // What has become a log by itself tells it, too.
    for (Path killed : List.of(once, twice, early)) {
      Path recovered = LogRecovery.recover(killed, true).log().orElseThrow();
      assertThat(LogFiles.result(recovered).orElseThrow().samples().failed()).isZero();
      assertEachFailedOnce(file(again(recovered, task, settings("f" + name++))));
    }
  }

  private Path killedRetry(Path log, TaskDefinition task, String name) throws Exception {
    Path killed =
        killed(
            Evaluation.retry(time, log, task, settings(name), host),
            settings(name),
            "killed-" + name,
            Duration.ofSeconds(1));
    try (var reader = JournalReader.open(killed)) {
      assertThat(reader.count(COPIED)).isOne();
    }
    try (var reader = RunLogReader.open(killed)) {
      assertThat(reader.summaries()).hasSizeBetween(1, SAMPLES - 1);
    }
    return killed;
  }
}
