package dev.weir.cli.carriers;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CarrierCountTest {

  private static final int CORES = 8;

  // In looks.
  private static final int SECOND = 200;
  private static final int WINDOW = 50;

  private final CarrierCount count = new CarrierCount(CORES, 0, 0);
  private long nanos;
  private long cpuNanos;

  @Test
  void littleWorkForASecondNeedsFew() {
    assertThat(looks(SECOND - 1, 1.5, 0)).isEqualTo(CORES);
    assertThat(looks(1, 1.5, 0)).isEqualTo(2);
  }

  @Test
  void oneIsLeftForNoWorkAtAll() {
    assertThat(looks(SECOND, 0, 0)).isEqualTo(1);
  }

  @Test
  void theBusiestQuarterOfTheSecondCounts() {
    looks(WINDOW, 3.5, 0);
    assertThat(looks(SECOND - WINDOW, 0.5, 0)).isEqualTo(4);
  }

  @Test
  void muchWorkKeepsAll() {
    assertThat(looks(10 * SECOND, 7.5, 0)).isEqualTo(CORES);
  }

  @Test
  void workThatWaitsAtEveryLookBringsAllBack() {
    looks(SECOND, 0.5, 0);

    assertThat(looks(WINDOW - 1, 0.5, 1)).isEqualTo(1);
    assertThat(looks(1, 0.5, 1)).isEqualTo(CORES);
  }

  @Test
  void shortQueuesThatAreWorkedOffBringNothing() {
    looks(SECOND, 0.5, 0);
    for (int i = 0; i < 100; i++) {
      assertThat(looks(WINDOW - 1, 0.5, 30)).isEqualTo(1);
      assertThat(looks(1, 0.5, 0)).isEqualTo(1);
    }
  }

  @Test
  void aLongQueueBringsAllUntilItIsWorkedOff() {
    looks(SECOND, 0.5, 0);

    assertThat(looks(1, 0.5, 100)).isEqualTo(CORES);
    assertThat(looks(1, 0.5, 1)).isEqualTo(CORES);
    assertThat(looks(1, 0.5, 0)).isEqualTo(1);
  }

  @Test
  void whatWasTooFewIsNotTriedAgainSoonAndEachTimeLater() {
    looks(SECOND, 0.5, 0);
    looks(WINDOW, 0.5, 1);

    int first = looksUntilFewer();
    looks(WINDOW, 0.5, 1);
    int second = looksUntilFewer();

    assertThat(first).isGreaterThanOrEqualTo(19 * SECOND);
    assertThat(second).isBetween(2 * first - SECOND, 2 * first + SECOND);
  }

  @Test
  void whatSufficedForLongIsSoonTriedAgain() {
    looks(SECOND, 0.5, 0);
    looks(WINDOW, 0.5, 1);
    int first = looksUntilFewer();

    looks(1_000 * SECOND, 0.5, 0);
    looks(WINDOW, 0.5, 1);

    assertThat(looksUntilFewer()).isLessThan(first);
  }

  @Test
  void whereNothingNewRunsMoreAreAddedEachSecondUpToABound() {
    assertThat(look(CORES, 1_000, 999)).isEqualTo(CORES);
    assertThat(look(CORES, 1_000, 1_000)).isEqualTo(2 * CORES);
    assertThat(look(CORES, 1_000, 1_900)).isEqualTo(2 * CORES);
    assertThat(look(CORES, 1_000, 2_000)).isEqualTo(CORES + 16);
    assertThat(look(CORES, 1_000, 9_000)).isEqualTo(CORES + 16);
  }

  private int look(double load, long queued, long waitedMillis) {
    nanos += CarrierCount.LOOK.toNanos();
    cpuNanos += (long) (load * CarrierCount.LOOK.toNanos());
    return count.look(nanos, cpuNanos, queued, waitedMillis * 1_000_000);
  }

  private int looksUntilFewer() {
    int looks = 0;
    while (looks(1, 0.5, 0) == CORES) {
      looks++;
      assertThat(looks).isLessThan(1_000 * SECOND);
    }
    return looks;
  }

  /** So many looks at such a load and queue; the count after the last. */
  private int looks(int looks, double load, long queued) {
    int result = CORES;
    for (int i = 0; i < looks; i++) {
      nanos += CarrierCount.LOOK.toNanos();
      cpuNanos += (long) (load * CarrierCount.LOOK.toNanos());
      result = count.look(nanos, cpuNanos, queued, 0);
    }
    return result;
  }
}
