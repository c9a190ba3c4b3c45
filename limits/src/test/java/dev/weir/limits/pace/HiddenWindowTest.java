package dev.weir.limits.pace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.header.Dimension;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;

class HiddenWindowTest {

  private static final double STEP_SECONDS = 0.01;
  private static final double REFUSAL_SECONDS = 0.05;

  /** A provider that lets so many through in each calendar window, and says nothing about it. */
  private static class Calendar {
    private final double length;
    private final double phase;
    private final int quota;
    private long window = Long.MIN_VALUE;
    private int taken;
    int accepted;
    int refused;

    Calendar(double length, double phase, int quota) {
      this.length = length;
      this.phase = phase;
      this.quota = quota;
    }

    boolean admits(double now) {
      long current = (long) Math.floor((now + phase) / length);
      if (current != window) {
        window = current;
        taken = 0;
      }
      boolean admitted = taken < quota;
      taken += admitted ? 1 : 0;
      accepted += admitted ? 1 : 0;
      refused += admitted ? 0 : 1;
      return admitted;
    }
  }

  /**
   * A window begins with the first request after the one before has ended, as counters in Redis.
   */
  private static final class FromFirst extends Calendar {
    private final double length;
    private final int quota;
    private double began = Double.NEGATIVE_INFINITY;
    private int taken;

    FromFirst(double length, int quota) {
      super(length, 0, quota);
      this.length = length;
      this.quota = quota;
    }

    @Override
    boolean admits(double now) {
      if (now - began >= length) {
        began = now;
        taken = 0;
      }
      boolean admitted = taken < quota;
      taken += admitted ? 1 : 0;
      accepted += admitted ? 1 : 0;
      refused += admitted ? 0 : 1;
      return admitted;
    }
  }

  /** Sends whenever it may; refusals come back after a moment. */
  private static void run(HiddenRate rate, Calendar provider, double from, double until) {
    Deque<double[]> refusals = new ArrayDeque<>();
    for (double now = from; now < until; now += STEP_SECONDS) {
      while (!refusals.isEmpty() && now - refusals.getFirst()[0] >= REFUSAL_SECONDS) {
        double[] refused = refusals.removeFirst();
        rate.refused(now, refused[0], refused[1], 1, 0, 0, false);
      }
      rate.tick(now, true, 0);
      if (rate.waitSeconds(now) == 0) {
        double before = rate.send(now, 1);
        if (!provider.admits(now)) {
          refusals.add(new double[] {now, before});
        }
      }
    }
  }

  @Test
  void usesUpWindowsOnceTheyAreKnown() {
    for (double phase : new double[] {0, 3.3, 7.9}) {
      var rate = new HiddenRate(8, true, 0);
      var provider = new Calendar(10, phase, 100);
      run(rate, provider, 0, 200);
      int acceptedBefore = provider.accepted;
      int refusedBefore = provider.refused;
      run(rate, provider, 200, 400);
      assertThat(provider.accepted - acceptedBefore).as("phase %s", phase).isGreaterThan(1_900);
      assertThat(provider.refused - refusedBefore).as("phase %s", phase).isLessThan(160);
    }
  }

  @Test
  void usesWindowsThatBeginWithTheirFirstRequest() {
    var rate = new HiddenRate(8, true, 0);
    var provider = new FromFirst(10, 100);
    run(rate, provider, 0, 200);
    int acceptedBefore = provider.accepted;
    int refusedBefore = provider.refused;
    run(rate, provider, 200, 400);
    assertThat(provider.accepted - acceptedBefore).isGreaterThan(1_600);
    assertThat(provider.refused - refusedBefore).isLessThan(160);
  }

  @Test
  void asksRarelyInADrought() {
    var rate = new HiddenRate(8, true, 0);
    var nothing = new Calendar(1_000, 0, 0);
    run(rate, nothing, 0, 600);
    assertThat(nothing.refused).isLessThan(30);
    assertThat(rate.gate(Dimension.REQUESTS).notBefore()).isGreaterThan(600);
  }

  /** A window that is taken for one where there is none must not slow a run down for good. */
  @Test
  void findsOutWhenThereIsNoWindowAnyMore() {
    var rate = new HiddenRate(8, true, 0);
    run(rate, new Calendar(10, 3.3, 20), 0, 200);
    var unlimited = new Calendar(1_000_000, 0, Integer.MAX_VALUE);
    run(rate, unlimited, 200, 500);
    assertThat(unlimited.accepted).isGreaterThan(1_500);
  }

  @Test
  void continuesFromItsState() {
    var rate = new HiddenRate(8, true, 0);
    var provider = new Calendar(10, 3.3, 100);
    run(rate, provider, 0, 60);
    var copy = new HiddenRate(rate.state());
    assertThat(copy.state()).isEqualTo(rate.state());
    assertThat(copy.toString()).isEqualTo(rate.toString());
  }
}
