package dev.weir.eval.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.log.RunResult;
import dev.weir.log.RunResult.Status;
import dev.weir.log.SampleResult;
import dev.weir.time.Task;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Code that does not end when it is told to must not keep the results of others. */
class StubbornSampleTest {

  private final ScriptedRun runs = new ScriptedRun();

  @Test
  void aSampleThatDoesNotEndIsLeftAndRecordedOnce() throws Exception {
    runs.samples = 3;
    runs.solver =
        (state, context) -> {
          if (state.sample().id().equals("s1")) {
            ignoreInterrupts(Duration.ofHours(1));
          }
          state.generate(context.model());
        };
    RunResult result =
        runs.time.run(
            () -> {
              Run run = runs.prepare();
              Task<RunResult> running = runs.time.start("run", run::run);
              runs.time.sleep(Duration.ofSeconds(30));
              running.cancel();
              long since = runs.time.nanos();
              // Whoever runs it is cancelled, and tells what became of it all the same.
              RunResult told = running.join();
              assertThat(Duration.ofNanos(runs.time.nanos() - since))
                  .isLessThan(Duration.ofSeconds(10));
              return told;
            });
    assertThat(result.status()).isEqualTo(Status.CANCELLED);
    assertThat(result.samples().scored()).isEqualTo(2);
    assertThat(runs.log).extracting(SampleResult::id).containsExactlyInAnyOrder("s1", "s2", "s3");
    assertThat(runs.log).filteredOn(SampleResult::cancelled).hasSize(1);
  }

  private void ignoreInterrupts(Duration length) {
    long until = runs.time.after(length);
    while (runs.time.nanos() < until) {
      try {
        runs.time.sleepUntil(until);
      } catch (InterruptedException ignored) {
        // That is what it is about.
      }
    }
  }
}
