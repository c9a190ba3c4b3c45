package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Whether failures are those of a request, or of its provider. */
class FailureRecordTest {

  private final Peers peers = new Peers();
  private final FailureRecord record = new FailureRecord(8);
  private long now;

  FailureRecordTest() {
    // Another request is always unfinished.
    peers.begin();
    peers.begin();
  }

  private void succeed(int others) {
    for (int i = 0; i < others; i++) {
      peers.succeeded();
    }
  }

  private void failOthers(int others) {
    for (int i = 0; i < others; i++) {
      var other = new FailureRecord(8);
      peers.begin();
      peers.failed(other, now);
      peers.end(other);
    }
  }

  private void fail(Duration after) {
    now += after.toNanos();
    peers.failed(record, now);
  }

  @Test
  void eightFailuresInTenMinutesBesideSuccessesPoisonARequest() {
    for (int i = 0; i < 8; i++) {
      assertThat(record.isPoisoned()).isFalse();
      fail(Duration.ofMinutes(2));
      succeed(5);
    }
    assertThat(record.isPoisoned()).isTrue();
    assertThat(record.reason())
        .isEqualTo("it failed 8 times in 14 min while other requests succeeded");
  }

  @Test
  void tenMinutesMustPass() {
    for (int i = 0; i < 60; i++) {
      fail(Duration.ofSeconds(10));
      succeed(5);
    }
    assertThat(record.isPoisoned()).isFalse();
    fail(Duration.ofSeconds(10));
    assertThat(record.isPoisoned()).isTrue();
  }

  @Test
  void failuresWithoutSuccessesOfOthersDoNotCount() {
    for (int i = 0; i < 1_000; i++) {
      fail(Duration.ofMinutes(1));
      succeed(i % 100 == 0 ? 4 : 0);
    }
    assertThat(record.isPoisoned()).isFalse();
  }

  @Test
  void thinGapsAddUpToOneThatCounts() {
    for (int i = 0; i < 15; i++) {
      fail(Duration.ofMinutes(1));
      succeed(3);
    }
    assertThat(record.isPoisoned()).isTrue();
  }

  @Test
  void aSeriesEndsWhereOthersFailToo() {
    for (int i = 0; i < 7; i++) {
      fail(Duration.ofMinutes(2));
      succeed(8);
    }
    failOthers(2);
    fail(Duration.ofMinutes(2));
    assertThat(record.isPoisoned()).as("2 of 10 failed").isFalse();
    for (int i = 0; i < 7; i++) {
      assertThat(record.isPoisoned()).isFalse();
      succeed(9);
      failOthers(2);
      fail(Duration.ofMinutes(2));
    }
    assertThat(record.isPoisoned()).as("2 of 11 failed each time").isTrue();
  }

  @Test
  void ownFailuresAreNotThoseOfOthers() {
    for (int i = 0; i < 7; i++) {
      // One gap with many thin failures in it.
      fail(Duration.ofMinutes(1));
      fail(Duration.ofMinutes(1));
      succeed(5);
    }
    fail(Duration.ofMinutes(1));
    assertThat(record.isPoisoned()).isTrue();
  }

  /** Their evidence is from the time when others were there. */
  @Test
  void aSuspectIsJudgedWhenNoOthersAreLeft() {
    for (int i = 0; i < 3; i++) {
      fail(Duration.ofSeconds(2));
      succeed(100);
    }
    fail(Duration.ofSeconds(2));
    assertThat(record.isSuspect()).isTrue();
    peers.end(new FailureRecord(8));
    for (int i = 0; i < 9; i++) {
      fail(Duration.ofMinutes(1));
      assertThat(record.isPoisoned()).isFalse();
    }
    fail(Duration.ofMinutes(1));
    assertThat(record.isPoisoned()).isTrue();
  }

  @Test
  void whoeverWasNeverComparedIsTriedForHours() {
    succeed(100);
    peers.end(new FailureRecord(8));
    for (int i = 0; i < 6 * 60; i++) {
      fail(Duration.ofMinutes(1));
      assertThat(record.isPoisoned()).isFalse();
    }
    fail(Duration.ofMinutes(1));
    assertThat(record.isPoisoned()).isTrue();
  }

  /** They may hold all places that there are, so that no others can run. */
  @Test
  void suspectsAreJudgedBesideEachOther() {
    var other = new FailureRecord(8);
    for (int i = 0; i < 4; i++) {
      fail(Duration.ofSeconds(30));
      peers.failed(other, now);
      succeed(20);
    }
    for (int i = 0; i < 9; i++) {
      assertThat(record.isPoisoned()).isFalse();
      fail(Duration.ofMinutes(1));
      peers.failed(other, now);
    }
    assertThat(record.isPoisoned()).isTrue();
    assertThat(other.isPoisoned()).isTrue();
  }

  @Test
  void aProviderThatNeverAnsweredIsWaitedFor() {
    peers.end(new FailureRecord(8));
    for (int i = 0; i < 10_000; i++) {
      fail(Duration.ofMinutes(1));
    }
    assertThat(record.isPoisoned()).isFalse();
  }

  @Test
  void itCanBeTurnedOff() {
    var never = new FailureRecord(0);
    for (int i = 0; i < 100; i++) {
      now += Duration.ofMinutes(1).toNanos();
      peers.failed(never, now);
      succeed(10);
    }
    assertThat(never.isPoisoned()).isFalse();
  }
}
