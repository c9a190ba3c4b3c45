package dev.weir.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;

/**
 * What every implementation of {@link Time} must do; run on the system's clock and on virtual time.
 */
public abstract class TimeContract {

  private static final Duration SHORT = Duration.ofMillis(2);
  private static final Duration LONG = Duration.ofHours(1);

  protected abstract Time time();

  /** Runs the work as a task of {@link #time()} and returns when it has ended. */
  protected abstract void run(Action work) throws Exception;

  @Test
  void sleepingReachesTheDeadline() throws Exception {
    run(
        () -> {
          long deadline = time().after(SHORT);
          time().sleepUntil(deadline);
          assertThat(time().nanos()).isGreaterThanOrEqualTo(deadline);
        });
  }

  @Test
  void pastDeadlinesReturnAtOnce() throws Exception {
    run(
        () -> {
          time().sleepUntil(time().nanos() - 1);
          time().sleep(Duration.ofSeconds(-5));
          assertThat(time().signal("nothing").await(time().nanos())).isFalse();
          time().sleepUntil(Long.MIN_VALUE);
          time().sleep(Duration.ofNanos(Long.MIN_VALUE));
          time().sleep(Duration.ofSeconds(Long.MIN_VALUE));
          assertThat(time().signal("nothing").await(Long.MIN_VALUE)).isFalse();
        });
  }

  @Test
  void deadlinesOutOfRangeNeverCome() {
    assertThat(time().after(Duration.ofSeconds(Long.MAX_VALUE))).isEqualTo(Time.NEVER);
    assertThat(time().after(Duration.ofSeconds(Long.MIN_VALUE)))
        .isLessThanOrEqualTo(time().nanos());
  }

  @Test
  void wallTimeMovesWithTheClock() throws Exception {
    run(
        () -> {
          var before = time().instant();
          time().sleep(SHORT);
          assertThat(time().instant()).isAfter(before);
        });
  }

  @Test
  void joinReturnsTheResult() throws Exception {
    run(
        () -> {
          Task<String> task =
              time()
                  .start(
                      "worker",
                      () -> {
                        time().sleep(SHORT);
                        return "done";
                      });
          assertThat(task.name()).isEqualTo("worker");
          assertThat(task.join()).isEqualTo("done");
          assertThat(task.isDone()).isTrue();
          assertThat(task.join()).isEqualTo("done");
        });
  }

  @Test
  void joinTellsWhatTheWorkThrew() throws Exception {
    run(
        () -> {
          var cause = new java.io.IOException("disk on fire");
          Task<?> task =
              time()
                  .start(
                      "worker",
                      () -> {
                        throw cause;
                      });
          assertThatExceptionOfType(TaskFailedException.class)
              .isThrownBy(task::join)
              .withMessageContaining("worker")
              .withMessageContaining("disk on fire")
              .withCause(cause);
        });
  }

  @Test
  void joinGivesUpAtItsDeadline() throws Exception {
    run(
        () -> {
          Task<?> task = sleeper();
          assertThat(task.join(time().after(SHORT))).isFalse();
          assertThat(task.isDone()).isFalse();
          task.cancel();
          assertThat(task.join(time().after(LONG))).isTrue();
        });
  }

  @Test
  void aSignalWakesItsWaiter() throws Exception {
    run(
        () -> {
          Signal signal = time().signal("news");
          Task<Boolean> waiter = time().start("waiter", () -> signal.await(time().after(LONG)));
          signal.send();
          assertThat(waiter.join()).isTrue();
        });
  }

  @Test
  void aSignalSentEarlyIsKeptOnceAndTakenOnce() throws Exception {
    run(
        () -> {
          Signal signal = time().signal("news");
          signal.send();
          signal.send();
          assertThat(signal.await(time().after(LONG))).isTrue();
          assertThat(signal.await(time().after(SHORT))).isFalse();
        });
  }

  @Test
  void aSignalHasOneWaiter() throws Exception {
    run(
        () -> {
          Signal signal = time().signal("news");
          Signal waiting = time().signal("the waiter");
          Task<?> first =
              time()
                  .start(
                      "first",
                      () -> {
                        waiting.send();
                        signal.await();
                      });
          waiting.await();
          // The first may not wait yet when it says so: let it get there.
          time().sleep(SHORT);
          assertThatExceptionOfType(IllegalStateException.class)
              .isThrownBy(() -> signal.await(time().after(SHORT)))
              .withMessageContaining("first")
              .withMessageContaining("news");
          signal.send();
          first.join();
        });
  }

  @Test
  void cancellingEndsASleep() throws Exception {
    run(
        () -> {
          Task<?> task = sleeper();
          time().sleep(SHORT);
          task.cancel();
          assertThatExceptionOfType(CancellationException.class).isThrownBy(task::join);
        });
  }

  @Test
  void cancellingEndsAWaitForASignalAndAJoin() throws Exception {
    run(
        () -> {
          Task<?> sleeper = sleeper();
          Task<?> joiner = time().start("joiner", () -> sleeper.join());
          Task<Boolean> waiter =
              time().start("waiter", () -> time().signal("nothing").await(Time.NEVER));
          time().sleep(SHORT);
          joiner.cancel();
          waiter.cancel();
          assertThatExceptionOfType(CancellationException.class).isThrownBy(joiner::join);
          assertThatExceptionOfType(CancellationException.class).isThrownBy(waiter::join);
          assertThat(sleeper.isDone()).isFalse();
          sleeper.cancel();
        });
  }

  @Test
  void aTaskCancelledAtOnceStillBeginsAndItsFirstWaitThrows() throws Exception {
    run(
        () -> {
          List<String> seen = new ArrayList<>();
          Task<?> task =
              time()
                  .start(
                      "worker",
                      () -> {
                        seen.add("begun");
                        time().sleep(LONG);
                        seen.add("slept");
                      });
          task.cancel();
          assertThatExceptionOfType(CancellationException.class).isThrownBy(task::join);
          assertThat(seen).containsExactly("begun");
        });
  }

  @Test
  void aCancelledTaskMayCatchItAndGoOn() throws Exception {
    run(
        () -> {
          Task<String> task =
              time()
                  .start(
                      "worker",
                      () -> {
                        try {
                          time().sleep(LONG);
                          return "slept";
                        } catch (InterruptedException cancelled) {
                          // The interrupt is taken: a further wait works.
                          time().sleep(SHORT);
                          return "cleaned up";
                        }
                      });
          time().sleep(SHORT);
          task.cancel();
          assertThat(task.join()).isEqualTo("cleaned up");
        });
  }

  @Test
  void anInterruptWinsOverASignalAndLeavesIt() throws Exception {
    run(
        () -> {
          Signal signal = time().signal("news");
          signal.send();
          Thread.currentThread().interrupt();
          assertThatExceptionOfType(InterruptedException.class)
              .isThrownBy(() -> signal.await(Time.NEVER));
          assertThat(Thread.currentThread().isInterrupted()).isFalse();
          assertThat(signal.await(time().nanos())).isTrue();
        });
  }

  @Test
  void anInterruptedTaskCannotSleep() throws Exception {
    run(
        () -> {
          Thread.currentThread().interrupt();
          assertThatExceptionOfType(InterruptedException.class)
              .isThrownBy(() -> time().sleepUntil(0));
        });
  }

  @Test
  void aThreadThatIsNoTaskMayCancel() throws Exception {
    run(
        () -> {
          Task<?> task = sleeper();
          time().sleep(SHORT);
          Thread foreign = Thread.ofPlatform().start(task::cancel);
          foreign.join();
          assertThatExceptionOfType(CancellationException.class).isThrownBy(task::join);
          foreign = Thread.ofPlatform().start(task::cancel);
          foreign.join();
        });
  }

  @Test
  void cancellingAnEndedTaskDoesNothing() throws Exception {
    run(
        () -> {
          Task<String> task = time().start("worker", () -> "done");
          task.join();
          task.cancel();
          assertThat(task.join()).isEqualTo("done");
        });
  }

  @Test
  void queuesLatchesPermitsAndSingleFlightsCanBeBuilt() throws Exception {
    run(
        () -> {
          BuiltFromSignals.assertQueueKeepsOrder(time());
          BuiltFromSignals.assertLatchReleasesAll(time());
          BuiltFromSignals.assertPermitsBoundConcurrency(time());
          BuiltFromSignals.assertSingleFlightRunsOnce(time());
        });
  }

  private Task<?> sleeper() {
    return time()
        .start(
            "sleeper",
            () -> {
              time().sleep(LONG);
            });
  }
}
