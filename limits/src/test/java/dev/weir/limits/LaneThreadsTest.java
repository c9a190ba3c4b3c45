package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.pace.Cost;
import dev.weir.limits.retry.Outcome;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Real threads that wait for permits while others cancel them. The profile {@code interleavings}
 * looks at the same more closely.
 */
class LaneThreadsTest {

  private static final Demand DEMAND = Demand.of("task", Cost.ONE_REQUEST);
  private static final int WAVES = 200;
  private static final int USERS = 24;
  private static final long SEED = 20_261_115;

  private final Time time = Time.system();

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void cancelledWaitersTakeNothingWithThem(int window) throws Exception {
    Lane lane =
        Regulator.unbounded(time, new SplittableRandom(SEED))
            .lane("sim/threads", new Mode.Static(window));
    var random = new SplittableRandom(SEED);
    var holding = new AtomicInteger();
    var most = new AtomicInteger();
    for (int wave = 0; wave < WAVES; wave++) {
      List<Task<?>> users = new ArrayList<>();
      for (int user = 0; user < USERS; user++) {
        users.add(
            time.start(
                "user-" + user,
                () -> {
                  try (Permit permit = lane.acquire(DEMAND)) {
                    most.accumulateAndGet(holding.incrementAndGet(), Math::max);
                    try {
                      time.sleepUntil(time.nanos() + 1_000);
                    } finally {
                      holding.decrementAndGet();
                    }
                    permit.settle(new Outcome.Clean(), Cost.ONE_REQUEST);
                  } catch (InterruptedException cancelled) {
                    return; // before it had its permit, or with it
                  }
                }));
        if (random.nextInt(3) == 0) {
          users.get(random.nextInt(users.size())).cancel();
        }
      }
      for (Task<?> user : users) {
        assertThat(user.join(time.nanos() + 60_000_000_000L))
            .as("stuck: %s", lane.status())
            .isTrue();
      }
    }
    assertThat(most.get()).isLessThanOrEqualTo(window);
    assertThat(lane.status()).isEqualTo(new Lane.Status(0, window, 0, 0, 0));
  }
}
