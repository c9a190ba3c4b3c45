package dev.weir.cli.carriers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.time.Task;
import dev.weir.time.Time;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import jdk.management.VirtualThreadSchedulerMXBean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** On the scheduler of this very process. */
@Timeout(60)
class CarriersTest {

  private static final int ALL = 3;

  private final VirtualThreadSchedulerMXBean scheduler =
      ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);
  private final int before = scheduler.getParallelism();
  private final LinkedBlockingQueue<Integer> counts = new LinkedBlockingQueue<>();
  private volatile boolean isHeldUp = true;

  @BeforeEach
  void giveCarriers() {
    scheduler.setParallelism(ALL);
  }

  @AfterEach
  void takeThemBack() {
    isHeldUp = false;
    scheduler.setParallelism(before);
  }

  @Test
  void whoHoldsUpTheLastCarrierDoesNotHoldUpTheOthers() throws Exception {
    try (var _ = Carriers.fitted(counts::add)) {
      awaitCount(1);
      var begun = new CountDownLatch(1);
      var one = Time.system().start("one that never waits", () -> holdUp(begun));
      begun.await();

      // Ends only if it is given a carrier.
      Time.system().start("another", () -> isHeldUp = false).join();

      awaitCount(ALL);
      one.join();
    }
  }

  @Test
  void whoHoldUpAllCarriersDoNotHoldUpTheOthers() throws Exception {
    try (var _ = Carriers.fitted(counts::add)) {
      var begun = new CountDownLatch(ALL);
      List<Task<?>> all = new ArrayList<>();
      for (int i = 0; i < ALL; i++) {
        all.add(Time.system().start("one that never waits", () -> holdUp(begun)));
      }
      begun.await();

      Time.system().start("another", () -> isHeldUp = false).join();

      awaitCount(2 * ALL);
      for (Task<?> task : all) {
        task.join();
      }
    }
  }

  @Test
  void allCarriersAreBackInTheEnd() throws Exception {
    try (var _ = Carriers.fitted(counts::add)) {
      awaitCount(1);
    }

    awaitCount(ALL);
    assertThat(scheduler.getParallelism()).isEqualTo(ALL);
  }

  /** There may be others before it, since this process has more to do than this. */
  private void awaitCount(int expected) throws InterruptedException {
    while (counts.take() != expected) {
      // The next, then.
    }
  }

  private void holdUp(CountDownLatch begun) {
    begun.countDown();
    while (isHeldUp) {
      Thread.onSpinWait();
    }
  }
}
