package dev.weir.benchmarks.limits;

import dev.weir.simulator.provider.Scenario;
import dev.weir.simulator.provider.ScenarioResult;
import dev.weir.simulator.provider.ScenarioRun;
import java.util.List;
import java.util.stream.LongStream;

/**
 * A mode on a scenario, averaged over seeds.
 *
 * @param optimumSeconds what somebody who knows everything needs
 * @param ratio makespan by optimum
 * @param worstRatio of the seeds
 * @param refusalsPerThousand requests
 * @param gaveUpPerThousand requests that the mode ended without an answer
 */
record Measurement(
    String scenario,
    String title,
    boolean advertised,
    String mode,
    double optimumSeconds,
    double ratio,
    double worstRatio,
    double refusalsPerThousand,
    double gaveUpPerThousand) {

  static Measurement of(Scenario scenario, ModeUnderTest mode, long... seeds) {
    List<ScenarioResult> results =
        LongStream.of(seeds)
            .mapToObj(
                seed ->
                    new ScenarioRun(scenario, seed)
                        .run(new FlowClient(mode.forScenario().apply(scenario))))
            .toList();
    return new Measurement(
        scenario.name(),
        scenario.title(),
        scenario.advertised(),
        mode.name(),
        mean(results.stream().mapToDouble(result -> result.optimum().toNanos() / 1e9).toArray()),
        mean(results.stream().mapToDouble(ScenarioResult::ratio).toArray()),
        results.stream().mapToDouble(ScenarioResult::ratio).max().orElseThrow(),
        mean(results.stream().mapToDouble(ScenarioResult::refusalsPerThousand).toArray()),
        mean(
            results.stream()
                .mapToDouble(result -> 1_000.0 * result.gaveUp() / result.requests())
                .toArray()));
  }

  private static double mean(double[] values) {
    double sum = 0;
    for (double value : values) {
      sum += value;
    }
    return sum / values.length;
  }
}
