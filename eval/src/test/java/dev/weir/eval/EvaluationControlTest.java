package dev.weir.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.EvaluationControl.By;
import dev.weir.eval.EvaluationControl.RunState;
import dev.weir.eval.option.Settings;
import dev.weir.eval.run.ModelProgress;
import dev.weir.eval.run.OpenSample;
import dev.weir.eval.run.Pause;
import dev.weir.log.RunLogReader;
import dev.weir.log.RunResult;
import dev.weir.log.RunResult.Status;
import dev.weir.log.SampleResult;
import dev.weir.model.ConfigurationException;
import dev.weir.time.Task;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.zip.ZipFile;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What somebody does to an evaluation while it runs, on virtual time. */
class EvaluationControlTest {

  private static final By ANN = new By("ann", Optional.of("because"));

  @TempDir Path directory;

  private final VirtualTime time = VirtualTime.seeded(1);
  private Path taskFile = Path.of("");

  @BeforeEach
  void writeTask() throws IOException {
    StringBuilder rows = new StringBuilder("id,input,target\n");
    for (int i = 1; i <= 40; i++) {
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

  private Evaluation evaluation(String model, Object... more) {
    Settings settings =
        Settings.NONE
            .with("model", model)
            .with("seed", 1)
            .with("log_dir", directory.resolve("logs"));
    for (int i = 0; i < more.length; i += 2) {
      settings = settings.with(more[i].toString(), more[i + 1]);
    }
    return Evaluation.prepare(time, taskFile, settings);
  }

  private interface Intervention {
    void act(EvaluationControl control) throws Exception;
  }

  /** Runs to the end, and acts after so many seconds. */
  private Evaluation.Finished run(Evaluation evaluation, int seconds, Intervention intervention)
      throws Exception {
    return time.run(
        () -> {
          Task<Evaluation.Finished> running = time.start("evaluation", evaluation::run);
          time.sleep(Duration.ofSeconds(seconds));
          intervention.act(evaluation.control());
          return running.join();
        });
  }

  private static RunState only(EvaluationControl control) {
    return control.runs(100).getFirst();
  }

  private static ModelProgress model(EvaluationControl control) {
    return control.models().getFirst();
  }

  private static String updates(Evaluation.Finished finished) throws IOException {
    return updates(finished.runs().getFirst().file().orElseThrow());
  }

  private static String updates(Path log) throws IOException {
    try (var zip = new ZipFile(log.toFile());
        InputStream header = zip.getInputStream(zip.getEntry("header.json"))) {
      String json = new String(header.readAllBytes(), StandardCharsets.UTF_8);
      int begin = json.indexOf("\"config_updates\"");
      return begin < 0 ? "" : json.substring(begin);
    }
  }

  private static SampleResult sample(Evaluation.Finished finished, String id) throws IOException {
    try (var log = RunLogReader.open(finished.runs().getFirst().file().orElseThrow())) {
      for (var sample = log.sample(); sample.isPresent(); sample = log.sample()) {
        if (sample.get().id().equals(id)) {
          return sample.get();
        }
      }
    }
    throw new AssertionError("no sample " + id);
  }

  @Test
  void aWiderWindowIsUsedAtOnceAndRecorded() throws Exception {
    Evaluation evaluation = evaluation("sim/x:accuracy=1,latency=10s,rpm=0", "max_connections", 2);
    Evaluation.Finished finished =
        run(
            evaluation,
            5,
            control -> {
              assertThat(model(control).lane().inFlight()).isEqualTo(2);
              String now =
                  control.retune(Optional.empty(), Settings.NONE.with("max_connections", 20), ANN);
              assertThat(now).isEqualTo("static, at most 20 in flight");
              time.sleep(Duration.ofSeconds(1));
              assertThat(model(control).lane().window()).isEqualTo(20);
              assertThat(model(control).lane().inFlight()).isEqualTo(20);
            });
    assertThat(finished.result().samples().scored()).isEqualTo(40);
    assertThat(finished.result().seconds()).isLessThan(40);
    assertThat(updates(finished))
        .contains(
            "\"concurrency\"", "limits of sim/x", "at most 2 in flight", "at most 20 in flight")
        .contains("\"ann\"", "\"because\"");
  }

  @Test
  void theModeCanBeChangedInMidRun() throws Exception {
    Evaluation evaluation = evaluation("sim/x:accuracy=1,latency=2s,rpm=0", "max_connections", 1);
    Evaluation.Finished finished =
        run(
            evaluation,
            5,
            control -> {
              control.retune(
                  Optional.of("sim/x:accuracy=1,latency=2s,rpm=0"),
                  Settings.NONE.with("concurrency_mode", "pace").with("rpm", 600),
                  ANN);
              assertThat(control.mode("sim/x:accuracy=1,latency=2s,rpm=0")).contains("pace");
            });
    assertThat(finished.result().samples().scored()).isEqualTo(40);
    // One at a time, it would have taken 80 s.
    assertThat(finished.result().seconds()).isLessThan(40);
  }

  @Test
  void aRateBoundsAFixedWindowToo() throws Exception {
    Evaluation evaluation = evaluation("sim/x:accuracy=1,latency=10s,rpm=0", "max_connections", 20);
    Evaluation.Finished finished =
        run(
            evaluation,
            1,
            control ->
                assertThat(control.retune(Optional.empty(), Settings.NONE.with("rpm", 12), ANN))
                    .isEqualTo("static, at most 20 in flight, 12 requests per minute"));
    assertThat(finished.result().samples().scored()).isEqualTo(40);
    // The first 20 are out when it is changed; then one goes every 5 s.
    assertThat(finished.result().seconds()).isGreaterThan(90);
  }

  @Test
  void limitsThatMeanNothingAreRefused() throws Exception {
    Evaluation evaluation = evaluation("sim/x:latency=1s,rpm=0", "max_connections", 2);
    run(
        evaluation,
        1,
        control -> {
          refused(() -> control.retune(Optional.empty(), Settings.NONE, ANN))
              .withMessageContaining("no limit is given");
          refused(
                  () ->
                      control.retune(
                          Optional.of("sim/y:latency=1s,rpm=0"),
                          Settings.NONE.with("max_connections", 5),
                          ANN))
              .withMessageContaining("no model 'sim/y")
              .withMessageContaining("sim/x");
        });
  }

  private static ThrowableAssertAlternative<ConfigurationException> refused(ThrowingCallable act) {
    return assertThatExceptionOfType(ConfigurationException.class).isThrownBy(act);
  }

  @Test
  void aPauseFinishesWhatRunsAndBeginsNothing() throws Exception {
    Evaluation evaluation = evaluation("sim/x:accuracy=1,latency=10s,rpm=0", "max_connections", 2);
    Evaluation.Finished finished =
        run(
            evaluation,
            5,
            control -> {
              control.pause(Pause.SAMPLES, ANN);
              int running = only(control).progress().running();
              assertThat(running).isPositive();
              time.sleep(Duration.ofMinutes(30));
              assertThat(only(control).progress().running()).isZero();
              assertThat(only(control).progress().scored()).isEqualTo(running);
              assertThat(only(control).pause()).isEqualTo(Pause.SAMPLES);
              control.pause(Pause.NONE, ANN);
            });
    assertThat(finished.result().status()).isEqualTo(Status.SUCCESS);
    assertThat(finished.result().samples().scored()).isEqualTo(40);
    assertThat(updates(finished)).contains("\"pause\"", "\"samples\"", "\"none\"");
  }

  @Test
  void aPauseOfCallsHoldsThemAndTheirTimeIsNotWorking() throws Exception {
    Files.writeString(
        taskFile,
        """
        task: questions
        dataset: questions.csv
        solver: [generate, {user_message: "Are you sure?"}, generate]
        scorer: includes
        limit: 2
        working_limit: 60s
        """);
    Evaluation evaluation = evaluation("sim/x:accuracy=1,latency=10s,rpm=0", "max_connections", 2);
    Evaluation.Finished finished =
        run(
            evaluation,
            5,
            control -> {
              control.pause(Pause.CALLS, ANN);
              time.sleep(Duration.ofMinutes(10));
              // Their first calls were in flight, and their second ones are held.
              assertThat(only(control).progress().running()).isEqualTo(2);
              assertThat(model(control).lane().inFlight()).isZero();
              control.pause(Pause.NONE, ANN);
            });
    assertThat(finished.result().samples().scored()).isEqualTo(2);
    assertThat(finished.result().limits()).isEmpty();
    assertThat(finished.result().seconds()).isGreaterThan(600);
  }

  @Test
  void aPauseOfCallsHoldsThoseThatWaitInALane() throws Exception {
    Evaluation evaluation = evaluation("sim/x:accuracy=1,latency=10s,rpm=0", "max_connections", 2);
    Evaluation.Finished finished =
        run(
            evaluation,
            5,
            control -> {
              assertThat(model(control).lane().inFlight()).isEqualTo(2);
              assertThat(model(control).lane().waiting()).isPositive();
              int waiting = model(control).lane().waiting();
              control.pause(Pause.CALLS, ANN);
              time.sleep(Duration.ofMinutes(10));
              assertThat(only(control).progress().scored()).isEqualTo(2);
              assertThat(only(control).progress().paused()).contains("calls are held");
              assertThat(model(control).lane().inFlight()).isZero();
              assertThat(model(control).lane().waiting()).isEqualTo(waiting);
              control.pause(Pause.NONE, ANN);
              time.sleep(Duration.ofSeconds(1));
              assertThat(model(control).lane().inFlight()).isEqualTo(2);
              assertThat(only(control).progress().paused()).isEmpty();
            });
    assertThat(finished.result().samples().scored()).isEqualTo(40);
    assertThat(updates(finished)).contains("\"eval\"").doesNotContain("\"concurrency\"");
  }

  @Test
  void aRunThatIsHeldCanBeCancelled() throws Exception {
    Evaluation evaluation = evaluation("sim/x:latency=10s,rpm=0", "max_connections", 2);
    Evaluation.Finished finished =
        run(
            evaluation,
            5,
            control -> {
              control.pause(Pause.CALLS, ANN);
              time.sleep(Duration.ofMinutes(1));
              control.cancel(new By("ann", Optional.empty()));
            });
    assertThat(finished.result().status()).isEqualTo(Status.CANCELLED);
    assertThat(finished.result().stopped()).isEmpty();
    assertThat(updates(finished)).contains("\"cancelled\"");
  }

  @Test
  void aSampleThatIsEndedIsScoredAsItStands() throws Exception {
    Evaluation evaluation = evaluation("sim/x:accuracy=1,latency=10s,rpm=0", "max_connections", 2);
    Evaluation.Finished finished =
        run(
            evaluation,
            5,
            control -> {
              OpenSample oldest = only(control).oldest().getFirst();
              assertThat(oldest.id()).isEqualTo("s1");
              assertThat(oldest.age()).isBetween(Duration.ofSeconds(4), Duration.ofSeconds(5));
              end(control, "s1", false);
              time.sleep(Duration.ofSeconds(1));
              assertThat(only(control).progress().scored()).isEqualTo(1);
            });
    assertThat(finished.result().status()).isEqualTo(Status.SUCCESS);
    assertThat(finished.result().samples()).isEqualTo(new RunResult.Counts(40, 40, 0, 0));
    SampleResult ended = sample(finished, "s1");
    assertThat(ended.score()).contains(0.0);
    assertThat(ended.limit().orElseThrow().type()).isEqualTo("operator");
    assertThat(ended.limit().orElseThrow().message()).contains("ann", "because");
    assertThat(finished.result().limits()).containsEntry("operator", 1);
    assertThat(updates(finished)).contains("sample s1", "scored as it stands");
  }

  @Test
  void aSampleCanBeEndedAsAnErrorAndTheOthersGoOn() throws Exception {
    Evaluation evaluation =
        evaluation("sim/x:accuracy=1,latency=10s,rpm=0", "max_connections", 2, "retry_on_error", 3);
    Evaluation.Finished finished = run(evaluation, 5, control -> end(control, "s2", true));
    assertThat(finished.result().samples()).isEqualTo(new RunResult.Counts(40, 39, 1, 0));
    SampleResult ended = sample(finished, "s2");
    assertThat(ended.error()).contains("ended early by ann: because");
    assertThat(ended.limit()).isEmpty();
    assertThat(ended.errorRetries()).isEmpty();
  }

  @Test
  void aCancelledRunIsCancelledEvenIfASampleWasEndedAsAnError() throws Exception {
    for (boolean isControlled : List.of(true, false)) {
      Evaluation evaluation =
          evaluation("sim/x:accuracy=1,latency=10s,rpm=0", "max_connections", 2);
      RunResult result =
          time.run(
                  () -> {
                    Task<Evaluation.Finished> running = time.start("evaluation", evaluation::run);
                    time.sleep(Duration.ofSeconds(5));
                    end(evaluation.control(), "s2", true);
                    time.sleep(Duration.ofSeconds(10));
                    if (isControlled) {
                      evaluation.control().cancel(ANN);
                    } else {
                      running.cancel();
                    }
                    return running.join();
                  })
              .result();
      assertThat(result.status()).isEqualTo(Status.CANCELLED);
      assertThat(result.error()).isEmpty();
      assertThat(result.samples().failed()).isEqualTo(1);
      assertThat(result.samples().unfinished()).isPositive();
    }
  }

  @Test
  void aSampleWithALimitOfTimeCanBeEndedToo() throws Exception {
    Evaluation evaluation =
        evaluation("sim/x:accuracy=1,latency=10s,rpm=0", "max_connections", 2, "time_limit", "1h");
    Evaluation.Finished finished = run(evaluation, 5, control -> end(control, "s2", false));
    assertThat(finished.result().samples().scored()).isEqualTo(40);
    assertThat(sample(finished, "s2").limit().orElseThrow().type()).isEqualTo("operator");
  }

  @Test
  void onlyWhatRunsCanBeEndedAndOnlyOnce() throws Exception {
    Evaluation evaluation = evaluation("sim/x:latency=10s,rpm=0", "max_connections", 2);
    run(
        evaluation,
        5,
        control -> {
          refused(() -> end(control, "s40", false)).withMessageContaining("no sample 's40' runs");
          end(control, "s1", false);
          // It is about to end, or has by now: both are refused.
          refused(() -> end(control, "s1", false))
              .withMessageMatching(".*(has ended|no sample 's1' runs).*");
        });
  }

  @Test
  void ofSeveralModelsOneMustBeNamed() throws Exception {
    Evaluation evaluation =
        evaluation("sim/x,sim/y", "model_args", "latency=10s,rpm=0", "max_connections", 2);
    Evaluation.Finished finished =
        run(
            evaluation,
            5,
            control -> {
              refused(() -> end(control, "s1", false)).withMessageContaining("--task or --model");
              refused(
                      () ->
                          control.retune(
                              Optional.empty(), Settings.NONE.with("max_connections", 3), ANN))
                  .withMessageContaining("sim/x, sim/y");
              control.endSample(
                  "s1", Optional.of(1), Optional.empty(), Optional.of("sim/y"), false, ANN);
            });
    assertThat(finished.runs().get(0).result().limits()).isEmpty();
    assertThat(finished.runs().get(1).result().limits()).containsEntry("operator", 1);
  }

  @Test
  void changesOfTheLimitsOfAGraderAreInTheLogToo() throws Exception {
    Files.writeString(
        taskFile,
        Files.readString(taskFile).replace("scorer: includes", "scorer: model_graded_qa"));
    Evaluation evaluation =
        evaluation(
            "sim/x:latency=1s,rpm=0",
            "model_role",
            "grader=sim/g",
            "max_connections",
            2,
            "fail_on_error",
            "false");
    Evaluation.Finished finished =
        run(
            evaluation,
            5,
            control ->
                control.retune(
                    Optional.of("sim/g"), Settings.NONE.with("max_connections", 7), ANN));
    try (var zip = new ZipFile(finished.runs().getFirst().file().orElseThrow().toFile());
        InputStream header = zip.getInputStream(zip.getEntry("header.json"))) {
      String json = new String(header.readAllBytes(), StandardCharsets.UTF_8);
      String history = json.substring(json.indexOf("\"connection_limit_history\""));
      assertThat(history).contains("\"sim/g\"", "manual");
    }
  }

  @Test
  void whatWasDoneBeforeARunBeganIsInItsLog() throws Exception {
    Evaluation evaluation =
        evaluation(
            "sim/x,sim/y", "model_args", "latency=1s,rpm=0", "max_connections", 9, "max_tasks", 1);
    Evaluation.Finished finished =
        run(
            evaluation,
            1,
            control -> {
              control.pause(Pause.SAMPLES, ANN);
              control.pause(Pause.NONE, ANN);
            });
    Path second = finished.runs().get(1).file().orElseThrow();
    assertThat(updates(second)).contains("\"pause\"", "\"samples\"", "\"ann\"");
  }

  @Test
  void flushingTellsWhatIsOnTheDisk() throws Exception {
    Evaluation evaluation = evaluation("sim/x:accuracy=1,latency=10s,rpm=0", "max_connections", 2);
    run(
        evaluation,
        25,
        control -> {
          EvaluationControl.Durable durable = control.flush(ANN).getFirst();
          assertThat(durable.samples()).isPositive();
          // The start, the samples and the flush itself; and changes of windows, if there were any.
          assertThat(durable.records()).isGreaterThanOrEqualTo(2 + durable.samples());
          assertThat(durable.log()).exists();
        });
  }

  private static void end(EvaluationControl control, String sample, boolean asError) {
    control.endSample(sample, Optional.empty(), Optional.empty(), Optional.empty(), asError, ANN);
  }
}
