package dev.weir.benchmarks.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.simulator.provider.Attempt;
import dev.weir.simulator.provider.ProviderCounts;
import dev.weir.simulator.provider.RecordedRun;
import dev.weir.simulator.provider.RefusalCause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TrafficTest {

  private static final double ONE_WAY = 0.03;

  private final List<Attempt> attempts = new ArrayList<>();
  private int strays;

  private void admitted(double sentAt) {
    attempt(sentAt, 200, Optional.empty());
  }

  private void refused(double sentAt) {
    attempt(sentAt, 429, Optional.of(RefusalCause.REQUESTS));
  }

  private void attempt(double sentAt, int status, Optional<RefusalCause> refusal) {
    attempts.add(
        new Attempt(
            attempts.size(),
            Seconds.nanos(sentAt),
            Seconds.nanos(sentAt + ONE_WAY),
            status,
            refusal,
            Seconds.nanos(sentAt + 2 * ONE_WAY)));
  }

  private Traffic traffic() {
    attempts.sort(Comparator.comparingLong(Attempt::arrivedAt));
    int refusals = (int) attempts.stream().filter(Attempt::isRefused).count();
    int accepted = attempts.size() - refusals;
    return new Traffic(
        new RecordedRun(
            attempts,
            Duration.ofSeconds(100),
            accepted,
            0,
            new ProviderCounts(accepted, refusals, strays, 0, 0, accepted, 0, 1)),
        Seconds.duration(ONE_WAY));
  }

  private static Fall fall(double from, double until, boolean blackout) {
    return new Fall(Seconds.nanos(from), Seconds.nanos(until), blackout);
  }

  @Test
  void allowsTwentyRefusalsTwoPerCentAndTheStrays() {
    for (int i = 0; i < 100; i++) {
      admitted(i);
    }
    strays = 7;
    assertThat(traffic().allowedRefusals(List.of())).isEqualTo(20 + 2 + 7);
  }

  @Test
  void allowsWhatWasSentWhenTheFirstRefusalOfAFallArrived() {
    for (int i = 0; i < 90; i++) {
      admitted(i * 0.1);
    }
    refused(10);
    refused(10.03);
    refused(10.05);
    refused(10.07);
    refused(11);
    Fall fall = fall(9.5, 20, false);
    assertThat(traffic().alreadySent(fall)).isEqualTo(3);
    assertThat(traffic().sentAfterRefusal(fall)).isEqualTo(2);
    assertThat(traffic().allowedRefusals(List.of(fall))).isEqualTo(20 + 0.02 * 95 + 3);
    assertThat(traffic().allowedRefusals(List.of(fall(30, 40, false))))
        .as("a fall that was not met")
        .isEqualTo(20 + 0.02 * 95);
  }

  /** A client that sends all it has at once does not raise its own bound. */
  @Test
  void boundsAnEpisodeByTheRateBeforeIt() {
    for (int i = 0; i < 20; i++) {
      admitted(i * 0.1);
    }
    for (int i = 0; i < 500; i++) {
      refused(2);
    }
    double roundTrip = 2.3 * ONE_WAY + 0.05;
    assertThat(traffic().allowedRefusals(List.of(fall(2, 20, false))))
        .isCloseTo(20 + 0.02 * 520 + 2 + 1.5 * 10 * roundTrip, within(1e-9));
  }

  @Test
  void allowsProbesWhileEverythingIsRefused() {
    assertThat(fall(100, 100.5, true).probes()).isZero();
    assertThat(fall(100, 110, true).probes()).as("1, 3 and 7 s after").isEqualTo(3);
    assertThat(fall(100, 3_700, true).probes())
        .as("6 that double, then one a minute")
        .isEqualTo(64);
    assertThat(fall(100, 3_700, false).probes()).isZero();
  }

  @Test
  void probesWithGapsThatDoubleAreNotCounted() {
    admitted(0);
    refused(1);
    refused(1.5);
    for (double gap = 1, at = 2; at < 600; at += gap, gap = Math.min(60, 2 * gap)) {
      refused(at);
    }
    assertThat(traffic().mostRefusedBesideProbes()).isEqualTo(2);
  }

  @Test
  void attemptsThatDoNotWaitForEachOtherAreNoProbes() {
    refused(1);
    for (int i = 0; i < 8; i++) {
      refused(5 + i * 0.01);
    }
    assertThat(traffic().mostRefusedBesideProbes())
        .as("all but the first, which came alone")
        .isEqualTo(7);
  }

  @Test
  void attemptsInEqualGapsAreNoProbes() {
    for (int i = 0; i < 10; i++) {
      refused(1 + i);
    }
    assertThat(traffic().mostRefusedBesideProbes()).isEqualTo(8);
  }

  @Test
  void anAdmittedAttemptEndsTheEpisode() {
    for (int i = 0; i < 10; i++) {
      refused(1 + i);
      admitted(1.5 + i);
    }
    assertThat(traffic().mostRefusedBesideProbes()).isZero();
  }

  @Test
  void whatWasSentBeforeTheFirstRefusalArrivedBelongsToItsEpisode() {
    for (int i = 0; i < 50; i++) {
      refused(1 + i * 0.001);
    }
    assertThat(traffic().mostRefusedBesideProbes()).isZero();
  }

  @Test
  void findsWhenARateIsBack() {
    for (int i = 0; i < 50; i++) {
      admitted(i * 0.2);
    }
    for (int i = 0; i < 100; i++) {
      admitted(12 + i * 0.1);
    }
    assertThat(traffic().secondsUntilAdmitted(10, Seconds.nanos(10), 2)).isBetween(1.9, 2.1);
    assertThat(traffic().secondsUntilAdmitted(20, 0, 2)).isInfinite();
  }
}
