package dev.weir.eval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.dataset.Sample;
import dev.weir.eval.metric.Metric;
import dev.weir.eval.metric.ScoredSample;
import dev.weir.eval.option.Settings;
import dev.weir.eval.run.RunProgress;
import dev.weir.eval.sample.SampleLimitExceededException;
import dev.weir.eval.scorer.Scorers;
import dev.weir.eval.solver.Solver;
import dev.weir.eval.solver.Solvers;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.log.RunLogReader;
import dev.weir.log.RunResult;
import dev.weir.log.RunResult.Status;
import dev.weir.log.SampleResult;
import dev.weir.log.SampleResult.LimitHit;
import dev.weir.model.Message;
import dev.weir.time.Task;
import dev.weir.time.virtual.VirtualTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several tasks in one evaluation, and what their logs say. */
class RunsTogetherTest {

  @TempDir Path directory;

  private final VirtualTime time = VirtualTime.seeded(1);

  private static TaskDefinition.Builder task(String name, int samples, Solver solver) {
    return TaskDefinition.named(name)
        .dataset(
            IntStream.rangeClosed(1, samples)
                .mapToObj(i -> new Sample("s" + i, "Question " + i + "?", "answer" + i))
                .toArray(Sample[]::new))
        .solver(solver);
  }

  private Settings settings(String model) {
    return Settings.NONE
        .with("model", model)
        .with("seed", 1)
        .with("log_dir", directory.resolve("logs"));
  }

  private Evaluation.Finished run(Settings settings, TaskDefinition... tasks) throws Exception {
    Host host = Host.process();
    return time.run(() -> Evaluation.prepare(time, List.of(tasks), settings, host).run());
  }

  private record Broken() implements Metric {
    @Override
    public String name() {
      return "broken";
    }

    @Override
    public Map<String, Double> compute(List<ScoredSample> samples) {
      throw new IllegalStateException("cannot count");
    }
  }

  @Test
  void eachRunTellsTheCallsThatAreItsOwn() throws Exception {
    TaskDefinition one = task("one", 8, Solvers.generate()).scorer(Scorers.includes()).build();
    TaskDefinition two = task("two", 3, Solvers.generate()).scorer(Scorers.includes()).build();
    time.run(
        () -> {
          Evaluation evaluation =
              Evaluation.prepare(
                  time,
                  List.of(one, two),
                  settings("sim/x:rpm=0,latency=1h").with("max_connections", 20),
                  Host.process());
          Task<Evaluation.Finished> running = time.start("evaluation", evaluation::run);
          time.sleep(Duration.ofMinutes(1));
          assertThat(evaluation.progress()).map(RunProgress::inFlight).containsExactly(8, 3);
          assertThat(evaluation.progress()).allMatch(run -> run.lane().inFlight() == 11);
          running.cancel();
          running.join();
        });
  }

  @Test
  void aRunThatBreaksIsToldForItselfAndEndsNoOther() throws Exception {
    TaskDefinition broken =
        task("broken", 5, Solvers.generate()).scorer(Scorers.includes(), new Broken()).build();
    TaskDefinition fine = task("fine", 5, Solvers.generate()).scorer(Scorers.includes()).build();
    Evaluation.Finished finished = run(settings("sim/x:rpm=0"), broken, fine);
    assertThat(finished.runs())
        .extracting(run -> run.result().status())
        .containsExactly(Status.ERROR, Status.SUCCESS);
    assertThat(finished.result().error().orElseThrow()).contains("metrics", "cannot count");
    // What was paid for is there, in both logs.
    for (Evaluation.FinishedRun run : finished.runs()) {
      try (var log = RunLogReader.open(run.file().orElseThrow())) {
        int samples = 0;
        while (log.sample().isPresent()) {
          samples++;
        }
        assertThat(samples).isEqualTo(5);
        assertThat(log.end().orElseThrow().status()).isEqualTo(run.result().status());
        assertThat(log.damage()).isEmpty();
      }
    }
  }

  /** The quota belongs to the provider: two tasks that use it have it once. */
  @Test
  void tasksAndRolesShareTheQuotaOfASimulatedModel() throws Exception {
    Solver both =
        (state, context) -> {
          state.generate(context.model());
          state.generate(context.role("critic"));
        };
    TaskDefinition one = task("one", 200, Solvers.generate()).scorer(Scorers.includes()).build();
    TaskDefinition two = task("two", 100, both).scorer(Scorers.includes()).build();
    String model = "sim/x:rpm=120,burst=3";
    Evaluation.Finished finished =
        run(settings(model).with("model_role", "critic=" + model), one, two);
    double seconds =
        finished.runs().stream().mapToDouble(run -> run.result().seconds()).max().orElseThrow();
    // 400 requests, two in a second.
    assertThat(seconds).isGreaterThan(195);
  }

  /** The samples of one ask twenty things at once; both tasks have the same name. */
  @Test
  void tasksOfOneNameShareAModelFairly() throws Exception {
    Solver greedy =
        (_, context) -> {
          List<Task<?>> calls = new ArrayList<>();
          for (int i = 0; i < 20; i++) {
            calls.add(context.time().start("call", () -> context.model().ask("more")));
          }
          for (Task<?> call : calls) {
            call.join();
          }
        };
    TaskDefinition many = task("same", 20, greedy).scorer(Scorers.includes()).build();
    TaskDefinition few = task("same", 40, Solvers.generate()).scorer(Scorers.includes()).build();
    Evaluation.Finished finished =
        run(settings("sim/x:rpm=0,latency=1s").with("max_connections", 4), many, few);
    List<Double> seconds = finished.runs().stream().map(run -> run.result().seconds()).toList();
    // Half of the calls each: 80 of 440 until the small one has its 40. In one line with the
    // other, which has twenty times as many waiting, it would take as long as that.
    assertThat(seconds.get(1) / seconds.get(0)).isLessThan(0.4);
  }

  @Test
  void theLogSaysWhichLimitEndedASampleAndAtWhat() throws Exception {
    Solver talkative =
        (state, context) -> {
          switch (state.sample().id()) {
            case "s1" -> throw new SampleLimitExceededException("custom", 12, 10, "too many moves");
            case "s2" -> state.setMessageLimit(3);
            default -> state.setTokenLimit(5);
          }
          while (true) {
            state.generate(context.model());
            state.add(Message.user("go on"));
          }
        };
    Evaluation.Finished finished =
        run(
            settings("sim/x:rpm=0"),
            task("limits", 3, talkative).scorer(Scorers.includes()).build());
    assertThat(finished.result().limits()).isEqualTo(Map.of("custom", 1, "message", 1, "token", 1));
    assertThat(finished.result().samples()).isEqualTo(new RunResult.Counts(3, 3, 0, 0));
    try (var log = RunLogReader.open(finished.runs().getFirst().file().orElseThrow())) {
      for (var read = log.sample(); read.isPresent(); read = log.sample()) {
        SampleResult sample = read.get();
        LimitHit hit = sample.limit().orElseThrow();
        assertThat(sample.score()).as("it is scored").isPresent();
        switch (sample.id()) {
          case "s1" -> assertThat(hit).isEqualTo(new LimitHit("custom", 12, 10, "too many moves"));
          case "s2" ->
              assertThat(hit.type() + hit.value() + hit.limit()).isEqualTo("message3.03.0");
          default -> {
            assertThat(hit.type()).isEqualTo("token");
            assertThat(hit.limit()).isEqualTo(5);
            assertThat(hit.value()).isGreaterThan(5);
          }
        }
      }
    }
  }
}
