package dev.weir.eval.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.time.Task;
import dev.weir.time.Time;
import dev.weir.time.virtual.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class GateTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final VirtualTime time = VirtualTime.seeded(1);

  private static long seconds(long nanos) {
    return Duration.ofNanos(nanos).toSeconds();
  }

  @Test
  void letsInSoManyInTheOrderOfArrival() throws Exception {
    var gate = new Gate(time, "a place", 2);
    List<String> entered = new ArrayList<>();
    List<Long> waited = new ArrayList<>();
    time.run(
        () -> {
          List<Task<?>> tasks = new ArrayList<>();
          for (int i = 0; i < 6; i++) {
            String name = "task " + i;
            tasks.add(
                time.start(
                    name,
                    () -> {
                      try (Gate.Pass _ =
                          gate.enter(from -> until -> waited.add(seconds(until - from)))) {
                        entered.add(name + " at " + seconds(time.nanos()));
                        time.sleep(SECOND);
                      }
                    }));
          }
          for (Task<?> task : tasks) {
            task.join();
          }
        });
    assertThat(entered)
        .containsExactly(
            "task 0 at 0",
            "task 1 at 0",
            "task 2 at 1",
            "task 3 at 1",
            "task 4 at 2",
            "task 5 at 2");
    assertThat(waited).as("those who came in at once did not wait").containsExactly(1L, 1L, 2L, 2L);
    assertThat(gate.inside()).isZero();
    assertThat(gate.waiting()).isZero();
  }

  @Test
  void whoeverIsCancelledLeavesTheQueueAndHisWaitIsTold() throws Exception {
    var gate = new Gate(time, "a place", 1);
    List<Long> waited = new ArrayList<>();
    time.run(
        () -> {
          Gate.Pass first = gate.enter(Waits.IGNORED);
          Task<Gate.Pass> second =
              time.start(
                  "second", () -> gate.enter(from -> until -> waited.add(seconds(until - from))));
          Task<Gate.Pass> third = time.start("third", () -> gate.enter(Waits.IGNORED));
          time.sleep(SECOND);
          assertThat(gate.waiting()).isEqualTo(2);
          second.cancel();
          assertThatExceptionOfType(CancellationException.class).isThrownBy(second::join);
          assertThat(waited).containsExactly(1L);
          assertThat(gate.waiting()).isEqualTo(1);
          first.close();
          third.join().close();
          assertThat(gate.inside()).isZero();
        });
  }

  @Test
  void aPlaceThatIsHandedOverAtTheMomentOfCancellingGoesToTheNext() throws Exception {
    var gate = new Gate(time, "a place", 1);
    time.run(
        () -> {
          Gate.Pass first = gate.enter(Waits.IGNORED);
          Task<Gate.Pass> second = time.start("second", () -> gate.enter(Waits.IGNORED));
          Task<Gate.Pass> third = time.start("third", () -> gate.enter(Waits.IGNORED));
          time.sleep(SECOND);
          first.close();
          second.cancel();
          assertThatExceptionOfType(CancellationException.class).isThrownBy(second::join);
          third.join().close();
          assertThat(gate.inside()).isZero();
        });
  }

  @Test
  void aPlaceIsGivenBackOnce() throws Exception {
    var gate = new Gate(time, "a place", 2);
    time.run(
        () -> {
          Gate.Pass pass = gate.enter(Waits.IGNORED);
          Gate.Pass other = gate.enter(Waits.IGNORED);
          pass.close();
          pass.close();
          assertThat(gate.inside()).isEqualTo(1);
          other.close();
          assertThat(gate.inside()).isZero();
        });
  }

  @Test
  void neverMoreThanTheLimitAndNoPlaceIsLostWhateverIsCancelled() throws Exception {
    for (int seed = 0; seed < 50; seed++) {
      crowd(seed);
    }
  }

  private static void crowd(int seed) throws Exception {
    var time = VirtualTime.seeded(seed);
    var random = new SplittableRandom(seed);
    int limit = 1 + random.nextInt(4);
    var gate = new Gate(time, "a place", limit);
    var inside = new AtomicInteger();
    var most = new AtomicInteger();
    time.run(
        () -> {
          List<Task<?>> tasks = new ArrayList<>();
          for (int i = 0; i < 40; i++) {
            long before = random.nextLong(2_000);
            long within = random.nextLong(500);
            tasks.add(
                time.start(
                    "visitor",
                    () -> {
                      time.sleep(Duration.ofMillis(before));
                      try (Gate.Pass _ = gate.enter(Waits.IGNORED)) {
                        most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                        try {
                          time.sleep(Duration.ofMillis(within));
                        } finally {
                          inside.decrementAndGet();
                        }
                      }
                    }));
          }
          for (int i = 0; i < 15; i++) {
            time.sleep(Duration.ofMillis(random.nextLong(200)));
            tasks.get(random.nextInt(tasks.size())).cancel();
          }
          for (Task<?> task : tasks) {
            task.join(Time.NEVER);
          }
        });
    assertThat(most.get()).as("seed %d", seed).isBetween(1, limit);
    assertThat(gate.inside()).as("seed %d", seed).isZero();
    assertThat(gate.waiting()).as("seed %d", seed).isZero();
  }

  @Test
  void aLimitIsAtLeastOne() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Gate(time, "a place", 0))
        .withMessage("`limit` must be >= 1, was 0");
  }
}
