package dev.weir.benchmarks.limits;

import dev.weir.simulator.provider.RandomScenarios;
import dev.weir.simulator.provider.Scenario;
import dev.weir.simulator.provider.ScenarioResult;
import dev.weir.simulator.provider.ScenarioRun;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Mode {@code pace} on providers that nobody chose.
 *
 * @param ratios makespan by optimum, sorted
 * @param refusals per thousand requests, sorted
 * @param worst the provider with the largest ratio
 */
record RandomConfigurations(List<Double> ratios, List<Double> refusals, String worst) {

  static RandomConfigurations of(long firstSeed, int count) {
    record One(Scenario scenario, ScenarioResult result) {}
    List<One> all =
        LongStream.range(firstSeed, firstSeed + count)
            .mapToObj(
                seed -> {
                  Scenario scenario = RandomScenarios.of(seed);
                  var client = new FlowClient(ModeUnderTest.PACE.forScenario().apply(scenario));
                  return new One(scenario, new ScenarioRun(scenario, seed).run(client));
                })
            .toList();
    List<Double> ratios = all.stream().map(one -> one.result.ratio()).sorted().toList();
    List<Double> refusals =
        all.stream().map(one -> one.result.refusalsPerThousand()).sorted().toList();
    String worst =
        all.stream()
            .max((a, b) -> Double.compare(a.result.ratio(), b.result.ratio()))
            .map(one -> one.scenario.name() + ": " + one.scenario.title())
            .orElseThrow();
    return new RandomConfigurations(ratios, refusals, worst);
  }

  double ratioAt(double share) {
    return at(ratios, share);
  }

  double refusalsAt(double share) {
    return at(refusals, share);
  }

  /** The value that so large a share of the values does not exceed. */
  static double at(List<Double> sorted, double share) {
    return sorted.get(Math.min(sorted.size() - 1, (int) (share * sorted.size())));
  }
}
