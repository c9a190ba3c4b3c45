package dev.weir.limits;

import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.junit.jupiter.api.Test;

/**
 * Lincheck runs small scenarios in as many interleavings as there is time for. It prints the one
 * that fails.
 */
class LaneInterleavingsTest {

  /** Of six operations, so that the few that race with each other meet. */
  private static final int SCENARIOS_OF_PERMITS = 30;

  /** Of three operations; each takes longer. */
  private static final int SCENARIOS_OF_WAITERS = 10;

  private static final int INTERLEAVINGS = 300;

  @Test
  void onePermitIsLikeACounter() {
    options(SCENARIOS_OF_PERMITS, 2, 3)
        .sequentialSpecification(PermitsModel.OfOne.class)
        .check(PermitsUnderTest.OfOne.class);
  }

  @Test
  void twoPermitsAreLikeACounter() {
    options(SCENARIOS_OF_PERMITS, 3, 2)
        .sequentialSpecification(PermitsModel.OfTwo.class)
        .check(PermitsUnderTest.OfTwo.class);
  }

  @Test
  void whoWaitsForOnePermitIsWoken() {
    options(SCENARIOS_OF_WAITERS, 3, 2)
        .sequentialSpecification(WaitersUnderTest.Model.class)
        .check(WaitersUnderTest.OfOne.class);
  }

  @Test
  void whoWaitsForTwoPermitsIsWoken() {
    options(SCENARIOS_OF_WAITERS, 3, 2)
        .sequentialSpecification(WaitersUnderTest.Model.class)
        .check(WaitersUnderTest.OfTwo.class);
  }

  private static ModelCheckingOptions options(int scenarios, int threads, int operations) {
    return new ModelCheckingOptions()
        .iterations(scenarios)
        .invocationsPerIteration(INTERLEAVINGS)
        .threads(threads)
        .actorsPerThread(operations)
        // What runs before the parallel part would use up the few permits, and no race be met.
        .actorsBefore(0)
        .actorsAfter(2)
        // Collections are guarded by a lock of ours, whose interleavings are enough: switching in
        // the middle of a collection takes three times as long.
        .addGuarantee(
            ManagedStrategyGuaranteeKt.forClasses(name -> name.startsWith("java.util."))
                .allMethods()
                .ignore());
  }
}
