package dev.weir.simulator.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RequestCountTest {

  private final RequestCount count = new RequestCount();

  private static long at(double seconds) {
    return Math.round(seconds * 1e9);
  }

  @Test
  void openRequestsAreIntegrated() {
    count.received(at(1));
    count.received(at(2));
    count.answered(at(4), 10, 3);
    count.cancelled(at(4.5));
    RequestTotals totals = count.totals(at(100));
    assertThat(totals.openSeconds()).isEqualTo(3 + 2.5);
    assertThat(totals.peakOpen()).isEqualTo(2);
    assertThat(totals.open()).isZero();
    assertThat(totals.promptTokens()).isEqualTo(10);
    assertThat(totals.cancelled()).isEqualTo(1);
  }

  @Test
  void aMinuteBeginsAnywhereAndExcludesItsBeginning() {
    long minute = Duration.ofMinutes(1).toNanos();
    for (int i = 0; i < 4; i++) {
      count.received(at(30 + 20 * i));
      count.admitted(at(30 + 20 * i), 100, 7);
    }
    // At 30, 50, 70 and 90 s: the first is exactly a minute old when the last comes.
    assertThat(count.totals(minute).requestsPerMinuteMax()).isEqualTo(3);
    count.received(at(90) + 1);
    assertThat(count.totals(at(91)).requestsPerMinuteMax()).isEqualTo(4);
    assertThat(count.totals(at(91)).promptTokensPerMinuteMax()).isEqualTo(300);
    assertThat(count.totals(at(91)).outputTokensPerMinuteMax()).isEqualTo(21);
    assertThat(count.totals(at(91)).tokensPerMinuteMax()).isEqualTo(321);
  }

  @Test
  void whatIsOpenStaysSoWhenCountsBeginAgain() {
    count.received(at(1));
    var again = new RequestCount(count, at(5));
    again.refused(at(7));
    RequestTotals totals = again.totals(at(9));
    assertThat(totals.openSeconds()).isEqualTo(2);
    assertThat(totals.peakOpen()).isEqualTo(1);
    assertThat(totals.requests()).isZero();
    assertThat(totals.refusals()).isEqualTo(1);
    assertThat(totals.open()).isZero();
  }
}
