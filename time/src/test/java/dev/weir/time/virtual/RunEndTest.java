package dev.weir.time.virtual;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.time.Signal;
import dev.weir.time.Task;
import dev.weir.time.TaskFailedException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How runs end, and what they throw: each ends, and none hides what went wrong. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RunEndTest {

  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final RunLimits SHORT = new RunLimits(Duration.ofMillis(500), 10, 50, 200);

  private final VirtualTime time = VirtualTime.seeded(1).limitedBy(SHORT);

  @Test
  void whatTheObserverThrowsFailsTheRunAtWhicheverStep() throws Exception {
    for (int step = 1; step <= 6; step++) {
      assertObserverFailure(step);
    }
  }

  private static void assertObserverFailure(int failingStep) throws Exception {
    var failure = new IllegalStateException("disk full at step " + failingStep);
    List<Step> steps = new ArrayList<>();
    List<String> unwound = new ArrayList<>();
    VirtualTime time =
        VirtualTime.observed(
            1,
            VirtualTime.DEFAULT_START,
            step -> {
              steps.add(step);
              if (steps.size() == failingStep) {
                throw failure;
              }
            });
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(
            () ->
                time.run(
                    () -> {
                      try {
                        Task<?> worker = time.start("worker", () -> time.sleep(SECOND));
                        time.start("bystander", () -> time.sleep(SECOND.multipliedBy(9)));
                        worker.join();
                        time.sleep(SECOND);
                      } finally {
                        unwound.add("main");
                      }
                    }))
        .isSameAs(failure);
    assertThat(steps).hasSize(failingStep);
    assertThat(unwound).hasSize(failingStep == 1 ? 0 : 1);
    assertThat(time.run(() -> "again")).isEqualTo("again");
  }

  @Test
  void tasksStartedAfterMainHasEndedBeginCancelled() throws Exception {
    List<String> seen = new ArrayList<>();
    time.run(
        () -> {
          time.start(
              "leftover",
              () -> {
                try {
                  time.sleep(SECOND);
                } finally {
                  time.start(
                      "late ticker",
                      () -> {
                        seen.add("begun");
                        while (true) {
                          time.sleep(SECOND);
                          seen.add("tick");
                        }
                      });
                }
              });
          time.sleepUntil(1);
        });
    assertThat(seen).containsExactly("begun");
    assertThat(time.nanos()).isEqualTo(1);
  }

  @Test
  void aLeftoverThatIgnoresItsCancellationEndsTheRun() throws Exception {
    assertThatExceptionOfType(DeadlockException.class)
        .isThrownBy(() -> time.run(this::leaveATickerThatIgnoresInterrupts))
        .withMessageContaining("main has ended, but 200 hand-overs later")
        .withMessageContaining("(deaf ticker) waits for a time");
    assertThat(time.run(() -> "again")).isEqualTo("again");
  }

  private void leaveATickerThatIgnoresInterrupts() throws InterruptedException {
    time.start(
        "deaf ticker",
        () -> {
          while (true) {
            try {
              time.sleep(SECOND);
            } catch (InterruptedException ignored) {
              // That is the fault.
            }
          }
        });
    time.sleepUntil(1);
  }

  @Test
  void aSupervisorOfADeadlockedTaskIsUnwoundToo() {
    assertThatExceptionOfType(DeadlockException.class)
        .isThrownBy(
            () ->
                time.run(
                    () -> {
                      Task<?> victim = time.start("victim", () -> time.signal("nothing").await());
                      time.start(
                          "supervisor",
                          () -> {
                            try {
                              victim.join();
                            } catch (TaskFailedException failed) {
                              while (true) {
                                time.sleep(SECOND);
                              }
                            }
                          });
                      victim.join();
                    }))
        .withMessageContaining("(supervisor) waits for the end of task victim");
    assertThat(time.nanos()).isZero();
  }

  @Test
  void tasksStartedWhileADeadlockIsUnwoundDoNotBegin() {
    List<String> seen = new ArrayList<>();
    assertThatExceptionOfType(DeadlockException.class)
        .isThrownBy(
            () ->
                time.run(
                    () -> {
                      try {
                        time.signal("nothing").await();
                      } finally {
                        time.start("late", () -> seen.add("begun"));
                      }
                    }));
    assertThat(seen).isEmpty();
  }

  @Test
  void aTaskThatCatchesEverythingIsNamedAndLeft() throws Exception {
    Signal nothing = time.signal("nothing");
    List<String> cleaned = new ArrayList<>();
    assertThatExceptionOfType(DeadlockException.class)
        .isThrownBy(
            () ->
                time.run(
                    () -> {
                      time.start("deaf", () -> catchEverything(nothing));
                      time.start(
                          "worker",
                          () -> {
                            try {
                              time.signal("nothing either").await();
                            } finally {
                              cleaned.add("worker");
                            }
                          });
                      time.signal("nothing at all").await();
                    }))
        .withMessageContaining("all tasks wait")
        .satisfies(
            thrown ->
                assertThat(thrown.getSuppressed())
                    .singleElement()
                    .extracting(Throwable::getMessage)
                    .asString()
                    .contains("gave up on task 2 (deaf)", "50 times", "waited again for nothing"));
    assertThat(cleaned).containsExactly("worker");
    assertThat(time.run(() -> "again")).isEqualTo("again");
  }

  @Test
  void mainThatCatchesEverythingIsNamedAndLeft() {
    Signal nothing = time.signal("nothing");
    assertThatExceptionOfType(DeadlockException.class)
        .isThrownBy(() -> time.run(() -> catchEverything(nothing)))
        .satisfies(thrown -> assertThat(thrown.getSuppressed()).hasSize(1));
  }

  private static void catchEverything(Signal nothing) {
    while (true) {
      try {
        nothing.await();
      } catch (Throwable ignored) {
        // That is the fault.
      }
    }
  }

  @Test
  void theFailureOfMainWinsOverADeadlockThatFollows() {
    var failure = new AssertionError("expected 1 but was 2");
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(
            () ->
                time.run(
                    () -> {
                      time.start(
                          "leftover",
                          () -> {
                            try {
                              time.sleep(SECOND);
                            } finally {
                              time.signal("nothing").await();
                            }
                          });
                      time.sleepUntil(1);
                      throw failure;
                    }))
        .isSameAs(failure);
    assertThat(failure.getSuppressed())
        .singleElement()
        .isInstanceOf(DeadlockException.class)
        .extracting(Throwable::getMessage)
        .asString()
        .contains("(leftover) waits for nothing");
  }

  @Test
  void aFailureThatNobodyObservedFailsTheRun() throws Exception {
    var failure = new IOException("disk on fire");
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(
            () ->
                time.run(
                    () -> {
                      Task<?> worker = fail(failure);
                      fail(new IOException("a later one"));
                      assertThat(worker.join(time.after(SECOND))).isTrue();
                      return "fine";
                    }))
        .isSameAs(failure);
    assertThat(time.run(() -> "again")).isEqualTo("again");
  }

  @Test
  void aFailureThatNobodyObservedIsSuppressedByThatOfMainOrADeadlock() {
    var failure = new IOException("disk on fire");
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(
            () ->
                time.run(
                    () -> {
                      fail(failure);
                      time.sleep(SECOND);
                      throw new AssertionError("wrong");
                    }))
        .satisfies(thrown -> assertThat(thrown.getSuppressed()).containsExactly(failure));
    assertThatExceptionOfType(DeadlockException.class)
        .isThrownBy(
            () ->
                time.run(
                    () -> {
                      fail(failure);
                      time.signal("what the worker would have sent").await();
                    }))
        .satisfies(thrown -> assertThat(thrown.getSuppressed()).containsExactly(failure));
  }

  @Test
  void aFailureThatMainThrowsItselfIsThrownOnce() {
    var failure = new IOException("disk on fire");
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(
            () ->
                time.run(
                    () -> {
                      fail(failure);
                      time.sleep(SECOND);
                      throw failure;
                    }))
        .isSameAs(failure);
    assertThat(failure.getSuppressed()).isEmpty();
  }

  @Test
  void failuresThatAJoinHasThrownAndCancellationsDoNotFailTheRun() throws Exception {
    time.run(
        () -> {
          Task<?> worker = fail(new IOException("disk on fire"));
          time.sleep(SECOND);
          assertThatExceptionOfType(TaskFailedException.class).isThrownBy(worker::join);
          fail(new CancellationException("not needed"));
          fail(new InterruptedException("not needed"));
          time.start("leftover", () -> time.sleep(SECOND.multipliedBy(9)));
          time.sleep(SECOND);
        });
  }

  private Task<?> fail(Exception failure) {
    return time.start(
        "worker",
        () -> {
          throw failure;
        });
  }
}
