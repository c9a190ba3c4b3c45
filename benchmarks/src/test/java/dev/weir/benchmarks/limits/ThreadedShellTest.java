package dev.weir.benchmarks.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.limits.Attempt;
import dev.weir.limits.Demand;
import dev.weir.limits.Lane;
import dev.weir.limits.Permit;
import dev.weir.limits.Regulator;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.retry.Outcome;
import dev.weir.simulator.provider.Admission;
import dev.weir.simulator.provider.ProviderModel;
import dev.weir.simulator.provider.Request;
import dev.weir.simulator.provider.Response;
import dev.weir.simulator.provider.Scenario;
import dev.weir.simulator.provider.ScenarioRun;
import dev.weir.simulator.provider.Scenarios;
import dev.weir.simulator.provider.Work;
import dev.weir.time.Task;
import dev.weir.time.virtual.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The threaded shell, {@code Lane.call} with a task per request on virtual time, does what the
 * decisions do on the event loop: the queue, the watch and the signals cost nothing and lose
 * nothing.
 */
class ThreadedShellTest {

  private static final long SEED = 11;
  private static final double ONE_WAY_NANOS = 30e6;

  @ParameterizedTest
  @ValueSource(strings = {"a", "b", "c"})
  void agreesWithTheEventLoop(String name) throws Exception {
    Scenario scenario = Scenarios.named(name);
    var run = new ScenarioRun(scenario, SEED);
    double onEventLoop =
        run.run(new FlowClient(ModeUnderTest.PACE.forScenario().apply(scenario))).ratio();

    var model = new ProviderModel(scenario.settings(), SEED);
    VirtualTime time = VirtualTime.seeded(SEED).thinlyChecked();
    var network = new SplittableRandom(SEED);
    Lane lane =
        Regulator.unbounded(time, new SplittableRandom(SEED))
            .lane("sim/" + name, ModeUnderTest.PACE.forScenario().apply(scenario));
    time.run(
        () -> {
          List<Task<?>> tasks = new ArrayList<>();
          for (Request request : scenario.workload().requests(SEED)) {
            Attempt<Response> attempt = permit -> exchange(time, model, network, request, permit);
            var demand = Demand.of("test", FlowClient.cost(request));
            tasks.add(time.start("request-" + request.id(), () -> lane.call(demand, attempt)));
          }
          for (Task<?> task : tasks) {
            task.join();
          }
        });

    double threaded = (double) time.nanos() / run.optimum().makespan().toNanos();
    assertThat(model.counts().answers()).isEqualTo(scenario.requests());
    assertThat(lane.status().inFlight()).isZero();
    assertThat(threaded).isCloseTo(onEventLoop, within(0.03));
    double refusals = 1_000.0 * model.counts().refusals() / scenario.requests();
    assertThat(refusals).isLessThanOrEqualTo(scenario.advertised() ? 5 : 20);
  }

  private static Attempt.Result<Response> exchange(
      VirtualTime time,
      ProviderModel model,
      SplittableRandom network,
      Request request,
      Permit permit)
      throws InterruptedException {
    sleep(time, ONE_WAY_NANOS * network.nextDouble(0.7, 1.3));
    return switch (model.admit(time.nanos(), request)) {
      case Admission.Accepted(Work work) -> {
        sleep(time, (double) request.latencyNanos());
        model.finished(time.nanos(), work);
        sleep(time, ONE_WAY_NANOS);
        permit.observe(Facts.of(work.answer()));
        yield new Attempt.Result<>(
            new Outcome.Clean(),
            new Cost(request.promptTokens(), request.outputTokens()),
            work.answer());
      }
      case Admission.Refused(Response.Refusal refusal, long after) -> {
        sleep(time, after + ONE_WAY_NANOS);
        yield new Attempt.Result<>(
            new Outcome.RateLimited(Facts.of(refusal)), Cost.ONE_REQUEST, refusal);
      }
      case Admission.Queued _, Admission.Hung _, Admission.Failed _ ->
          throw new IllegalStateException("these scenarios neither queue nor hang nor fail");
    };
  }

  private static void sleep(VirtualTime time, double nanos) throws InterruptedException {
    time.sleepUntil(time.nanos() + Math.round(nanos));
  }
}
