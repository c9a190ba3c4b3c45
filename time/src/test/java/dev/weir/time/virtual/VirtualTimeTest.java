package dev.weir.time.virtual;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.time.Action;
import dev.weir.time.Completion;
import dev.weir.time.Signal;
import dev.weir.time.Task;
import dev.weir.time.TaskFailedException;
import dev.weir.time.Time;
import dev.weir.time.TimeContract;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class VirtualTimeTest extends TimeContract {

  private final VirtualTime time = VirtualTime.seeded(1);

  @Override
  protected Time time() {
    return time;
  }

  @Override
  protected void run(Action work) throws Exception {
    time.run(work);
  }

  @Test
  void timeJumpsToTheNextEventAndOnlyThere() throws Exception {
    List<String> history = new ArrayList<>();
    time.run(
        () -> {
          for (int seconds : List.of(3600, 2, 60)) {
            time.start(
                "sleeper",
                () -> {
                  time.sleep(Duration.ofSeconds(seconds));
                  history.add(seconds + " at " + Duration.ofNanos(time.nanos()));
                });
          }
          time.sleep(Duration.ofHours(2));
        });
    assertThat(history).containsExactly("2 at PT2S", "60 at PT1M", "3600 at PT1H");
    assertThat(time.nanos()).isEqualTo(Duration.ofHours(2).toNanos());
    assertThat(time.instant()).isEqualTo(VirtualTime.DEFAULT_START.plus(Duration.ofHours(2)));
  }

  @Test
  void tiesGoInTheOrderInWhichTheyWereScheduled() throws Exception {
    List<Integer> order = new ArrayList<>();
    time.run(
        () -> {
          for (int i = 0; i < 50; i++) {
            int number = i;
            time.start(
                "task-" + i,
                () -> {
                  time.sleepUntil(1_000);
                  order.add(number);
                });
          }
          time.sleepUntil(2_000);
        });
    assertThat(order).hasSize(50).isSorted();
  }

  @Test
  void exactlyOneTaskRunsAtATime() throws Exception {
    var inside = new AtomicBoolean();
    time.run(
        () -> {
          List<Task<?>> tasks = new ArrayList<>();
          for (int i = 0; i < 100; i++) {
            int pause = i % 3;
            tasks.add(
                time.start(
                    "task-" + i,
                    () -> {
                      for (int round = 0; round < 100; round++) {
                        assertThat(inside.compareAndSet(false, true)).isTrue();
                        Thread.onSpinWait();
                        inside.set(false);
                        time.sleepUntil(time.nanos() + pause);
                      }
                    }));
          }
          for (Task<?> task : tasks) {
            task.join();
          }
        });
  }

  @Test
  void theSameSeedGivesTheSameHistoryAndAnotherSeedAnother() throws Exception {
    assertThat(tangledHistory(7)).hasSizeGreaterThan(1_000).isEqualTo(tangledHistory(7));
    assertThat(tangledHistory(8)).isNotEqualTo(tangledHistory(7));
  }

  /** Tasks that sleep, signal, start and cancel each other as a seeded generator says. */
  private static List<Step> tangledHistory(long seed) throws Exception {
    List<Step> steps = new ArrayList<>();
    VirtualTime time = VirtualTime.observed(seed, Instant.EPOCH, steps::add);
    time.run(
        () -> {
          var random = new SplittableRandom(time.freshSeed());
          List<Signal> signals = new ArrayList<>();
          List<Task<?>> tasks = new ArrayList<>();
          for (int i = 0; i < 50; i++) {
            Signal signal = time.signal("signal " + i);
            signals.add(signal);
            tasks.add(
                time.start(
                    "task-" + i,
                    () -> {
                      for (int round = 0; round < 40; round++) {
                        switch (random.nextInt(20)) {
                          case 0 ->
                              time.start(
                                  "child of " + signal, () -> time.sleepUntil(time.nanos() + 1));
                          case 1 -> cancelOneOf(tasks, random);
                          case 2, 3, 4, 5, 6, 7 ->
                              time.sleepUntil(time.nanos() + random.nextInt(1_000));
                          case 8, 9, 10, 11, 12, 13 ->
                              signal.await(time.nanos() + random.nextInt(1_000));
                          default -> signals.get(random.nextInt(signals.size())).send();
                        }
                      }
                    }));
          }
          for (Task<?> task : tasks) {
            task.join(Time.NEVER);
          }
        });
    return steps;
  }

  private static void cancelOneOf(List<Task<?>> tasks, SplittableRandom random) {
    // A third of the time, so that most live on and the history stays long.
    if (random.nextInt(3) == 0) {
      tasks.get(random.nextInt(tasks.size())).cancel();
    }
  }

  @Test
  void aDeadlockFailsAtOnceAndNamesWhoWaitsForWhat() {
    assertThatExceptionOfType(DeadlockException.class)
        .isThrownBy(
            () ->
                time.run(
                    () -> {
                      time.sleep(Duration.ofSeconds(90));
                      Task<?> worker =
                          time.start(
                              "worker",
                              () -> {
                                time.signal("a permit of openai/gpt-4o").await();
                              });
                      return worker.join();
                    }))
        .withMessageContaining("PT1M30S")
        .withMessageContaining("(main) waits for the end of task worker")
        .withMessageContaining("(worker) waits for a permit of openai/gpt-4o");
  }

  @Test
  void finallyBlocksOfADeadlockedRunStillRunAndMayNotWait() {
    List<String> cleaned = new ArrayList<>();
    assertThatExceptionOfType(DeadlockException.class)
        .isThrownBy(
            () ->
                time.run(
                    () -> {
                      time.start(
                          "worker",
                          () -> {
                            try {
                              time.signal("nothing").await();
                            } finally {
                              cleaned.add("worker");
                              time.sleep(Duration.ofSeconds(1));
                              cleaned.add("slept");
                            }
                          });
                      try {
                        time.signal("nothing either").await();
                      } finally {
                        cleaned.add("main");
                      }
                    }));
    assertThat(cleaned).containsExactly("main", "worker");
  }

  @Test
  void waitingWithAMonitorIsRefused() throws Exception {
    var lock = new Object();
    time.run(
        () -> {
          synchronized (lock) {
            assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(() -> time.sleep(Duration.ofSeconds(1)))
                .withMessageContaining("main")
                .withMessageContaining("java.lang.Object");
          }
          time.sleep(Duration.ofSeconds(1));
          assertThatExceptionOfType(IllegalMonitorStateException.class)
              .isThrownBy(this::joinSynchronized);
        });
  }

  @Test
  void waitsThatReturnAtOnceAreRefusedWithAMonitorToo() throws Exception {
    var lock = new Object();
    time.run(
        () -> {
          Signal sent = time.signal("news");
          sent.send();
          Task<?> ended = time.start("worker", () -> "done");
          ended.join();
          synchronized (lock) {
            assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(() -> time.sleepUntil(0));
            assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(sent::await);
            assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(ended::join);
            assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(() -> ended.join(0));
          }
          assertThat(sent.await(0)).isTrue();
        });
  }

  @Test
  void everyWaitIsCheckedHoweverManyThereWere() throws Exception {
    var lock = new Object();
    time.run(
        () -> {
          pastTheThinlyCheckedWaits(time);
          synchronized (lock) {
            assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(() -> time.sleep(Duration.ofSeconds(1)));
          }
        });
  }

  /** What was found free of monitors is remembered, with all that called it. */
  @Test
  void aPlaceWhereNobodyHeldAMonitorIsCheckedForOtherCallers() throws Exception {
    time.run(
        () -> {
          for (int i = 0; i < 2; i++) {
            nap();
            napTwice(false);
            assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this::napHere);
            assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(() -> napTwice(true));
            time.start("free", this::nap).join();
            Task<?> greedy = time.start("greedy", this::napGreedily);
            assertThatExceptionOfType(TaskFailedException.class)
                .isThrownBy(greedy::join)
                .withCauseInstanceOf(IllegalMonitorStateException.class);
          }
        });
  }

  private void nap() throws InterruptedException {
    time.sleep(Duration.ofSeconds(1));
  }

  private synchronized void napGreedily() throws InterruptedException {
    time.sleep(Duration.ofSeconds(1));
  }

  private synchronized void napHere() throws InterruptedException {
    nap();
  }

  private void napTwice(boolean isGreedy) throws InterruptedException {
    nap();
    if (isGreedy) {
      synchronized (this) {
        nap();
      }
    } else {
      nap();
    }
  }

  private synchronized void joinSynchronized() throws InterruptedException {
    time.start(
            "worker",
            () -> {
              time.sleepUntil(time.nanos() + 1);
            })
        .join();
  }

  /** Checks can be thinned out by count; stops just behind a wait that is checked even then. */
  static void pastTheThinlyCheckedWaits(VirtualTime time) throws InterruptedException {
    for (int i = 0; i < HeldMonitors.ALWAYS_CHECKED + HeldMonitors.THEN_ONE_IN; i++) {
      time.sleepUntil(time.nanos() + 1);
      if (i >= HeldMonitors.ALWAYS_CHECKED && (i + 1) % HeldMonitors.THEN_ONE_IN == 0) {
        return;
      }
    }
  }

  @Test
  void tasksLeftBehindAreCancelledWhenMainEnds() throws Exception {
    List<String> seen = new ArrayList<>();
    time.run(
        () -> {
          time.start(
              "ticker",
              () -> {
                try {
                  while (true) {
                    time.sleep(Duration.ofSeconds(1));
                    seen.add("tick");
                  }
                } finally {
                  seen.add("stopped");
                }
              });
          time.sleep(Duration.ofMillis(2_500));
        });
    assertThat(seen).containsExactly("tick", "tick", "stopped");
    assertThat(Duration.ofNanos(time.nanos())).isEqualTo(Duration.ofMillis(2_500));
  }

  @Test
  void runGivesTheResultOrWhatTheWorkThrew() throws Exception {
    assertThat(time.run(() -> "answer")).isEqualTo("answer");
    var failure = new IOException("disk on fire");
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(
            () ->
                time.run(
                    () -> {
                      throw failure;
                    }))
        .isSameAs(failure);
    assertThat(time.run(() -> "again")).isEqualTo("again");
  }

  @Test
  void interruptingTheDriverCancelsMain() {
    var driver = Thread.currentThread();
    assertThatExceptionOfType(InterruptedException.class)
        .isThrownBy(
            () ->
                time.run(
                    () -> {
                      driver.interrupt();
                      while (true) {
                        time.sleep(Duration.ofSeconds(1));
                      }
                    }));
    assertThat(Thread.interrupted()).isFalse();
  }

  @Test
  void anInterruptOfTheDriverReachesMainInWhicheverWaitItIs() {
    Duration hour = Duration.ofHours(1);
    assertDriverInterrupts(() -> time.sleep(hour));
    assertDriverInterrupts(() -> time.signal("nothing").await());
    assertDriverInterrupts(() -> time.signal("nothing").await(time.after(hour)));
    assertThat(time.nanos()).isZero();
    assertDriverInterrupts(
        () -> {
          time.start(
              "ticker",
              () -> {
                while (true) {
                  time.sleep(Duration.ofSeconds(1));
                }
              });
          time.signal("nothing").await();
        });
  }

  private void assertDriverInterrupts(Action wait) {
    var driver = Thread.currentThread();
    assertThatExceptionOfType(InterruptedException.class)
        .isThrownBy(
            () ->
                time.run(
                    () -> {
                      driver.interrupt();
                      // Until the driver has passed it on, before main waits.
                      while (driver.isInterrupted()) {
                        Thread.onSpinWait();
                      }
                      wait.run();
                    }));
    assertThat(Thread.interrupted()).isFalse();
  }

  @Test
  void anInterruptThatTheDriverHasNotPassedOnYetWinsOverADeadlock() {
    for (int attempt = 0; attempt < 100; attempt++) {
      var driver = Thread.currentThread();
      assertThatExceptionOfType(InterruptedException.class)
          .isThrownBy(
              () ->
                  time.run(
                      () -> {
                        driver.interrupt();
                        time.signal("nothing").await();
                      }));
    }
  }

  @Test
  void foreignThreadsMayReadTheClockButNotWait() {
    assertThat(time.nanos()).isZero();
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(() -> time.sleep(Duration.ofSeconds(1)))
        .withMessageContaining("not the running task");
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(() -> time.start("worker", () -> null));
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(() -> time.signal("news").send());
    var completion = new Completion<String>(time, "news");
    completion.complete("nobody waits, so nobody is woken");
    assertThat(completion.isDone()).isTrue();
  }

  @Test
  void runsDoNotNest() throws Exception {
    time.run(
        () -> {
          assertThatExceptionOfType(IllegalStateException.class)
              .isThrownBy(() -> time.run(() -> null))
              .withMessageContaining("running already");
        });
  }
}
