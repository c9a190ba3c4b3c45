package dev.weir.benchmarks.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.PaceFlow;
import dev.weir.limits.event.Constraint;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.simulator.provider.Scenario;
import dev.weir.simulator.provider.ScenarioResult;
import dev.weir.simulator.provider.ScenarioRun;
import dev.weir.simulator.provider.Scenarios;
import dev.weir.simulator.provider.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The contract of the exchange carries more than the default: two processes on one quota. */
class SharedExchangeTest {

  private static final long SECOND = 1_000_000_000L;
  private static final long SEED = 11;

  /** What a test does to an exchange at a time. */
  private record Incident(long at, Runnable action) {}

  private @Nullable SharedExchange shared;
  private final List<Incident> incidents = new ArrayList<>();
  private final List<PaceFlow> flows = new ArrayList<>();

  private SharedExchange shared() {
    if (shared == null) {
      throw new IllegalStateException("cannot ask: nobody has joined");
    }
    return shared;
  }

  private ScenarioResult run(String name, PaceSettings settings) {
    Scenario scenario = Scenarios.named(name);
    return new ScenarioRun(scenario, SEED).run(new FlowClient(session -> join(session, settings)));
  }

  private PaceFlow join(Session session, PaceSettings settings) {
    if (shared == null) {
      shared = new SharedExchange(settings, SEED, session.loop());
      incidents.forEach(incident -> session.loop().at(incident.at, incident.action));
    }
    var flow = new PaceFlow(shared.join(), session.random(), session.loop().now());
    flows.add(flow);
    return flow;
  }

  private void at(long seconds, Runnable action) {
    incidents.add(new Incident(seconds * SECOND, action));
  }

  /**
   * Two that do not know of each other are refused 16 times in 1,000 where nothing is advertised,
   * 33 times where it is.
   */
  @ParameterizedTest
  @CsvSource({"h, 1.10, 20", "h', 1.05, 12"})
  void twoProcessesKeepOneQuota(String name, double ratio, double refusals) {
    ScenarioResult result = run(name, PaceSettings.defaults());
    assertThat(result.unfinished()).isZero();
    assertThat(result.ratio()).isLessThanOrEqualTo(ratio);
    assertThat(result.refusalsPerThousand()).isLessThanOrEqualTo(refusals);
    int first = shared().participants.getFirst().sentAt.size();
    assertThat((double) first / result.requests()).isBetween(0.45, 0.6);
  }

  @Test
  void whoIsCutOffStopsWhenItsLeaseEndsAndOthersGetItsPart() {
    List<Long> ends = new ArrayList<>();
    at(
        60,
        () -> {
          SharedExchange.Participant cut = shared().participants.getFirst();
          cut.connected = false;
          ends.add(cut.leaseUntil());
        });
    at(
        70,
        () ->
            assertThat(flows.getFirst().binding(70 * SECOND, Cost.ONE_REQUEST))
                .isEqualTo(Constraint.LEASE));
    at(90, () -> shared().participants.getFirst().connected = true);
    var stated = new PaceSettings(2_000, OptionalDouble.of(600), OptionalDouble.empty(), false);
    ScenarioResult result = run("h", stated);

    long end = ends.getFirst();
    assertThat(end).isBetween(60 * SECOND, 61 * SECOND);
    List<Long> cut = shared().participants.getFirst().sentAt;
    assertThat(cut).noneMatch(at -> at >= end && at < 90 * SECOND);
    assertThat(between(cut, 50 * SECOND, end)).isPositive();
    assertThat(between(cut, 91 * SECOND, 100 * SECOND)).isPositive();
    List<Long> other = shared().participants.getLast().sentAt;
    assertThat(between(other, 70 * SECOND, 90 * SECOND)).isBetween(180L, 220L);
    assertThat(between(other, 40 * SECOND, 60 * SECOND)).isBetween(80L, 130L);
    assertThat(result.unfinished()).isZero();
    assertThat(result.refusalsPerThousand()).isLessThanOrEqualTo(20);
  }

  private static long between(List<Long> times, long from, long until) {
    return times.stream().filter(at -> at >= from && at < until).count();
  }
}
