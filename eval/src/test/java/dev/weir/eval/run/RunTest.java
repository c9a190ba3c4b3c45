package dev.weir.eval.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.eval.dataset.Dataset;
import dev.weir.eval.dataset.Sample;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Secrets;
import dev.weir.eval.option.Settings;
import dev.weir.eval.sample.SampleContext.Lifetime;
import dev.weir.eval.sandbox.SandboxCaps;
import dev.weir.eval.sandbox.Sandboxes;
import dev.weir.eval.scorer.Score;
import dev.weir.eval.scorer.Scorer;
import dev.weir.eval.solver.Solver;
import dev.weir.eval.solver.Solvers;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.limits.Lane;
import dev.weir.limits.LimitKey;
import dev.weir.limits.Mode;
import dev.weir.limits.Regulator;
import dev.weir.log.RunResult;
import dev.weir.log.RunResult.Status;
import dev.weir.log.SampleResult;
import dev.weir.model.Adapter;
import dev.weir.model.ExchangeListener;
import dev.weir.model.Message;
import dev.weir.model.Model;
import dev.weir.model.ModelName;
import dev.weir.model.Origin;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.Usage;
import dev.weir.time.virtual.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What a run makes of solvers and scorers that misbehave. */
class RunTest {

  private static final Solver GENERATE = Solvers.generate();

  private final VirtualTime time = VirtualTime.seeded(1);
  private final List<SampleResult> log = new ArrayList<>();

  private RunResult run(Solver solver, Scorer scorer, int window) throws Exception {
    return run(solver, scorer, new Mode.Static(window), Settings.NONE);
  }

  private RunResult run(Solver solver, Scorer scorer, Mode mode, Settings settings)
      throws Exception {
    log.clear();
    List<Sample> samples = new ArrayList<>();
    for (int i = 1; i <= 20; i++) {
      samples.add(new Sample("s" + i, "question", "answer"));
    }
    TaskDefinition task =
        TaskDefinition.named("test")
            .dataset(new Dataset(samples))
            .solver(solver)
            .scorer("test", scorer)
            .build();
    var regulator = Regulator.unbounded(time, new SplittableRandom(1));
    ModelName name = ModelName.parse("fake/model");
    Lane lane = regulator.lane("fake/model", mode);
    RunOptions options = RunOptions.parse(settings);
    var plan =
        new RunPlan(
            "id",
            "task-id",
            task,
            options,
            watch ->
                new PricedModel(
                    new Model(
                        time,
                        name,
                        watch.watched(new Answering(name), Optional.empty(), false),
                        lane,
                        _ -> {}),
                    Optional.empty(),
                    false),
            _ -> Map.of(),
            time,
            1,
            new Budget(options.budget()),
            new Sandboxes(time, SandboxCaps.defaults(), Map.of()),
            false,
            KeptSamples.NONE,
            Secrets.NONE,
            log::add);
    var start = RunStarts.of("test", "fake/model", 20, 1, 1, "test", time.instant());
    return time.run(() -> new Run(plan, start).run());
  }

  private final class Answering implements Adapter {

    private final ModelName name;

    Answering(ModelName name) {
      this.name = name;
    }

    @Override
    public LimitKey key() {
      return LimitKey.named(name.toString());
    }

    @Override
    public Response exchange(Request request, ExchangeListener listener)
        throws InterruptedException {
      time.sleepUntil(time.nanos() + 1_000);
      return new Response.Reply(
          Message.assistant("answer"), StopReason.STOP, Usage.NONE, Origin.of(name));
    }
  }

  private void assertSeen(RunResult result, String error) {
    assertThat(result.status()).isEqualTo(Status.ERROR);
    assertThat(result.samples().failed()).isPositive();
    assertThat(result.error().orElseThrow()).contains(error);
    assertThat(log).anyMatch(sample -> sample.error().orElse("").contains(error));
  }

  @Test
  void errorsOfAScorerAreSeen() throws Exception {
    for (Error error :
        List.of(new StackOverflowError(), new OutOfMemoryError("x"), new AssertionError("y"))) {
      RunResult result =
          run(
              GENERATE,
              (_, _) -> {
                throw error;
              },
              3);
      assertSeen(result, error.getClass().getSimpleName());
    }
  }

  @Test
  void anErrorNowAndThenIsNoSuccess() throws Exception {
    var calls = new AtomicInteger();
    RunResult result =
        run(
            GENERATE,
            (_, _) -> {
              if (calls.incrementAndGet() % 3 == 0) {
                throw new IllegalStateException("third time unlucky");
              }
              return Score.RIGHT;
            },
            new Mode.Static(3),
            Settings.NONE.with("scorer_retries", 0));
    assertSeen(result, "third time unlucky");
  }

  @Test
  void aSolverThatInterruptsItselfFailsItsSample() throws Exception {
    RunResult result =
        run(
            (_, _) -> {
              throw new InterruptedException("own idea");
            },
            (_, _) -> Score.RIGHT,
            3);
    assertSeen(result, "interrupted, but not by the run");
  }

  @Test
  void theLargestWindowWorks() throws Exception {
    RunResult result = run(GENERATE, (_, _) -> Score.RIGHT, Integer.MAX_VALUE);
    assertThat(result.status()).isEqualTo(Status.SUCCESS);
    assertThat(result.samples().scored()).isEqualTo(20);
  }

  @Test
  void datasetsHaveSamplesWithDistinctIds() {
    var sample = new Sample("a", "b", "c");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Dataset(List.of(sample, sample)))
        .withMessageContaining("'a' is there twice");
  }

  @Test
  void whatIsKeptIsClosedWithTheSampleOrTheRun() throws Exception {
    List<String> closed = new ArrayList<>();
    var opened = new AtomicInteger();
    Solver solver =
        (state, context) -> {
          context.keep(
              Lifetime.RUN,
              "shared",
              () -> {
                time.sleep(Duration.ofMillis(1));
                opened.incrementAndGet();
                return () -> closed.add("shared");
              });
          for (int again = 0; again < 2; again++) {
            context.keep(
                Lifetime.SAMPLE,
                "own",
                () -> {
                  opened.incrementAndGet();
                  return () -> closed.add(state.sample().id());
                });
          }
          if (state.sample().id().equals("s7")) {
            throw new IllegalStateException("broken");
          }
          state.generate(context.model());
        };
    run(
        solver,
        (_, _) -> Score.of(1),
        new Mode.Static(3),
        Settings.NONE.with("fail_on_error", "false"));
    assertThat(opened).hasValue(21);
    assertThat(closed).hasSize(21).contains("s7").endsWith("shared").doesNotHaveDuplicates();
  }
}
