package dev.weir.limits;

import java.util.Set;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.junit.jupiter.api.Test;

/**
 * Lincheck runs small scenarios in as many interleavings as there is time for. It prints the one
 * that fails.
 */
class LaneInterleavingsTest {

  /** Many scenarios, so that of six operations the few that race with each other meet. */
  private static final int SCENARIOS_OF_PERMITS = 30;

  private static final int INTERLEAVINGS_OF_PERMITS = 300;

  /** Fewer of three operations, but waiting has more places to switch at. */
  private static final int SCENARIOS_OF_WAITERS = 8;

  private static final int INTERLEAVINGS_OF_WAITERS = 1_000;

  /**
   * They are guarded by a lock of ours, whose interleavings are enough: switching in the middle of
   * a collection takes three times as long. Not all of {@code java.util}: what is called by {@code
   * List.forEach}, such as a signal, would be overlooked with it.
   */
  private static final Set<String> COLLECTIONS =
      Set.of(
          "java.util.ArrayDeque",
          "java.util.Deque",
          "java.util.EnumMap",
          "java.util.HashMap",
          "java.util.LinkedHashMap",
          "java.util.Map");

  @Test
  void onePermitIsLikeACounter() {
    permits(2, 3)
        .sequentialSpecification(PermitsModel.OfOne.class)
        .check(PermitsUnderTest.OfOne.class);
  }

  @Test
  void twoPermitsAreLikeACounter() {
    permits(3, 2)
        .sequentialSpecification(PermitsModel.OfTwo.class)
        .check(PermitsUnderTest.OfTwo.class);
  }

  @Test
  void whoWaitsForOnePermitIsWoken() {
    waiters()
        .sequentialSpecification(WaitersUnderTest.Model.class)
        .check(WaitersUnderTest.OfOne.class);
  }

  @Test
  void whoWaitsForTwoPermitsIsWoken() {
    waiters()
        .sequentialSpecification(WaitersUnderTest.Model.class)
        .check(WaitersUnderTest.OfTwo.class);
  }

  private static ModelCheckingOptions permits(int threads, int operations) {
    return options()
        .iterations(SCENARIOS_OF_PERMITS)
        .invocationsPerIteration(INTERLEAVINGS_OF_PERMITS)
        .threads(threads)
        .actorsPerThread(operations)
        .actorsAfter(2);
  }

  private static ModelCheckingOptions waiters() {
    return options()
        .iterations(SCENARIOS_OF_WAITERS)
        .invocationsPerIteration(INTERLEAVINGS_OF_WAITERS)
        .threads(3)
        .actorsPerThread(1)
        .actorsAfter(0);
  }

  private static ModelCheckingOptions options() {
    return new ModelCheckingOptions()
        // What runs before the parallel part would use up the few permits, and no race be met.
        .actorsBefore(0)
        .addGuarantee(
            ManagedStrategyGuaranteeKt.forClasses(LaneInterleavingsTest::isCollection)
                .allMethods()
                .ignore());
  }

  private static boolean isCollection(String className) {
    int nested = className.indexOf('$');
    return COLLECTIONS.contains(nested < 0 ? className : className.substring(0, nested));
  }
}
