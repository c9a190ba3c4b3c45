package dev.weir.benchmarks.limits;

import dev.weir.limits.Mode;
import dev.weir.limits.PaceFlow;
import dev.weir.limits.event.Constraint;
import dev.weir.limits.exchange.LocalExchange;
import dev.weir.limits.header.Dimension;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.limits.pace.Slice;
import dev.weir.simulator.provider.ProviderSettings;
import dev.weir.simulator.provider.Scenario;
import dev.weir.simulator.provider.ScenarioResult;
import dev.weir.simulator.provider.ScenarioRun;
import java.util.ArrayList;
import java.util.List;

/**
 * One run of mode {@code pace}, as curves over seconds.
 *
 * @param allowed what the provider allows: requests a second, or in flight
 * @param chosen what mode {@code pace} allows itself
 * @param done what came of it: accepted requests a second, or those in flight
 */
record PlottedRun(
    Scenario scenario,
    ScenarioResult result,
    boolean inFlight,
    List<Point> allowed,
    List<Point> chosen,
    List<Point> done) {

  /** A value that holds from a second on. */
  record Point(double second, double value) {}

  private static final double NANOS = 1e9;
  private static final double SAMPLE_SECONDS = 0.25;
  private static final double BIN_SECONDS = 2;

  /**
   * @param inFlight whether the limit counts requests in flight, not per second
   */
  static PlottedRun of(Scenario scenario, long seed, boolean inFlight) {
    PaceSettings settings =
        ((Mode.Pace) ModeUnderTest.PACE.forScenario().apply(scenario)).settings();
    List<Point> chosen = new ArrayList<>();
    List<Point> underWay = new ArrayList<>();
    ScenarioResult result =
        new ScenarioRun(scenario, seed)
            .run(
                new FlowClient(
                    session -> {
                      long now = session.loop().now();
                      var local = new LocalExchange(settings, seed, now);
                      var watched =
                          new WatchedExchange(
                              local,
                              (at, _, slice) -> {
                                sample(chosen, at, inFlight ? slice.window() : rate(slice));
                                sample(underWay, at, slice.inFlight());
                              });
                      return new PaceFlow(watched, session.random(), now);
                    }));
    return new PlottedRun(
        scenario,
        result,
        inFlight,
        allowed(scenario.settings()),
        chosen,
        inFlight ? underWay : accepted(result));
  }

  double seconds() {
    return result.makespan().toNanos() / NANOS;
  }

  /** The newest value of each sample. */
  private static void sample(List<Point> points, long nanos, double value) {
    double second = Math.floor(nanos / NANOS / SAMPLE_SECONDS) * SAMPLE_SECONDS;
    if (!points.isEmpty() && points.getLast().second == second) {
      points.removeLast();
    }
    points.add(new Point(second, value));
  }

  /** The pace of requests; nothing if none binds. */
  private static double rate(Slice slice) {
    for (Slice.Gate gate : slice.gates()) {
      if (gate.constraint() == Constraint.PACE && gate.dimension() == Dimension.REQUESTS) {
        return gate.perSecond();
      }
    }
    return Double.NaN;
  }

  private static List<Point> accepted(ScenarioResult result) {
    List<Point> points = new ArrayList<>();
    double end = result.makespan().toNanos() / NANOS;
    for (double second = 0; second < end; second += BIN_SECONDS) {
      int count =
          result
              .accepted()
              .countBetween((long) (second * NANOS), (long) ((second + BIN_SECONDS) * NANOS));
      points.add(new Point(second, count / BIN_SECONDS));
    }
    return points;
  }

  private static List<Point> allowed(ProviderSettings settings) {
    if (settings.cap().isPresent()) {
      return List.of(new Point(0, settings.cap().get().slots()));
    }
    double rate = settings.requests().orElseThrow().perSecond();
    List<Point> points = new ArrayList<>();
    points.add(new Point(0, rate));
    for (ProviderSettings.LimitChange change : settings.schedule()) {
      rate *= change.factor();
      points.add(new Point(change.at().toNanos() / NANOS, rate));
    }
    return points;
  }
}
