package dev.weir.scripting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.promptfoo.ScriptException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class WorkersTest {

  private static final Duration SHORT = Duration.ofMillis(10);

  /** Work that no interrupt ends, as an operation of the library. */
  private static boolean until(CountDownLatch end) {
    boolean interrupted = false;
    while (true) {
      try {
        end.await();
        return interrupted;
      } catch (InterruptedException asked) {
        interrupted = true;
      }
    }
  }

  private static void giveUp(Workers workers, CountDownLatch end) {
    assertThatExceptionOfType(ScriptException.class)
        .isThrownBy(() -> workers.run(() -> until(end)))
        .withMessageContaining("given up")
        .matches(ScriptException::isOverBounds);
  }

  private static void awaitNoneLost(Workers workers) {
    while (workers.lost() > 0) {
      Thread.onSpinWait();
    }
  }

  @Test
  void whatTakesTooLongIsReplacedUntilItEnds() {
    var workers = new Workers(1, 2, SHORT);
    var end = new CountDownLatch(1);
    giveUp(workers, end);
    assertThat(workers.lost()).isEqualTo(1);
    assertThat(workers.run(() -> 1)).as("on another thread").isEqualTo(1);
    giveUp(workers, end);
    assertThatExceptionOfType(ScriptException.class)
        .isThrownBy(() -> workers.run(() -> 2))
        .withMessage("the script was not begun: 2 others that took too long still run")
        .matches(ScriptException::isOverBounds);
    end.countDown();
    awaitNoneLost(workers);
    assertThat(workers.run(() -> 3)).isEqualTo(3);
  }

  @Test
  void noInterruptIsLeftForTheNextScript() {
    var workers = new Workers(1, 2, SHORT);
    var end = new CountDownLatch(1);
    var told = new AtomicBoolean();
    assertThatExceptionOfType(ScriptException.class)
        .isThrownBy(
            () ->
                workers.run(
                    () -> {
                      told.set(until(end));
                      Thread.currentThread().interrupt();
                      return 1;
                    }));
    end.countDown();
    awaitNoneLost(workers);
    assertThat(told).as("the script that was given up is told").isTrue();
    for (int i = 0; i < 4; i++) {
      assertThat(workers.run(() -> Thread.currentThread().isInterrupted())).isFalse();
    }
  }

  @Test
  void aCancelledSampleKeepsItsInterruptAndItsResult() {
    var workers = new Workers(1, 1, Duration.ofMinutes(1));
    Thread.currentThread().interrupt();
    assertThat(workers.run(() -> 1)).isEqualTo(1);
    assertThat(Thread.interrupted()).isTrue();
  }
}
