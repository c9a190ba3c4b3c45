package dev.weir.junit;

import static dev.weir.eval.scorer.Scorers.includes;
import static dev.weir.eval.solver.Solvers.generate;
import static dev.weir.junit.Launched.result;
import static dev.weir.junit.Launched.run;
import static dev.weir.junit.Launched.thrown;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.weir.eval.dataset.Sample;
import dev.weir.eval.task.EvalTask;
import dev.weir.eval.task.TaskDefinition;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.opentest4j.TestAbortedException;

/** Test classes that are evaluated as a whole. */
class ClassEvaluationTest {

  private static final String RIGHT = "sim/right:accuracy=1,latency=1ms,rpm=0";
  private static final String WRONG = "sim/wrong:accuracy=0,latency=1ms,rpm=0";
  private static final String SUMS = "classpath:sums.yaml";
  private static final String COUNTED = "dev.weir.junit.ClassEvaluationTest$Counted";

  private static final AtomicInteger CALLS = new AtomicInteger();

  /** Has a task that tells how often it was evaluated. */
  static class Counted {
    @EvalTask
    static TaskDefinition.Builder counted() {
      return TaskDefinition.named("counted")
          .dataset(new Sample("1", "a", "b"))
          .solver((state, context) -> CALLS.incrementAndGet(), generate())
          .scorer(includes());
    }
  }

  private static Map<String, TestExecutionResult> passed(Class<?> testClass) {
    CALLS.set(0);
    Map<String, TestExecutionResult> results = run(testClass);
    assertThat(results.values())
        .isNotEmpty()
        .extracting(TestExecutionResult::getStatus)
        .containsOnly(Status.SUCCESSFUL);
    return results;
  }

  @Evaluation(task = COUNTED, model = RIGHT, threshold = "accuracy >= 1")
  static class Shared {

    @BeforeEach
    void prepare() {}

    @Test
    void accuracy(EvaluationResult result) {
      assertThat(result.metric("accuracy")).isEqualTo(1);
    }

    @Test
    void cost(EvaluationResult result) {
      assertThat(result.run().tokens().output()).isPositive();
    }

    @Test
    void nothingOfIt() {}

    @Nested
    class Inside {
      @Test
      void seesItToo(EvaluationResult result) {
        assertThat(result.run().start().task()).isEqualTo("counted");
      }
    }
  }

  @Evaluation(task = SUMS, model = WRONG, threshold = "accuracy >= 1")
  static class SharedFailing {

    @Test
    void accuracy(EvaluationResult result) {}

    @Test
    void nothingOfIt() {}

    @Evaluation(model = RIGHT)
    void better() {}
  }

  @Test
  void aClassIsEvaluatedOnceForAllItsTests() {
    CALLS.set(0);
    Map<String, TestExecutionResult> results = run(Shared.class);
    assertThat(results)
        .containsOnlyKeys(
            "accuracy(EvaluationResult)",
            "cost(EvaluationResult)",
            "nothingOfIt()",
            "seesItToo(EvaluationResult)");
    assertThat(results.values())
        .extracting(TestExecutionResult::getStatus)
        .containsOnly(Status.SUCCESSFUL);
    assertThat(CALLS).hasValue(1);
  }

  @Test
  void testsThatAskForAFailedEvaluationFail() {
    Map<String, TestExecutionResult> results = run(SharedFailing.class);
    assertThat(thrown(result(results, "accuracy(EvaluationResult)")))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("accuracy is 0, and must be >= 1");
    assertThat(result(results, "nothingOfIt()").getStatus()).isEqualTo(Status.SUCCESSFUL);
    // What the method leaves open, its class says.
    assertThat(result(results, "sums on " + RIGHT).getStatus()).isEqualTo(Status.SUCCESSFUL);
  }

  @Evaluation(task = COUNTED, model = WRONG, threshold = "accuracy >= 0.5")
  static class Unasked {

    @Test
    void nothingOfIt() {}

    @Test
    void norOfThis() {}

    /** No test, however it looks. */
    void helper(EvaluationResult result) {}

    @Nested
    class Inside {
      @Test
      void norHere() {}
    }
  }

  @Evaluation(task = COUNTED, model = RIGHT, threshold = "accuracy >= 0.5")
  static class UnaskedHolding {
    @Test
    void nothingOfIt() {}
  }

  @Test
  void anEvaluationThatNoTestAsksForRunsOnceAndMayFailTheClass() {
    CALLS.set(0);
    Map<String, TestExecutionResult> results = run(Unasked.class);
    assertThat(CALLS).hasValue(1);
    assertThat(results)
        .containsOnlyKeys(
            "nothingOfIt()", "norOfThis()", "norHere()", "ClassEvaluationTest$Unasked");
    assertThat(result(results, "nothingOfIt()").getStatus()).isEqualTo(Status.SUCCESSFUL);
    assertThat(thrown(result(results, "ClassEvaluationTest$Unasked")))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("counted on " + WRONG + ": accuracy is 0, and must be >= 0.5")
        .message()
        .containsPattern("mvn test -Dtest='[^#']*\\$Unasked'");
    assertThat(passed(UnaskedHolding.class)).containsOnlyKeys("nothingOfIt()");
    assertThat(CALLS).hasValue(1);
  }

  @Evaluation(task = COUNTED, model = RIGHT)
  static class Defaults {

    @Test
    void nothingOfIt() {}

    @Evaluation(threshold = "accuracy >= 1")
    void right() {}
  }

  @Test
  void aClassThatSaysWhatItsMethodsLeaveOpenIsNotEvaluatedItself() {
    passed(Defaults.class);
    assertThat(CALLS).hasValue(1);
  }

  @Evaluation(task = "@own", model = RIGHT)
  static class AskedWithin {

    @EvalTask
    static TaskDefinition.Builder own() {
      return Counted.counted();
    }

    @Nested
    class One {
      @Test
      void asks(EvaluationResult result) {}
    }

    @Nested
    class Other {
      @Test
      void asksToo(EvaluationResult result) {}
    }

    @Nested
    @Evaluation(task = SUMS, model = RIGHT)
    class Own {
      @Test
      void hasItsOwn(EvaluationResult result) {
        assertThat(result.run().start().task()).isEqualTo("sums");
      }
    }
  }

  @Test
  void classesWithinShareTheEvaluationUnlessTheyHaveTheirOwn() {
    assertThat(passed(AskedWithin.class))
        .containsOnlyKeys(
            "asks(EvaluationResult)", "asksToo(EvaluationResult)", "hasItsOwn(EvaluationResult)");
    assertThat(CALLS).hasValue(1);
  }

  @Evaluation(task = COUNTED, model = RIGHT)
  static class NotPrepared {

    @BeforeAll
    static void prepare() {
      fail("out of order");
    }

    @Test
    void nothingOfIt() {}
  }

  @Test
  void aClassThatFailedBeforehandIsNotEvaluated() {
    CALLS.set(0);
    assertThat(thrown(result(run(NotPrepared.class), "ClassEvaluationTest$NotPrepared")))
        .hasMessage("out of order");
    assertThat(CALLS).hasValue(0);
  }

  @Evaluation(
      task = SUMS,
      model = "http:src/test/resources/keyed.yaml",
      skipWithoutCredentials = true)
  static class Skipping {
    @Test
    void nothingOfIt() {}
  }

  @Test
  void aMissingCredentialSkipsOnlyTheEvaluation() {
    Map<String, TestExecutionResult> results = run(Skipping.class);
    assertThat(result(results, "nothingOfIt()").getStatus()).isEqualTo(Status.SUCCESSFUL);
    assertThat(thrown(result(results, "ClassEvaluationTest$Skipping")))
        .isInstanceOf(TestAbortedException.class);
  }

  @Evaluation(task = COUNTED, model = RIGHT, threshold = "acuracy >= 1")
  static class Mistyped {
    @Test
    void nothingOfIt() {}
  }

  @Test
  void aMistypedMetricFailsTheClassBeforeTheFirstCall() {
    CALLS.set(0);
    assertThat(thrown(result(run(Mistyped.class), "ClassEvaluationTest$Mistyped")))
        .hasMessageContaining("there is no metric 'acuracy'; did you mean 'accuracy'?");
    assertThat(CALLS).hasValue(0);
  }
}
