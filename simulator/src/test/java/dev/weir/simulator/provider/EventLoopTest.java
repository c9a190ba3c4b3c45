package dev.weir.simulator.provider;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventLoopTest {

  private final EventLoop loop = new EventLoop();
  private final List<String> log = new ArrayList<>();

  @Test
  void runsInTheOrderOfTimeAndTiesInTheOrderOfAdding() {
    note(20, "third");
    note(10, "first");
    note(20, "fourth");
    note(10, "second");
    runAll();
    assertThat(log).containsExactly("10 first", "10 second", "20 third", "20 fourth");
  }

  @Test
  void whatIsAddedForThePastRunsAfterWhatIsDueNow() {
    loop.at(
        50,
        () -> {
          note(10, "late");
          loop.after(-5, () -> log.add(loop.now() + " later"));
        });
    note(50, "due");
    runAll();
    assertThat(log).containsExactly("50 due", "50 late", "50 later");
  }

  @Test
  void stopsAtTheTimeOrTheConditionAndGoesOnFromThere() {
    for (int time = 10; time <= 50; time += 10) {
      note(time, "tick");
    }
    loop.runUntil(30, () -> false);
    assertThat(log).hasSize(3);
    loop.run(() -> log.size() == 4);
    assertThat(loop.now()).isEqualTo(40);
    loop.after(Duration.ofNanos(5), () -> log.add(loop.now() + " between"));
    runAll();
    assertThat(log).endsWith("45 between", "50 tick");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void keepsTheOrderOfThousandsAddedInAnyOrder(long seed) {
    var random = new SplittableRandom(seed);
    List<long[]> ran = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      long number = i;
      loop.at(
          random.nextLong(1_000),
          () -> {
            ran.add(new long[] {loop.now(), number});
            loop.after(
                random.nextLong(100), () -> ran.add(new long[] {loop.now(), Long.MAX_VALUE}));
          });
    }
    runAll();
    assertThat(ran).as("seed %d", seed).hasSize(10_000);
    for (int i = 1; i < ran.size(); i++) {
      long[] before = ran.get(i - 1);
      long[] after = ran.get(i);
      assertThat(before[0]).as("seed %d", seed).isLessThanOrEqualTo(after[0]);
      if (before[0] == after[0] && after[1] != Long.MAX_VALUE) {
        assertThat(before[1]).as("seed %d", seed).isLessThan(after[1]);
      }
    }
  }

  private void note(long time, String what) {
    loop.at(time, () -> log.add(loop.now() + " " + what));
  }

  private void runAll() {
    loop.run(() -> false);
  }
}
