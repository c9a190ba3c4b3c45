package dev.weir.benchmarks.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.simulator.provider.Scenario;
import dev.weir.simulator.provider.Scenarios;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * What mode {@code pace} must reach: the promises, as gates on fixed seeds.
 *
 * <p>With an advertised quota: ratio at most 1.05 and 5 refusals per 1,000; without (also where a
 * hidden slice is enforced): 1.10 and 20. Exceptions have their reason beside them. Healthy figures
 * are in docs/benchmarks.md.
 */
class LimitsGateTest {

  private record Gate(double ratio, double refusals) {}

  private static final Gate ADVERTISED = new Gate(1.05, 5);
  private static final Gate HIDDEN = new Gate(1.10, 20);

  private static final Map<String, Gate> EXCEPTIONS =
      Map.of(
          // 250 requests: learning a limit costs a few refusals, whatever the number.
          "i", new Gate(1.05, 40),
          // Two processes that do not know of each other: one of them takes the larger share.
          "h", new Gate(1.20, 25),
          "h'", new Gate(1.12, 40),
          // Estimates that are off by 30 % make what comes back uncertain.
          "c*", new Gate(1.05, 12),
          // Set from what was measured: the oracle is not struck by overload, nor by its own
          // growth; and a quota that comes all at once must be asked for, which is done rarely.
          "k", new Gate(1.20, 20),
          "m", new Gate(1.30, 30));

  /**
   * How two processes share what is advertised differs much between seeds: five of them gave 1.07
   * to 1.40 for regulators that are alike on forty.
   */
  private static final long[] MANY_SEEDS = LongStream.rangeClosed(11, 50).toArray();

  @TestFactory
  Stream<DynamicTest> paceKeepsItsPromises() {
    return Scenarios.all().stream()
        .map(
            scenario ->
                DynamicTest.dynamicTest(
                    scenario.name() + " " + scenario.title(), () -> check(scenario)));
  }

  private static void check(Scenario scenario) {
    Gate gate =
        EXCEPTIONS.getOrDefault(scenario.name(), scenario.advertised() ? ADVERTISED : HIDDEN);
    long[] seeds = scenario.name().equals("h'") ? MANY_SEEDS : LimitsBenchmark.SEEDS;
    Measurement measured = Measurement.of(scenario, ModeUnderTest.PACE, seeds);
    assertThat(measured.ratio()).as("makespan by optimum").isLessThanOrEqualTo(gate.ratio());
    assertThat(measured.refusalsPerThousand())
        .as("refusals per 1,000")
        .isLessThanOrEqualTo(gate.refusals());
    assertThat(measured.gaveUpPerThousand()).as("given up").isZero();
  }

  @Test
  void paceDoesWellOnProvidersThatNobodyChose() {
    var random =
        RandomConfigurations.of(
            LimitsBenchmark.FIRST_RANDOM_SEED, LimitsBenchmark.RANDOM_CONFIGURATIONS);
    assertThat(random.ratioAt(0.5)).isLessThanOrEqualTo(1.02);
    assertThat(random.ratioAt(0.9)).as(random.worst()).isLessThanOrEqualTo(1.3);
  }

  /** The peers' schemes are offered as documented, and none of them comes near. */
  @Test
  void paceBeatsTheOtherModesWhereQuotaIsAdvertised() {
    Scenario scenario = Scenarios.named("b");
    double pace = Measurement.of(scenario, ModeUnderTest.PACE, 11).ratio();
    for (ModeUnderTest mode : ModeUnderTest.all().subList(1, 4)) {
      assertThat(Measurement.of(scenario, mode, 11).ratio()).as(mode.name()).isGreaterThan(pace);
    }
  }
}
