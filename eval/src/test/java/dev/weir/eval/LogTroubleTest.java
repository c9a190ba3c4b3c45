package dev.weir.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.weir.eval.Evaluation.FinishedRun;
import dev.weir.eval.option.Settings;
import dev.weir.log.EvalLogJson;
import dev.weir.log.RunLog;
import dev.weir.log.RunLogReader;
import dev.weir.log.RunResult;
import dev.weir.log.RunResult.Counts;
import dev.weir.log.RunResult.Status;
import dev.weir.log.RunStart;
import dev.weir.log.journal.JournalListener;
import dev.weir.model.ConfigurationException;
import dev.weir.time.Task;
import dev.weir.time.Time;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs whose log directory goes away and cannot be made anew: a file stands in its place. */
class LogTroubleTest {

  private static final int SAMPLES = 200;

  @TempDir Path directory;

  private final VirtualTime time = VirtualTime.seeded(1);
  private Path taskFile = Path.of("");
  private Path logs = Path.of("");
  private Settings more = Settings.NONE;
  private final List<String> told = new ArrayList<>();

  @BeforeEach
  void writeTask() throws IOException {
    logs = directory.resolve("logs");
    StringBuilder rows = new StringBuilder("id,input,target\n");
    for (int i = 1; i <= SAMPLES; i++) {
      rows.append("s%d,Question %d?,answer%d\n".formatted(i, i, i));
    }
    Files.writeString(directory.resolve("questions.csv"), rows);
    taskFile =
        Files.writeString(
            directory.resolve("task.yaml"),
            """
            task: questions
            dataset: questions.csv
            solver: [generate]
            scorer: includes
            """);
  }

  private Evaluation evaluation(String mode) {
    return Evaluation.prepare(
        time,
        taskFile,
        more.with("model", "sim/x:accuracy=1,latency=10s,rpm=0")
            .with("concurrency_mode", mode)
            .with("max_connections", 4)
            .with("seed", 1)
            .with("log_dir", logs),
        new Host(Map.of(), Optional.empty(), (_, event) -> told.add(event.line())));
  }

  private void takeAway() throws IOException {
    try (Stream<Path> files = Files.walk(logs)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
    Files.writeString(logs, "in the way");
  }

  private interface Intervention {
    void act(Evaluation evaluation, Task<Evaluation.Finished> running) throws Exception;
  }

  private FinishedRun run(String mode, Intervention intervention) throws Exception {
    Evaluation evaluation = evaluation(mode);
    return time.run(
            () -> {
              Task<Evaluation.Finished> running = time.start("evaluation", evaluation::run);
              time.sleep(Duration.ofSeconds(35));
              takeAway();
              time.sleep(Duration.ofSeconds(30));
              intervention.act(evaluation, running);
              return running.join();
            })
        .runs()
        .getFirst();
  }

  @Test
  void aLogThatStaysUnwritableEndsTheRun() throws Exception {
    FinishedRun ended =
        run(
            "static",
            (evaluation, running) -> {
              assertThat(evaluation.progress().getFirst().paused())
                  .contains("the log cannot be written");
              time.sleep(Duration.ofMinutes(9));
              assertThat(running.isDone()).isFalse();
            });
    assertThat(ended.result().status()).isEqualTo(Status.ERROR);
    assertThat(ended.result().error().orElseThrow())
        .contains("the log cannot be written: it could not be written for 10 minutes");
    assertThat(ended.notWritten().orElseThrow())
        .contains(
            "On disk: 0 records, 0 bytes.",
            "Not on disk: ",
            "The file is gone: nothing of the run is on the disk");
    assertThat(Duration.ofNanos(time.nanos()))
        .isBetween(Duration.ofMinutes(10), Duration.ofMinutes(11).plusSeconds(5));
  }

  /** In this mode the number of open samples is not bounded by the window. */
  @Test
  void noSamplesAreBegunMeanwhile() throws Exception {
    int[] running = new int[2];
    FinishedRun ended =
        run(
            "pace",
            (evaluation, task) -> {
              running[0] = evaluation.progress().getFirst().running();
              time.sleep(Duration.ofMinutes(5));
              running[1] = evaluation.progress().getFirst().running();
              Files.delete(logs);
            });
    assertThat(running[1]).isEqualTo(running[0]).isBetween(1, 20);
    assertThat(ended.result().status()).isEqualTo(Status.SUCCESS);
    assertThat(ended.notWritten()).isEmpty();
    try (var log = RunLogReader.open(ended.file().orElseThrow())) {
      assertThat(log.summaries()).hasSize(SAMPLES);
    }
  }

  @Test
  void anInterruptDoesNotWaitForTheDisk() throws Exception {
    long[] began = new long[1];
    FinishedRun ended =
        run(
            "static",
            (evaluation, running) -> {
              began[0] = time.nanos();
              running.cancel();
            });
    assertThat(Duration.ofNanos(time.nanos() - began[0])).isLessThan(Duration.ofSeconds(3));
    assertThat(ended.result().status()).isEqualTo(Status.CANCELLED);
    assertThat(ended.notWritten().orElseThrow())
        .contains("the run was ended while it could not be written", "Not on disk: ");
    assertThat(ended.result().samples())
        .as("what is not on the disk is not finished")
        .isEqualTo(new Counts(SAMPLES, 0, 0, SAMPLES));
    assertThat(ended.result().metrics()).isEmpty();
  }

  @Test
  void onlyWhatIsInTheLogCounts() throws Exception {
    FinishedRun whole = run("static", (_, _) -> Files.delete(logs));
    Path journal;
    try (var from = RunLogReader.open(whole.file().orElseThrow());
        var to = RunLog.begin(Time.system(), directory, from.start(), JournalListener.NONE)) {
      journal = to.file();
      for (int i = 0; i < 66; i++) {
        to.append(from.sample().orElseThrow());
      }
    }
    Thread.currentThread().interrupt();
    RunResult counted = LogTrouble.onDisk(journal, whole.result());
    assertThat(Thread.interrupted()).isTrue();
    assertThat(counted.samples()).isEqualTo(new Counts(SAMPLES, 66, 0, SAMPLES - 66));
    assertThat(counted.metrics()).containsEntry("accuracy", 1.0);
    assertThat(counted.status()).isEqualTo(Status.SUCCESS);
    assertThat(counted.tokens()).isEqualTo(whole.result().tokens());
  }

  @Test
  void whatMayWaitInMemoryCanBeSet() throws Exception {
    more = more.with("log_buffer", "3MB");
    run("static", (_, _) -> Files.delete(logs));
    assertThat(told).anyMatch(line -> line.contains("results are held in memory (3 MB at most)"));
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> more.with("log_buffer", "12"))
        .withMessageContaining("log_buffer must be a size such as")
        .withMessageContaining("from 1MB to 1TB, was '12'");
  }

  /** Reading under an interrupt closes files, but what is left must be told. */
  @Test
  void whoInterruptsIsToldWhatIsOnTheDisk() throws Exception {
    RunStart start = run("static", (_, _) -> Files.delete(logs)).result().start();
    Path journal;
    try (var log = RunLog.begin(Time.system(), directory, start, JournalListener.NONE)) {
      journal = log.file();
    }
    Thread.currentThread().interrupt();
    String left = LogTrouble.left(journal, SAMPLES, new ClosedByInterruptException());
    assertThat(Thread.interrupted()).isTrue();
    assertThat(left)
        .contains("ClosedByInterruptException. " + journal + " holds 0 of 200 samples")
        .doesNotContain("null");
  }

  /** What is changed meanwhile holds at once, and is in the log when that can be written. */
  @Test
  void theRunCanBeChangedMeanwhile() throws Exception {
    var by = new EvaluationControl.By("ann", Optional.empty());
    FinishedRun ended =
        run(
            "static",
            (evaluation, running) -> {
              EvaluationControl control = evaluation.control();
              long began = time.nanos();
              control.retune(Optional.empty(), Settings.NONE.with("max_connections", 7), by);
              assertThatIOException()
                  .isThrownBy(() -> control.flush(by))
                  .withMessageContaining("the log cannot be written now");
              assertThat(Duration.ofNanos(time.nanos() - began)).isLessThan(Duration.ofSeconds(6));
              Files.delete(logs);
              time.sleep(Duration.ofSeconds(5));
              assertThat(control.flush(by)).hasSize(1);
            });
    assertThat(ended.result().status()).isEqualTo(Status.SUCCESS);
    var header = new StringWriter();
    EvalLogJson.write(ended.file().orElseThrow(), header, true, false);
    assertThat(header.toString()).contains("at most 7 in flight", "flushed");
  }
}
