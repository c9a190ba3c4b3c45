package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.run.RunProgress;
import dev.weir.limits.Lane;
import dev.weir.limits.Waiting;
import dev.weir.limits.event.Constraint;
import dev.weir.log.Tokens;
import dev.weir.model.price.Spend;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ProgressLineTest {

  private static RunProgress progress(
      int done, int total, int window, long retries, Duration elapsed) {
    return progress(
        total,
        done,
        new Lane.Status(window, window, 5, 0, retries),
        waitingFor(Constraint.WINDOW),
        Optional.empty(),
        elapsed);
  }

  private static RunProgress progress(
      int total,
      int done,
      Lane.Status lane,
      Waiting waiting,
      Optional<Duration> waitsFor,
      Duration elapsed) {
    return new RunProgress(
        "t",
        "sim/demo",
        total,
        done,
        0,
        1,
        0,
        0,
        lane,
        waiting,
        waitsFor,
        Tokens.NONE,
        Spend.NONE,
        elapsed,
        false);
  }

  private static Waiting waitingFor(Constraint constraint) {
    return new Waiting(constraint, "sim/demo", OptionalLong.empty());
  }

  @Test
  void theCountsComeBeforeTheEdgeOfANarrowTerminal() {
    var line = new ProgressLine(false);
    String live = line.live(progress(12_345, 20_000, 200, 1_234, Duration.ofHours(2)));
    assertThat(live).hasSizeLessThan(80).startsWith("█").contains("░ 12345");
    assertThat(live.substring(0, 60)).contains("12345/20000 · 200/200 in flight · 1234 retries");
    assertThat(live).endsWith(" · 2:00:00 · ETA 1:14:24");
  }

  @Test
  void theBarMakesRoomForNumbers() {
    var line = new ProgressLine(false);
    assertThat(line.live(progress(5, 50, 10, 0, Duration.ofSeconds(2))))
        .startsWith("██░░░░░░░░░░░░░░░░░░ 5/50 · ");
    RunProgress huge =
        progress(1_500_000_000, 2_000_000_000, 1_000_000, 1_000_000_000L, Duration.ofHours(999));
    assertThat(line.live(huge)).startsWith("1500000000/2000000000 · ");
  }

  @Test
  void coloursAreForTheBarAlone() {
    assertThat(new ProgressLine(true).live(progress(50, 50, 10, 0, Duration.ofSeconds(2))))
        .startsWith("\u001b[36m" + "█".repeat(20) + "\u001b[0m 50/50 · ");
  }

  @Test
  void saysWhenEverythingWaitsToBeTriedAgain() {
    var lane = new Lane.Status(0, 10, 0, 3, 24);
    var progress =
        progress(
            3,
            0,
            lane,
            waitingFor(Constraint.BACKOFF),
            Optional.of(Duration.ofMillis(14_200)),
            Duration.ofSeconds(575));
    assertThat(new ProgressLine(false).plain(progress))
        .isEqualTo("0/3 · 0 in flight · 24 retries · 09:35 · 3 to try again, next in 15 s");
  }

  @Test
  void saysWhatLimitsTheRun() {
    var lane = new Lane.Status(31, 2_000, 400, 0, 0);
    var progress =
        progress(
            500, 100, lane, waitingFor(Constraint.QUOTA), Optional.empty(), Duration.ofSeconds(10));
    assertThat(new ProgressLine(false).plain(progress))
        .isEqualTo("100/500 · 31 in flight · 0 retries · 00:10 · ETA 00:40 · quota");
  }
}
