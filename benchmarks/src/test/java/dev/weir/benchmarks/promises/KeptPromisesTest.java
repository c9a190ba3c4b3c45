package dev.weir.benchmarks.promises;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.benchmarks.promises.Series.Measured;
import dev.weir.benchmarks.promises.Series.Setup;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Promises that mode {@code pace} keeps on every seed that was tried. {@code weir bench promises}
 * measures the others, too; one that is kept there belongs here.
 */
class KeptPromisesTest {

  private static final long FIRST_SEED = 720_001;
  private static final int SEEDS = 2;

  @TestFactory
  Stream<DynamicTest> twoThousandShortCallsWithoutALimitTakeAtMostTwoAndAHalfSeconds() {
    return tests(RampPromises.withoutLimit(), 0, _ -> true);
  }

  @TestFactory
  Stream<DynamicTest> straysWithoutALimitCostLittle() {
    return tests(StrayPromises.strays().getFirst(), 0, name -> name.startsWith("0."));
  }

  @TestFactory
  Stream<DynamicTest> straysBesideALimitCostLittle() {
    return tests(StrayPromises.strays().getLast(), 0, name -> name.startsWith("0."));
  }

  @TestFactory
  Stream<DynamicTest> aHiddenCapIsBounded() {
    return tests(RampPromises.capsThatRefuse(), 1, name -> !name.startsWith("cap 1000"));
  }

  @TestFactory
  Stream<DynamicTest> aLimitOnGrowthIsBounded() {
    return tests(RampPromises.growthLimits(), 1, _ -> true);
  }

  @TestFactory
  Stream<DynamicTest> aStatedTierIsNeverRefused() {
    return tests(TierPromises.lowTiers().getLast(), 0, name -> name.contains("burst 5"));
  }

  @TestFactory
  Stream<DynamicTest> randomProvidersAreBounded() {
    return tests(RefusalPromises.randomProviders(), 0, _ -> true);
  }

  /**
   * @param promise its place within the series
   */
  private static Stream<DynamicTest> tests(Series series, int promise, Predicate<String> which) {
    List<Setup> setups =
        series.setups().stream().filter(setup -> which.test(setup.name())).toList();
    assertThat(setups).isNotEmpty();
    String figure = series.promises().get(promise).figure();
    return setups.stream()
        .map(
            setup ->
                DynamicTest.dynamicTest(
                    setup.name(),
                    () -> {
                      for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
                        Measured measured =
                            setup.judge().measure(setup.run().apply(seed), seed).get(promise);
                        assertThat(measured.value())
                            .as("%s, seed %d", figure, seed)
                            .isLessThanOrEqualTo(measured.allowed());
                      }
                    }));
  }
}
