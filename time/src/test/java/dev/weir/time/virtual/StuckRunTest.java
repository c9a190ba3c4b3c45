package dev.weir.time.virtual;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs whose running task is blocked or parked outside virtual time. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StuckRunTest {

  private static final RunLimits IMPATIENT = limits(20);
  private static final RunLimits PATIENT = limits(5_000);

  private static RunLimits limits(int stuckChecks) {
    return new RunLimits(Duration.ofMillis(10), stuckChecks, 1_000, 1_000);
  }

  @Test
  void aTaskBlockedAtAMonitorEndsTheRunWhereWaitsAreNotChecked() {
    var lock = new Object();
    VirtualTime time = VirtualTime.seeded(1).thinlyChecked().limitedBy(IMPATIENT);
    assertThatExceptionOfType(DeadlockException.class)
        .isThrownBy(
            () ->
                time.run(
                    () -> {
                      VirtualTimeTest.pastTheThinlyCheckedWaits(time);
                      time.start(
                          "intruder",
                          () -> {
                            synchronized (lock) {
                            }
                          });
                      synchronized (lock) {
                        time.sleep(Duration.ofSeconds(1));
                      }
                    }))
        .withMessageContaining("(intruder) is blocked at a monitor in " + getClass().getName())
        .withMessageContaining("a waiting task or a foreign thread holds")
        .withMessageContaining("(main) waits for a time");
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(() -> time.run(() -> null))
        .withMessageContaining("stuck at a lock");
  }

  @Test
  void aTaskParkedAtALockEndsTheRun() {
    var lock = new ReentrantLock();
    VirtualTime time = VirtualTime.seeded(1).limitedBy(IMPATIENT);
    assertThatExceptionOfType(DeadlockException.class)
        .isThrownBy(
            () ->
                time.run(
                    () -> {
                      time.start("intruder", () -> lock.lock());
                      lock.lock();
                      try {
                        time.sleep(Duration.ofSeconds(1));
                      } finally {
                        lock.unlock();
                      }
                    }))
        .withMessageContaining("(intruder) is parked in " + getClass().getName())
        .withMessageContaining("(main) waits for a time");
  }

  @Test
  void aForeignThreadThatHoldsAMonitorForAWhileDoesNoHarm() throws Exception {
    var lock = new Object();
    var held = new CountDownLatch(1);
    VirtualTime time = VirtualTime.seeded(1).limitedBy(PATIENT);
    Thread foreign =
        Thread.ofPlatform()
            .start(
                () -> {
                  synchronized (lock) {
                    held.countDown();
                    // Many looks of the watchdog, but far fewer than it takes.
                    LockSupport.parkNanos(Duration.ofMillis(300).toNanos());
                  }
                });
    held.await();
    String result =
        time.run(
            () -> {
              synchronized (lock) {
                return "got it";
              }
            });
    assertThat(result).isEqualTo("got it");
    foreign.join();
  }

  @Test
  void aSlowObserverIsNotMistakenForAStuckTask() throws Exception {
    VirtualTime time =
        VirtualTime.observed(
                1,
                VirtualTime.DEFAULT_START,
                step -> LockSupport.parkNanos(Duration.ofMillis(300).toNanos()))
            .limitedBy(IMPATIENT);
    assertThat(time.run(() -> "done")).isEqualTo("done");
  }

  @Test
  void onlyTheSamePlaceWithoutAHandOverCounts() {
    var watch = new StuckWatch(3);
    var task = new VirtualTask<>(VirtualTime.seeded(1), 1, "worker", () -> "done");
    var here = new StuckWatch.Sighting(task, 7, Thread.State.BLOCKED, frame(1));
    var there = new StuckWatch.Sighting(task, 7, Thread.State.BLOCKED, frame(2));
    var later = new StuckWatch.Sighting(task, 8, Thread.State.BLOCKED, frame(2));
    assertThat(watch.isStuck(here)).isFalse();
    assertThat(watch.isStuck(here)).isFalse();
    assertThat(watch.isStuck(there)).isFalse();
    assertThat(watch.isStuck(there)).isFalse();
    assertThat(watch.isStuck(later)).isFalse();
    assertThat(watch.isStuck(later)).isFalse();
    assertThat(watch.isStuck(null)).isFalse();
    assertThat(watch.isStuck(later)).isFalse();
    assertThat(watch.isStuck(later)).isFalse();
    assertThat(watch.isStuck(later)).isTrue();
  }

  private static List<StackTraceElement> frame(int line) {
    return List.of(new StackTraceElement("Example", "method", "Example.java", line));
  }
}
