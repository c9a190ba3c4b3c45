package dev.weir.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.option.Settings;
import dev.weir.log.EvalLogJson;
import dev.weir.log.RunLogReader;
import dev.weir.log.RunResult;
import dev.weir.log.RunResult.Status;
import dev.weir.log.SampleResult;
import dev.weir.log.Times;
import dev.weir.log.Tokens;
import dev.weir.log.inspect.InspectLog;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Response;
import dev.weir.time.Task;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Whole evaluations against simulated models, on virtual time. */
class EvaluationTest {

  @TempDir Path directory;
  private Path taskFile = Path.of("");

  private final VirtualTime time = VirtualTime.seeded(1);

  @BeforeEach
  void writeTask() throws IOException {
    StringBuilder rows = new StringBuilder("input,target\n");
    for (int i = 1; i <= 100; i++) {
      rows.append("Question ").append(i).append("?,answer").append(i).append('\n');
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

  private Settings options(String model, int maxConnections, long seed) {
    return Settings.NONE
        .with("model", model)
        .with("max_connections", maxConnections)
        .with("seed", seed)
        .with("log_dir", directory.resolve("logs"));
  }

  /** In the order in which they ended. */
  private static List<SampleResult> samples(Evaluation.Finished finished) throws IOException {
    List<SampleResult> samples = new ArrayList<>();
    try (var log = RunLogReader.open(finished.runs().getFirst().file().orElseThrow())) {
      for (var sample = log.sample(); sample.isPresent(); sample = log.sample()) {
        samples.add(sample.get());
      }
    }
    return samples;
  }

  private Evaluation.Finished run(Settings options) throws Exception {
    return time.run(() -> Evaluation.prepare(time, taskFile, options).run());
  }

  @Test
  void scoresEverySampleOnce() throws Exception {
    Evaluation.Finished finished = run(options("sim/x:accuracy=0.8,rpm=0", 10, 3));
    RunResult result = finished.result();
    assertThat(result.status()).isEqualTo(Status.SUCCESS);
    assertThat(result.samples()).isEqualTo(new RunResult.Counts(100, 100, 0, 0));
    assertThat(result.metrics().get("accuracy")).isBetween(0.7, 0.9);
    assertThat(result.metrics().get("stderr")).isBetween(0.03, 0.05);
    assertThat(samples(finished)).extracting(SampleResult::id).doesNotHaveDuplicates().hasSize(100);
    assertThat(result.tokens().output()).isPositive();
    assertThat(finished.runs().getFirst().file().orElseThrow()).exists();
  }

  @Test
  void theLogSaysWhatReducersMadeOfEachSample() throws Exception {
    Settings twice =
        options("sim/x:accuracy=0.5,rpm=0", 10, 3)
            .with("epochs", 2)
            .with("epochs_reducer", "mean,max");
    Evaluation.Finished finished = run(twice);
    var json = new StringWriter();
    EvalLogJson.write(finished.runs().getFirst().file().orElseThrow(), json, false, false);
    JsonNode reductions = new JsonMapper().readTree(json.toString()).path("reductions");
    assertThat(reductions.findValuesAsString("reducer")).containsExactly("mean", "max");
    for (JsonNode reduction : reductions) {
      assertThat(reduction.path("samples").size()).isEqualTo(100);
      double sum = 0;
      for (JsonNode sample : reduction.path("samples")) {
        sum += sample.path("value").asDouble();
      }
      String reducer = reduction.path("reducer").asString();
      assertThat(finished.result().scores())
          .filteredOn(metrics -> metrics.reducer().equals(reducer))
          .extracting(metrics -> metrics.metrics().get("accuracy"))
          .containsExactly(sum / 100);
    }
  }

  @Test
  void logsOfOneEpochSayWhatBecameOfEachSampleToo() throws Exception {
    Evaluation.Finished finished = run(options("sim/x:accuracy=0.5,rpm=0", 10, 3));
    try (var log = InspectLog.open(finished.runs().getFirst().file().orElseThrow())) {
      JsonNode reductions = new JsonMapper().readTree(log.reductionsJson().orElseThrow());
      assertThat(reductions.findValuesAsString("scorer")).containsExactly("includes");
      assertThat(reductions.findValuesAsString("reducer")).containsExactly("mean");
      Map<String, Double> values = new TreeMap<>();
      reductions
          .path(0)
          .path("samples")
          .forEach(
              sample ->
                  values.put(sample.path("sample_id").asString(), sample.path("value").asDouble()));
      Map<String, Double> scores = new TreeMap<>();
      samples(finished).forEach(sample -> scores.put(sample.id(), sample.score().orElseThrow()));
      assertThat(values).hasSize(100).isEqualTo(scores);
    }
  }

  @Test
  void argumentsAndTheEnvironmentReachTheTask() throws Exception {
    Files.writeString(
        taskFile, Files.readString(taskFile) + "vars: {many: 100}\nlimit: \"{{ many }}\"\n");
    Settings few = options("sim/x:accuracy=1,rpm=0", 10, 3).with("task_args", "many=7");
    assertThat(run(few).result().samples().scored()).isEqualTo(7);
  }

  @Test
  void theSeedAloneDecidesTheScores() throws Exception {
    String steady = "sim/x:accuracy=0.5,rpm=0";
    String hectic = "sim/x:accuracy=0.5,rpm=300,error-rate=0.1";
    Map<String, Double> first = scores(run(options(steady, 10, 3)));
    assertThat(scores(run(options(hectic, 40, 3)))).isEqualTo(first);
    assertThat(scores(run(options(steady, 10, 4)))).isNotEqualTo(first);
  }

  private static Map<String, Double> scores(Evaluation.Finished finished) throws IOException {
    Map<String, Double> scores = new TreeMap<>();
    samples(finished).forEach(sample -> scores.put(sample.id(), sample.score().orElseThrow()));
    return scores;
  }

  @Test
  void aRateLimitCostsRetriesAndTimeButNoSample() throws Exception {
    Evaluation.Finished finished = run(options("sim/x:rpm=60,burst=10,accuracy=1", 10, 3));
    RunResult result = finished.result();
    assertThat(result.samples().scored()).isEqualTo(100);
    assertThat(result.retries()).isPositive();
    assertThat(samples(finished))
        .extracting(SampleResult::retries)
        .anyMatch(retries -> retries > 0);
    // 100 requests of which 10 pass at once and then one each second; in a fixed window, those that
    // are refused again and again wait long in the end.
    Duration took = Duration.between(result.start().started(), result.ended());
    assertThat(took).isBetween(Duration.ofSeconds(90), Duration.ofMinutes(10));
  }

  @Test
  void waitingIsNotBookedAsLatency() throws Exception {
    List<SampleResult> samples = samples(run(options("sim/x:rpm=60,burst=10,latency=1s", 10, 3)));
    for (SampleResult sample : samples) {
      Times times = sample.times();
      assertThat(times.called()).isBetween(0.1, 6.0);
      assertThat(times.total())
          .isCloseTo(
              times.queued() + times.paced() + times.backedOff() + times.failed() + times.called(),
              org.assertj.core.api.Assertions.within(1e-6));
      assertThat(times.working())
          .isCloseTo(times.called(), org.assertj.core.api.Assertions.within(1e-6));
    }
    assertThat(samples).anyMatch(sample -> sample.times().backedOff() > 1);
  }

  @Test
  void aProviderThatRefusesForGoodEndsTheRunAndKeepsWhatIsDone() throws Exception {
    Evaluation.Finished finished = run(options("sim/x:rpm=0,credit=30", 5, 3));
    RunResult result = finished.result();
    assertThat(result.status()).isEqualTo(Status.ERROR);
    assertThat(result.error().orElseThrow()).contains("sim/x", "credit of 30 requests");
    assertThat(finished.runs().getFirst().refusal())
        .get()
        .isInstanceOf(Response.QuotaExhausted.class);
    assertThat(result.samples().scored()).isBetween(25, 30);
    assertThat(result.samples().failed()).isPositive();
    assertThat(samples(finished).stream().filter(sample -> !sample.cancelled()))
        .hasSize(result.samples().scored() + result.samples().failed());
    try (var log = RunLogReader.open(finished.runs().getFirst().file().orElseThrow())) {
      assertThat(log.end().orElseThrow().status()).isEqualTo(Status.ERROR);
    }
  }

  @Test
  void cancellingEndsTheRunAtOnceAndKeepsWhatIsDone() throws Exception {
    time.run(
        () -> {
          Evaluation evaluation =
              Evaluation.prepare(time, taskFile, options("sim/x:rpm=0,latency=10s", 5, 3));
          Task<Evaluation.Finished> running = time.start("evaluation", evaluation::run);
          time.sleep(Duration.ofSeconds(60));
          assertThat(evaluation.progress().getFirst().done()).isBetween(10, 60);
          assertThat(evaluation.progress().getFirst().lane().inFlight()).isEqualTo(5);
          running.cancel();
          long cancelled = time.nanos();
          RunResult result = running.join().result();
          // At once, but for what the disk takes.
          assertThat(time.nanos() - cancelled).isLessThan(100_000_000);
          assertThat(result.status()).isEqualTo(Status.CANCELLED);
          assertThat(result.samples().failed()).isZero();
          assertThat(result.samples().scored()).isBetween(10, 60);
          assertThat(result.samples().unfinished()).isEqualTo(100 - result.samples().scored());
          assertThat(running.join().runs().getFirst().file().orElseThrow()).exists();
        });
  }

  @Test
  void theLimitTakesTheFirstSamples() throws Exception {
    Settings options =
        Settings.NONE
            .with("limit", 7)
            .with("model_args", "latency=1ms")
            .orElse(options("sim/x", 5, 3));
    assertThat(samples(run(options)))
        .extracting(SampleResult::id)
        .containsExactlyInAnyOrder("1", "2", "3", "4", "5", "6", "7");
  }

  @Test
  void badInputWritesNothing() throws IOException {
    Path logs = directory.resolve("logs");
    for (String model : new String[] {"smi/x", "sim/x:accuracy=7", "nonsense"}) {
      assertThatExceptionOfType(ConfigurationException.class)
          .isThrownBy(() -> Evaluation.prepare(time, taskFile, options(model, 5, 3)));
    }
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Evaluation.prepare(time, taskFile, Settings.NONE))
        .withMessageContaining("no model is given");
    Settings tooMany = options("sim/x", 5, 3).with("epochs", Integer.MAX_VALUE);
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Evaluation.prepare(time, taskFile, tooMany))
        .withMessageContaining("samples × 2147483647 epochs are more than 10000000");
    assertThat(logs).doesNotExist();
  }

  @Test
  void aLogDirectoryThatGoesIsMadeAgainAndNothingIsCalledWithoutALog() throws Exception {
    Path logs = directory.resolve("logs");
    time.run(
        () -> {
          Evaluation evaluation = Evaluation.prepare(time, taskFile, options("sim/x:rpm=0", 50, 3));
          Files.delete(logs);
          assertThat(evaluation.run().runs().getFirst().file().orElseThrow()).exists();
        });
    time.run(
        () -> {
          Evaluation evaluation = Evaluation.prepare(time, taskFile, options("sim/x:rpm=0", 50, 3));
          try (var files = Files.list(logs)) {
            for (Path file : files.toList()) {
              Files.delete(file);
            }
          }
          Files.delete(logs);
          Files.createFile(logs);
          Evaluation.Finished finished = evaluation.run();
          assertThat(finished.runs().getFirst().file()).isEmpty();
          assertThat(finished.runs().getFirst().notWritten()).isPresent();
          // Nothing is called whose answer could not be kept.
          assertThat(finished.result().status()).isEqualTo(Status.ERROR);
          assertThat(finished.result().tokens()).isEqualTo(Tokens.NONE);
        });
  }

  @Test
  void anUnwritableLogDirectoryIsToldBeforeTheFirstCall() throws IOException {
    Files.createFile(directory.resolve("logs"));
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Evaluation.prepare(time, taskFile, options("sim/x", 5, 3)))
        .withMessageContaining("log directory")
        .withMessageContaining("--log-dir");
  }
}
