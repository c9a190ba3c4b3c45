package dev.weir.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.weir.eval.option.Settings;
import dev.weir.eval.run.ModelProgress;
import dev.weir.eval.run.RunProgress;
import dev.weir.limits.event.Constraint;
import dev.weir.limits.header.Dimension;
import dev.weir.log.RunResult;
import dev.weir.log.RunResult.LimitedBy;
import dev.weir.log.RunResult.ModelUse;
import dev.weir.time.Task;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is known of models while they are asked, and afterwards. */
class ModelProgressTest {

  @TempDir Path directory;
  private Path task = Path.of("");
  private final VirtualTime time = VirtualTime.seeded(1);

  @BeforeEach
  void writeTask() throws IOException {
    StringBuilder rows = new StringBuilder("input,target\n");
    for (int i = 1; i <= 400; i++) {
      rows.append("Question ").append(i).append("?,answer").append(i).append('\n');
    }
    Files.writeString(directory.resolve("questions.csv"), rows);
    task =
        Files.writeString(
            directory.resolve("task.yaml"),
            """
            task: questions
            dataset: questions.csv
            solver: [generate]
            scorer: includes
            """);
  }

  private Settings options(String model) {
    return Settings.NONE
        .with("model", model)
        .with("seed", 3)
        .with("log_dir", directory.resolve("logs"));
  }

  private record Seen(RunProgress run, ModelProgress model, RunResult result) {}

  /** Looks at a run after a while. */
  private Seen after(Duration wait, Settings options) throws Exception {
    return time.run(
        () -> {
          Evaluation evaluation = Evaluation.prepare(time, task, options);
          Task<Evaluation.Finished> running = time.start("evaluation", evaluation::run);
          time.sleep(wait);
          List<ModelProgress> models = evaluation.models();
          RunProgress run = evaluation.progress().getFirst();
          assertThat(models).hasSize(1);
          return new Seen(run, models.getFirst(), running.join().result());
        });
  }

  private static ModelProgress.Rate requests(ModelProgress model) {
    return model.rates().stream()
        .filter(rate -> rate.dimension() == Dimension.REQUESTS)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void theRateIsToldAgainstTheQuotaThatIsKnown() throws Exception {
    Seen seen =
        after(Duration.ofSeconds(60), options("sim/x:accuracy=1,latency=1s,rpm=120,burst=10"));
    ModelProgress model = seen.model();
    assertThat(requests(model).quota()).hasValueCloseTo(120.0, offset(10.0));
    assertThat(requests(model).perMinute()).isBetween(110.0, 140.0);
    assertThat(model.waitingFor().constraint()).isIn(Constraint.QUOTA, Constraint.PACE);
    assertThat(model.waitsFor().orElseThrow()).isLessThan(Duration.ofSeconds(2));
    assertThat(model.waitingFor().dimension()).contains(Dimension.REQUESTS);
    assertThat(model.lane().waiting()).isPositive();
  }

  /** Headers that name what a bucket holds say less than the option allows per minute. */
  @ParameterizedTest
  @ValueSource(strings = {"static", "aimd", "halving"})
  void aCeilingThatLimitsIsNamedWhateverHeadersSay(String mode) throws Exception {
    Seen seen =
        after(
            Duration.ofSeconds(30),
            options("sim/x:accuracy=1,latency=200ms,rpm=600,burst=20")
                .with("concurrency_mode", mode)
                .with("rpm", 60));
    ModelProgress model = seen.model();
    assertThat(model.waitingFor().constraint()).isEqualTo(Constraint.PACE);
    assertThat(requests(model).isGiven()).isTrue();
    assertThat(requests(model).quota()).hasValue(60.0);
    assertThat(requests(model).perMinute()).isLessThan(40.0);
  }

  @Test
  void refusalsAreCountedAndTheLastIsNamed() throws Exception {
    Seen seen =
        after(
            Duration.ofSeconds(5),
            options("sim/x:accuracy=1,latency=1s,rpm=600,burst=10").with("max_connections", 40));
    assertThat(seen.model().refusals()).isPositive();
    assertThat(seen.model().lastFailure()).contains("rate limited");
  }

  private LimitedBy limitedBy(Settings options) throws Exception {
    Seen seen = after(Duration.ofSeconds(1), options);
    return seen.result().models().getFirst().limitedBy().orElseThrow();
  }

  private double seconds(Settings options) throws Exception {
    return after(Duration.ofSeconds(1), options).result().seconds();
  }

  @Test
  void theResultSaysWhatLimitedTheRun() throws Exception {
    LimitedBy quota = limitedBy(options("sim/x:accuracy=1,latency=1s,rpm=120,burst=10"));
    assertThat(quota.limit()).isEqualTo("requests per minute");
    assertThat(quota.doubling()).contains("the tier");
    assertThat(quota.share()).isGreaterThan(0.9);
    LimitedBy option = limitedBy(options("sim/x:accuracy=1,latency=1s,rpm=0").with("rpm", 120));
    assertThat(option.limit()).isEqualTo("requests per minute (--rpm)");
    assertThat(option.doubling()).contains("--rpm");
    LimitedBy window =
        limitedBy(options("sim/x:accuracy=1,latency=1s,rpm=0").with("max_connections", 5));
    assertThat(window.limit()).isEqualTo("calls in flight (--max-connections)");
    assertThat(window.share()).isGreaterThan(0.9);
    LimitedBy samples =
        limitedBy(options("sim/x:accuracy=1,latency=1s,rpm=0").with("max_samples", 5));
    assertThat(samples.limit()).isEqualTo("samples open at once (--max-samples)");
    assertThat(samples.share()).isGreaterThan(0.9);
  }

  /** The report says that twice as much saves half of the time that was waited. */
  @Test
  void twiceTheTierSavesWhatTheReportSays() throws Exception {
    var slow = options("sim/x:accuracy=1,latency=1s,rpm=120,burst=10");
    var fast = options("sim/x:accuracy=1,latency=1s,rpm=240,burst=10");
    double saved = seconds(slow) - seconds(fast);
    assertThat(limitedBy(slow).savedSeconds().orElseThrow()).isCloseTo(saved, withinPercentage(10));
  }

  @Test
  void aRunThatNothingHeldUpIsLimitedByNothing() throws Exception {
    Seen seen =
        after(
            Duration.ofSeconds(1),
            options("sim/x:accuracy=1,latency=30s,rpm=0,burst=400").with("limit", 5));
    assertThat(seen.result().models().getFirst().limitedBy()).isEmpty();
  }

  @Test
  void aFixedWindowGetsASuggestion() throws Exception {
    Seen seen =
        after(
            Duration.ofSeconds(5),
            options("sim/x:accuracy=1,latency=2s,rpm=600,burst=100").with("max_connections", 40));
    // 600 per minute of about 2 s each are 20 in flight.
    ModelUse use = seen.result().models().getFirst();
    assertThat(use.suggestedMaxConnections().orElseThrow()).isBetween(17, 25);
    assertThat(use.role()).isEqualTo("evaluated");
    assertThat(use.calls()).isEqualTo(400);
    assertThat(use.tokens()).isEqualTo(seen.result().tokens());
    Seen paced = after(Duration.ofSeconds(5), options("sim/x:accuracy=1,latency=2s,rpm=600"));
    assertThat(paced.result().models().getFirst().suggestedMaxConnections()).isEmpty();
  }

  @Test
  void scoresHaveIntervalsAndFailuresAreListed() throws Exception {
    RunResult result =
        after(
                Duration.ofSeconds(1),
                options("sim/x:accuracy=0.5,latency=1s,rpm=0,error-rate=0.2")
                    .with("max_retries", 0)
                    .with("fail_on_error", "false"))
            .result();
    assertThat(result.samples().failed()).isGreaterThan(5);
    assertThat(result.failures()).hasSize(5).allMatch(failure -> !failure.error().isEmpty());
    RunResult.Range interval = result.scores().getFirst().interval().orElseThrow();
    double accuracy = Optional.ofNullable(result.metrics().get("accuracy")).orElseThrow();
    assertThat(interval.low()).isBetween(accuracy - 0.07, accuracy - 0.03);
    assertThat(interval.high()).isBetween(accuracy + 0.03, accuracy + 0.07);
    assertThat(result.limits()).isEmpty();
  }

  @Test
  void samplesEndedByLimitsAreCountedByType() throws Exception {
    RunResult result =
        after(
                Duration.ofSeconds(1),
                options("sim/x:accuracy=1,latency=1s,rpm=0").with("token_limit", 1))
            .result();
    assertThat(result.limits()).isEqualTo(Map.of("token", 400));
  }
}
