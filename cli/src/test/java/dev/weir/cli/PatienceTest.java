package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.time.Completion;
import dev.weir.time.virtual.VirtualTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PatienceTest {

  private final VirtualTime time = VirtualTime.seeded(1);
  private final AtomicLong written = new AtomicLong(100);
  private final List<Long> told = new ArrayList<>();
  private final Patience patience =
      new Patience(time, () -> Map.of(Path.of("run.journal"), written.get()), told::add);
  private final Completion<Boolean> end = new Completion<>(time, "the end");

  private long seconds() {
    return Duration.ofNanos(time.nanos()).toSeconds();
  }

  private boolean awaits() throws InterruptedException {
    return patience.awaits(end, Patience.WITHOUT_A_WRITE);
  }

  @Test
  void whatIsBegunAndTakenBackIsNoSignOfLife() throws Exception {
    time.run(
        () -> {
          time.start(
              "writer on a full disk",
              () -> {
                for (int i = 0; i < 100; i++) {
                  time.sleep(Duration.ofMillis(1_500));
                  written.set(100 + 50 * (i % 2));
                }
              });
          assertThat(awaits()).isFalse();
          assertThat(seconds()).isLessThan(20);
        });
  }

  @Test
  void waitsAsLongAsSomethingIsWrittenAndTellsHowMuch() throws Exception {
    time.run(
        () -> {
          time.start(
              "writer",
              () -> {
                for (int i = 0; i < 6; i++) {
                  time.sleep(Duration.ofSeconds(7));
                  written.addAndGet(1_000);
                }
                end.complete(true);
              });
          assertThat(awaits()).isTrue();
          assertThat(seconds()).isEqualTo(42);
          assertThat(told).containsExactly(1_100L, 2_100L, 4_100L, 5_100L);
          return 0;
        });
  }

  @Test
  void whatWritesNothingIsGivenUpForGood() throws Exception {
    time.run(
        () -> {
          time.start(
              "writer",
              () -> {
                time.sleep(Duration.ofMillis(4_500));
                written.set(200);
                time.sleep(Duration.ofSeconds(30));
                written.set(300);
              });
          assertThat(awaits()).isFalse();
          assertThat(seconds()).as("ten after it was seen to write").isEqualTo(15);
          time.sleep(Duration.ofSeconds(60));
          assertThat(awaits()).as("what comes later is too late").isFalse();
          assertThat(seconds()).isEqualTo(75);
          return 0;
        });
  }

  @Test
  void whatHasOnlyToBeToldIsAwaitedForLess() throws Exception {
    time.run(
        () -> {
          assertThat(patience.awaits(end, Duration.ofSeconds(2))).isFalse();
          assertThat(seconds()).isEqualTo(2);
          assertThat(told).isEmpty();
          return 0;
        });
  }
}
