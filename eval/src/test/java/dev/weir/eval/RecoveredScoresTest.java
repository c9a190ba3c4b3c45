package dev.weir.eval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.dataset.Sample;
import dev.weir.eval.metric.Metric;
import dev.weir.eval.metric.Metrics;
import dev.weir.eval.metric.ScoredSample;
import dev.weir.eval.option.Settings;
import dev.weir.eval.scorer.Scorers;
import dev.weir.eval.solver.Solvers;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.log.EvalLogJson;
import dev.weir.log.LogFiles;
import dev.weir.log.LogRecovery;
import dev.weir.log.RunLog;
import dev.weir.log.RunLogReader;
import dev.weir.log.RunResult;
import dev.weir.log.RunResult.ModelUse;
import dev.weir.log.journal.JournalListener;
import dev.weir.time.Time;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the log of a killed run tells of its scores, beside what the run would have told. */
class RecoveredScoresTest {

  private static final Host HOST = new Host(Map.of(), Optional.empty(), (_, _) -> {});

  @TempDir Path directory;

  private final VirtualTime time = VirtualTime.seeded(1);

  private Evaluation.FinishedRun run(String metrics, Settings more) throws Exception {
    StringBuilder rows = new StringBuilder("id,input,target,topic\n");
    for (int i = 1; i <= 40; i++) {
      rows.append("q%d,Question %d?,answer%d,t%d\n".formatted(i, i, i, i % 4));
    }
    Files.writeString(directory.resolve("questions.csv"), rows);
    Path task =
        Files.writeString(
            directory.resolve("task.yaml"),
            """
            task: questions
            dataset: {file: questions.csv, fields: {metadata: [topic]}}
            solver: [generate]
            scorer: [includes, exact]
            metrics: %s
            """
                .formatted(metrics));
    Settings settings =
        more.with("model", "sim/x:accuracy=0.6,latency=1s,rpm=0,error-rate=0.2")
            .with("concurrency_mode", "static")
            .with("max_connections", 7)
            .with("max_retries", 1)
            .with("fail_on_error", "false")
            .with("seed", 3)
            .with("log_dir", directory.resolve("logs"));
    return time.run(() -> Evaluation.prepare(time, task, settings, HOST).run()).runs().getFirst();
  }

  /** The journal that such a run leaves that is killed after its last sample. */
  private Path killed(Path log) throws IOException, InterruptedException {
    try (var from = RunLogReader.open(log);
        var to =
            RunLog.begin(
                Time.system(), directory.resolve("killed"), from.start(), JournalListener.NONE)) {
      for (var next = from.logged(); next.isPresent(); next = from.logged()) {
        to.copy(next.get());
      }
      return to.file();
    }
  }

  private static RunResult end(Path log) throws IOException {
    try (var reader = RunLogReader.open(log)) {
      return reader.end().orElseThrow();
    }
  }

  private static JsonNode dumped(Path log) throws IOException {
    var json = new StringWriter();
    EvalLogJson.write(log, json, false, false);
    return new JsonMapper().readTree(json.toString());
  }

  @Test
  void aKilledRunTellsWhatItWouldHaveToldItself() throws Exception {
    Evaluation.FinishedRun finished =
        run(
            "[accuracy, stderr, std]",
            Settings.NONE.with("epochs", 3).with("epochs_reducer", "mean,at_least_2,pass_at_2"));
    RunResult told = finished.result();
    assertThat(told.samples().failed()).isPositive();
    assertThat(told.retries()).isPositive();
    Path whole = finished.file().orElseThrow();
    Path journal = killed(whole);
    JsonNode reductions = dumped(whole).path("reductions");
    assertThat(reductions.size()).isEqualTo(6);
    assertThat(dumped(journal).path("reductions")).isEqualTo(reductions);
    assertThat(LogFiles.result(journal).orElseThrow().scores()).isEqualTo(told.scores());

    Path recovered = LogRecovery.recover(journal, true).log().orElseThrow();
    assertThat(dumped(recovered).path("reductions")).isEqualTo(reductions);
    RunResult counted = end(recovered);
    assertThat(counted.scores()).isEqualTo(told.scores());
    assertThat(counted.scores().getFirst().metrics()).containsKeys("accuracy", "stderr", "std");
    assertThat(counted.scores().getFirst().interval()).isPresent();
    assertThat(counted.metrics()).isEqualTo(told.metrics());
    assertThat(counted.accuracyOverAll()).isEqualTo(told.accuracyOverAll());
    assertThat(counted.samples()).isEqualTo(told.samples());
    assertThat(counted.tokens()).isEqualTo(told.tokens());
    assertThat(counted.retries()).isEqualTo(told.retries());
    assertThat(counted.limits()).isEqualTo(told.limits());
    ModelUse use = counted.models().getFirst();
    assertThat(use.tokens()).isEqualTo(told.models().getFirst().tokens());
    assertThat(use.retries()).isEqualTo(told.models().getFirst().retries());
    assertThat(use.calls()).isEqualTo(told.models().getFirst().calls());
    // Samples that ended well are not read, the others are: both count.
    assertThat(counted.ended()).isBetween(told.ended().minusSeconds(3), told.ended());
    assertThat(counted.status()).isEqualTo(RunResult.Status.ERROR);
  }

  /** Groups and clusters are in what samples know beside their scores. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "[accuracy, stderr, {grouped: {metric: accuracy, group_key: topic}}]",
        "[accuracy, {stderr: {cluster: topic}}]",
        "[mean, {ci: {level: 0.8}}, {bootstrap_stderr: {num_samples: 50, seed: 4}}]",
        "[mean, {grouped: {metric: {ci: {level: 0.9, cluster: topic}}, group_key: topic}}]"
      })
  void groupsAndClustersAndWhatMetricsWereGivenAreToldToo(String metrics) throws Exception {
    Evaluation.FinishedRun finished = run(metrics, Settings.NONE.with("epochs", 2));
    Path journal = killed(finished.file().orElseThrow());
    RunResult counted = end(LogRecovery.recover(journal, true).log().orElseThrow());
    assertThat(counted.scores()).isEqualTo(finished.result().scores());
    assertThat(counted.scores().getFirst().metrics()).hasSizeGreaterThan(1);
    assertThat(counted.error().orElseThrow()).doesNotContain("Not told here");
    assertThat(counted.models().getFirst().calls())
        .isEqualTo(finished.result().models().getFirst().calls());
  }

  @Test
  void whatFailedIsZeroOverAllThoughItHasAScore() throws Exception {
    TaskDefinition task =
        TaskDefinition.named("questions")
            .dataset(new Sample("q1", "a", "a"), new Sample("q2", "b", "b"))
            .solver(Solvers.generate())
            .solver(
                (state, _) -> {
                  if (state.sample().id().equals("q2")) {
                    throw new IllegalStateException("broken");
                  }
                })
            .scorer("exact", Scorers.exact())
            .build();
    Settings settings =
        Settings.NONE
            .with("model", "sim/x:accuracy=1,latency=1ms,rpm=0")
            .with("score_on_error", true)
            .with("fail_on_error", false)
            .with("log_dir", directory.resolve("logs"));
    Evaluation.FinishedRun finished =
        time.run(() -> Evaluation.prepare(time, List.of(task), settings, HOST).run())
            .runs()
            .getFirst();
    assertThat(finished.result().metrics()).containsEntry("accuracy", 1.0);
    assertThat(finished.result().accuracyOverAll()).contains(0.5);
    Path journal = killed(finished.file().orElseThrow());
    RunResult counted = end(LogRecovery.recover(journal, true).log().orElseThrow());
    assertThat(counted.metrics()).containsEntry("accuracy", 1.0);
    assertThat(counted.accuracyOverAll()).contains(0.5);
  }

  @Test
  void whatOnlyAProgramKnowsIsNamed() throws Exception {
    Metric best =
        new Metric() {
          @Override
          public String name() {
            return "best";
          }

          @Override
          public Map<String, Double> compute(List<ScoredSample> samples) {
            return Map.of("best", 1.0);
          }
        };
    TaskDefinition task =
        TaskDefinition.named("questions")
            .dataset(new Sample("q1", "a", "a"), new Sample("q2", "b", "c"))
            .solver(Solvers.generate())
            .scorer("exact", Scorers.exact(), best, Metrics.of("mean", Map.of()))
            .build();
    Settings settings =
        Settings.NONE
            .with("model", "sim/x:accuracy=1,latency=1ms,rpm=0")
            .with("log_dir", directory.resolve("logs"));
    Evaluation.FinishedRun finished =
        time.run(() -> Evaluation.prepare(time, List.of(task), settings, HOST).run())
            .runs()
            .getFirst();
    Path journal = killed(finished.file().orElseThrow());
    RunResult counted = end(LogRecovery.recover(journal, true).log().orElseThrow());
    assertThat(counted.scores().getFirst().metrics()).containsOnlyKeys("mean");
    assertThat(counted.error().orElseThrow())
        .endsWith(". Not told here, since only the program knows it: best of exact");
  }
}
