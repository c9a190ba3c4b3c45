package dev.weir.time.virtual;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.time.Task;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** One simulated hour with 10,000 tasks that each wait 360 times. */
class SimulatedHourTest {

  private static final int TASKS = 10_000;
  private static final int WAITS = 360;
  private static final long TEN_SECONDS = Duration.ofSeconds(10).toNanos();

  @Test
  void twoRunsHaveIdenticalHistories() throws Exception {
    // Side by side: the two know nothing of each other, and half a minute is long for one test.
    var inTheBackground = new FutureTask<>(() -> History.of(42));
    Thread.ofPlatform().daemon().start(inTheBackground);
    History first = History.of(42);
    History second = inTheBackground.get();

    assertThat(first.length).isGreaterThanOrEqualTo(TASKS * WAITS);
    assertThat(first.end).isBetween(Duration.ofMinutes(59), Duration.ofMinutes(61));
    assertThat(second.length).isEqualTo(first.length);
    assertThat(second.end).isEqualTo(first.end);
    // Compared whole: arrays keep 3.6 million events small.
    assertThat(Arrays.equals(first.nanos, second.nanos)).isTrue();
    assertThat(Arrays.equals(first.sequences, second.sequences)).isTrue();
    assertThat(Arrays.equals(first.tasks, second.tasks)).isTrue();
  }

  @Test
  void anotherSeedGivesAnotherHistory() throws Exception {
    assertThat(Arrays.equals(History.of(1, 100).nanos, History.of(2, 100).nanos)).isFalse();
  }

  private static final class History {
    private long[] nanos = new long[1 << 12];
    private long[] sequences = new long[1 << 12];
    private int[] tasks = new int[1 << 12];
    private int length;
    private Duration end = Duration.ZERO;

    static History of(long seed) throws Exception {
      return of(seed, TASKS);
    }

    static History of(long seed, int tasks) throws Exception {
      var history = new History();
      VirtualTime time = VirtualTime.observed(seed, Instant.EPOCH, history::add).thinlyChecked();
      time.run(
          () -> {
            List<Task<?>> started = new ArrayList<>();
            for (int i = 0; i < tasks; i++) {
              var random = new SplittableRandom(time.freshSeed());
              started.add(
                  time.start(
                      "task-" + i,
                      () -> {
                        for (int wait = 0; wait < WAITS; wait++) {
                          // One wait in each ten seconds of the hour, at a random moment of it.
                          time.sleepUntil(wait * TEN_SECONDS + random.nextLong(TEN_SECONDS));
                        }
                      }));
            }
            for (Task<?> task : started) {
              task.join();
            }
          });
      history.end = Duration.ofNanos(time.nanos());
      return history;
    }

    private void add(Step step) {
      if (length == nanos.length) {
        nanos = Arrays.copyOf(nanos, length * 2);
        sequences = Arrays.copyOf(sequences, length * 2);
        tasks = Arrays.copyOf(tasks, length * 2);
      }
      nanos[length] = step.nanos();
      sequences[length] = step.sequence();
      tasks[length] = step.task().hashCode();
      length++;
    }
  }
}
