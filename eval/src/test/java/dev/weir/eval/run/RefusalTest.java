package dev.weir.eval.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.option.Settings;
import dev.weir.eval.scorer.Score;
import dev.weir.limits.Mode;
import dev.weir.limits.retry.Outcome;
import dev.weir.log.RunResult;
import dev.weir.log.RunResult.Status;
import dev.weir.log.SampleResult;
import dev.weir.model.Origin;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.Usage;
import dev.weir.time.Task;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of calls that are on their way when the provider refuses for good. */
class RefusalTest {

  private static final Duration SLOW = Duration.ofSeconds(60);

  private final ScriptedRun runs = new ScriptedRun();

  /** How far the refusal goes; both models of a run are of one account. */
  private Outcome.Reach reach = Outcome.Reach.ACCOUNT;

  private Response.Failure noCredit() {
    return new Response.QuotaExhausted("no credit is left", reach, Origin.of(ScriptedRun.NAME));
  }

  private static Response.Reply answer() {
    return ScriptedRun.reply("answer", new Usage(100, 10));
  }

  /** Five at a time: the third is refused after a second, the others answer after a minute. */
  @BeforeEach
  void refuseTheThird() {
    runs.mode = new Mode.Static(5);
    runs.model =
        request -> {
          if (isAskedBy(request, "question 3")) {
            return noCredit();
          }
          sleep(SLOW);
          return answer();
        };
  }

  private static boolean isAskedBy(Request request, String question) {
    return request.messages().getFirst().text().equals(question);
  }

  private void sleep(Duration time) {
    try {
      runs.time.sleep(time);
    } catch (InterruptedException cancelled) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("cancelled", cancelled);
    }
  }

  @Test
  void whatWasAskedBeforeIsAnsweredAndKept() throws Exception {
    RunResult result = runs.run();
    assertThat(result.status()).isEqualTo(Status.ERROR);
    assertThat(result.error().orElseThrow()).contains("sample s3 failed", "no credit is left");
    assertThat(runs.requests).as("calls that left").hasSize(5);
    assertThat(result.samples()).isEqualTo(new RunResult.Counts(20, 4, 1, 15));
    // The window and five more were open: those that had not asked are not finished.
    assertThat(runs.log).filteredOn(SampleResult::cancelled).hasSize(5);
    assertThat(result.seconds()).isEqualTo(61);
  }

  @Test
  void whatNeedsAnotherCallIsNotFinished() throws Exception {
    runs.solver =
        (state, context) -> {
          state.generate(context.model());
          if (state.sample().id().equals("s2")) {
            try {
              context.model().ask("again");
            } catch (RuntimeException unlooked) {
              state.setOutput("made do");
            }
          }
        };
    RunResult result = runs.run();
    assertThat(runs.requests).hasSize(5);
    assertThat(result.samples()).isEqualTo(new RunResult.Counts(20, 3, 1, 16));
    assertThat(runs.log)
        .filteredOn(sample -> sample.id().equals("s2"))
        .singleElement()
        .satisfies(sample -> assertThat(sample.cancelled()).isTrue())
        .satisfies(sample -> assertThat(sample.tokens().output()).isEqualTo(10));
  }

  @Test
  void whatWasAnsweredIsGradedByAModelThatStillAnswers() throws Exception {
    reach = Outcome.Reach.MODEL;
    runs.role = Optional.of("grader");
    runs.scorer =
        (_, context) -> {
          context.role("grader").ask("right?");
          return Score.RIGHT;
        };
    RunResult result = runs.run();
    assertThat(result.samples()).isEqualTo(new RunResult.Counts(20, 4, 1, 15));
    assertThat(runs.requests).hasSize(5 + 4);
  }

  /** Whoever asks the other model after that would be paid for nothing. */
  @Test
  void aGraderThatIsRefusedEndsTheCallsOfSolversToo() throws Exception {
    reach = Outcome.Reach.MODEL;
    runs.role = Optional.of("grader");
    runs.model = request -> isAskedBy(request, "right?") ? noCredit() : answer();
    runs.solver =
        (state, context) -> {
          for (int turn = 0; turn < 100; turn++) {
            state.generate(context.model());
            if (state.sample().id().equals("s1")) {
              return;
            }
          }
        };
    runs.scorer =
        (_, context) -> {
          context.role("grader").ask("right?");
          return Score.RIGHT;
        };
    RunResult result = runs.run();
    assertThat(result.error().orElseThrow()).contains("sample s1 failed", "no credit is left");
    assertThat(result.samples()).isEqualTo(new RunResult.Counts(20, 0, 1, 19));
    assertThat(result.seconds()).isBetween(2.0, 4.0);
  }

  @Test
  void anErrorOfAnotherSampleEndsItAtOnce() throws Exception {
    AtomicInteger broken = new AtomicInteger();
    runs.before =
        List.of(
            (state, context) -> {
              if (state.sample().id().equals("s7")) {
                context.time().sleep(Duration.ofSeconds(10));
                broken.incrementAndGet();
                throw new IllegalStateException("broken");
              }
            });
    RunResult result = runs.run();
    assertThat(broken).hasValue(1);
    assertThat(result.error().orElseThrow()).as("the first reason").contains("no credit is left");
    assertThat(result.seconds()).isEqualTo(10);
    assertThat(result.samples()).isEqualTo(new RunResult.Counts(20, 0, 2, 18));
    runs.settings = Settings.NONE.with("fail_on_error", "3");
    assertThat(runs.run().samples()).isEqualTo(new RunResult.Counts(20, 4, 2, 14));
  }

  @Test
  void whoCancelsItDoesNotWait() throws Exception {
    runs.time.run(
        () -> {
          Run run = runs.prepare();
          Task<RunResult> running = runs.time.start("run", run::run);
          runs.time.sleep(Duration.ofSeconds(10));
          assertThat(run.progress().ending().orElseThrow()).contains("no credit is left");
          running.cancel();
          RunResult result = running.join();
          assertThat(result.seconds()).isEqualTo(10);
          assertThat(result.samples()).isEqualTo(new RunResult.Counts(20, 0, 1, 19));
        });
  }

  /** One that waits to be tried again is not waited for. */
  @Test
  void whatBacksOffIsNotAskedAgain() throws Exception {
    runs.model =
        request -> {
          if (isAskedBy(request, "question 1")) {
            return ScriptedRun.transientFailure();
          }
          if (isAskedBy(request, "question 2")) {
            sleep(Duration.ofMillis(500));
            return noCredit();
          }
          return answer();
        };
    runs.samples = 3;
    RunResult result = runs.run();
    assertThat(runs.requests).hasSize(3);
    assertThat(result.samples()).isEqualTo(new RunResult.Counts(3, 1, 1, 1));
    assertThat(result.seconds()).isEqualTo(1.5);
  }
}
