package dev.weir.junit;

import static dev.weir.eval.scorer.Scorers.includes;
import static dev.weir.eval.solver.Solvers.generate;
import static dev.weir.junit.Launched.result;
import static dev.weir.junit.Launched.run;
import static dev.weir.junit.Launched.thrown;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.dataset.Sample;
import dev.weir.eval.metric.Metric;
import dev.weir.eval.metric.Metrics;
import dev.weir.eval.metric.ScoredSample;
import dev.weir.eval.scorer.Scorer;
import dev.weir.eval.task.EvalTask;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.log.SampleResult;
import dev.weir.model.ConfigurationException;
import dev.weir.model.MissingCredentialException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.opentest4j.TestAbortedException;

/** Test classes as users write them, run by the platform that Maven and editors run tests with. */
class EvaluationTest {

  private static final String RIGHT = "sim/right:accuracy=1,latency=1ms,rpm=0";
  private static final String WRONG = "sim/wrong:accuracy=0,latency=1ms,rpm=0";
  private static final String SUMS = "classpath:sums.yaml";

  static class Passing {

    @Evaluation(task = SUMS, model = RIGHT, threshold = "accuracy >= 0.9")
    void sums() {}

    @Evaluation(
        task = SUMS,
        model = {RIGHT, "sim/other:accuracy=1,latency=1ms,rpm=0"})
    void everyModel(EvaluationResult result) {
      assertThat(result.metric("accuracy")).isEqualTo(1);
      assertThat(result.metric("exact/accuracy")).isEqualTo(1);
      assertThat(result.metric("accuracy_over_all")).isEqualTo(1);
      assertThat(result.samples())
          .extracting(SampleResult::id)
          .containsExactlyInAnyOrder("two", "four", "six");
    }
  }

  @Test
  void passesWhereTheThresholdHolds() {
    Map<String, TestExecutionResult> results = run(Passing.class);
    assertThat(results)
        .containsOnlyKeys("sums on " + RIGHT, "sums on sim/other:accuracy=1,latency=1ms,rpm=0");
    assertThat(results.values())
        .extracting(TestExecutionResult::getStatus)
        .containsOnly(Status.SUCCESSFUL);
  }

  static class Failing {
    @Evaluation(
        task = SUMS,
        model = WRONG,
        threshold = {"accuracy >= 0.8", "exact/accuracy=0.5", "stderr < 1"},
        options = {"seed=7", "epochs=1"})
    void sums() {
      throw new IllegalStateException("a test that has failed does not go on");
    }
  }

  @Test
  void aFailingThresholdIsAFailedTestThatSaysWhy() {
    TestExecutionResult result = result(run(Failing.class), "sums on " + WRONG);
    assertThat(result.getStatus()).isEqualTo(Status.FAILED);
    assertThat(thrown(result))
        .isInstanceOf(AssertionError.class)
        .message()
        .startsWith(
            "sums on "
                + WRONG
                + ": accuracy is 0, and must be >= 0.8; exact/accuracy is 0, and must be >= 0.5\n")
        .contains(
            "  metrics: accuracy 0.000 (95 % interval 0.000 to 0.561, Wilson), stderr 0.000\n")
        .contains("  samples: 3, of which 3 scored, 0 failed, 0 unfinished\n")
        .containsPattern("  log:     target/weir-logs/.*sums.*\n")
        .containsPattern(
            "  again:   weir eval /.*/sums.yaml --model=sim/wrong:accuracy=0,latency=1ms,rpm=0"
                + " --epochs=1 --seed=7\n")
        .contains("  failed and lowest samples:\n  - four: includes 0.000, exact 0.000\n")
        .containsPattern(" {6}input: {2}What is 2 \\+ 2\\?\n {6}output: .*\n {6}target: 4\n");
  }

  static class OwnTasks {

    @EvalTask
    TaskDefinition.Builder colours() {
      return TaskDefinition.named("colours")
          .dataset(new Sample("sky", "Which colour has the sky?", "blue"))
          .solver(generate())
          .scorer(includes())
          .model(RIGHT);
    }

    @EvalTask
    static TaskDefinition broken() {
      return TaskDefinition.named("broken")
          .dataset(new Sample("any", "Anything?", "no"))
          .solver(
              (state, context) -> {
                throw new IllegalStateException("out of order");
              })
          .scorer(Scorer.of((output, target) -> 1))
          .model(RIGHT)
          .build();
    }

    @Evaluation
    void all() {}

    @Evaluation(task = "@colours", threshold = "accuracy < 1")
    void one() {}
  }

  @Test
  void tasksOfTheTestClassAreFound() {
    Map<String, TestExecutionResult> results = run(OwnTasks.class);
    // Both methods have a test of this name; the last one counts.
    assertThat(results).containsOnlyKeys("colours on " + RIGHT, "broken on " + RIGHT);
    assertThat(thrown(result(results, "colours on " + RIGHT)))
        .hasMessageContaining("accuracy is 1, and must be < 1")
        .hasMessageContaining("failed and highest samples:\n  - sky: includes 1.000")
        .message()
        .containsPattern(
            "again: {3}WEIR_SEED=\\d+ mvn test -Dtest='.*EvaluationTest\\$OwnTasks#one'");
    assertThat(thrown(result(results, "broken on " + RIGHT)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("broken on " + RIGHT + ": the evaluation failed: ")
        .hasMessageContaining("1, of which 0 scored, 1 failed, 0 unfinished")
        .hasMessageContaining("- any: failed: ")
        .hasMessageContaining("out of order");
  }

  /** Needs a variable that is nowhere set. */
  private static final String KEYED = "http:src/test/resources/keyed.yaml";

  static class Skipping {
    @Evaluation(task = SUMS, model = KEYED, skipWithoutCredentials = true)
    void sums() {}
  }

  static class NotSkipping {
    @Evaluation(task = SUMS, model = KEYED)
    void sums() {}
  }

  @Test
  void aMissingCredentialFailsUnlessItMayBeMissing() {
    TestExecutionResult failed = result(run(NotSkipping.class), "sums on " + KEYED);
    assertThat(failed.getStatus()).isEqualTo(Status.FAILED);
    assertThat(thrown(failed))
        .isInstanceOf(MissingCredentialException.class)
        .hasMessageContaining("WEIR_A_KEY_THAT_NOBODY_HAS");
    TestExecutionResult skipped = result(run(Skipping.class), "sums on " + KEYED);
    assertThat(skipped.getStatus()).isEqualTo(Status.ABORTED);
    assertThat(thrown(skipped))
        .isInstanceOf(TestAbortedException.class)
        .hasMessageContaining("WEIR_A_KEY_THAT_NOBODY_HAS");
  }

  static class Misspelled {

    @Evaluation(task = "no/such.yaml", model = RIGHT)
    void noFile() {}

    @Evaluation(task = "classpath:no-such.yaml", model = RIGHT)
    void noResource() {}

    @Evaluation(task = SUMS)
    void noModel() {}

    @Evaluation(task = SUMS, model = RIGHT, options = "max_conections=1")
    void noOption() {}

    @Evaluation(task = SUMS, model = RIGHT, options = "epochs=0")
    void wrongOption() {}

    @Evaluation(task = SUMS, model = RIGHT, threshold = "accuracy at least 1")
    void noThreshold() {}
  }

  @Test
  void whatIsMisspelledFailsWithWhatToDo() {
    Map<String, TestExecutionResult> results = run(Misspelled.class);
    Map<String, String> expected =
        Map.of(
            "noFile()",
            "no/such.yaml: there is no such file",
            "noResource()",
            "there is no file 'no-such.yaml' on the class path",
            "noModel()",
            "sums: no model is given; set `model` of @Evaluation",
            "noOption()",
            "there is no option 'max_conections'; did you mean 'max-connections'?",
            "wrongOption()",
            "`epochs` in `options` of @Evaluation must be a whole number",
            "noThreshold()",
            "must be of the form 'accuracy >= 0.8', was 'accuracy at least 1'");
    assertThat(results.keySet()).isEqualTo(expected.keySet());
    expected.forEach(
        (name, message) -> assertThat(thrown(result(results, name))).hasMessageContaining(message));
  }

  private static final AtomicInteger CALLS = new AtomicInteger();

  private static final String TOPICS = "dev.weir.junit.EvaluationTest$WithTopics";

  static class WithTopics {

    @EvalTask
    static TaskDefinition.Builder topics() {
      return TaskDefinition.named("topics")
          .dataset(
              new Sample(
                  "1",
                  "a",
                  List.of(),
                  List.of("b"),
                  List.of(),
                  Map.of("t", "x"),
                  Map.of(),
                  Optional.empty()))
          .solver((state, context) -> CALLS.incrementAndGet(), generate())
          .scorer(
              includes(), Metrics.of("grouped", Map.of("metric", "mean", "group_key", "t")), OWN)
          .threshold(Map.of("includes/mean", 0.5, "accuracy_over_all", 0.5))
          .model(RIGHT);
    }

    /** Nobody knows what it tells before it has. */
    private static final Metric OWN =
        new Metric() {
          @Override
          public String name() {
            return "own";
          }

          @Override
          public Map<String, Double> compute(List<ScoredSample> samples) {
            return Map.of("best", Double.NaN);
          }
        };
  }

  static class NamesOfTheCommand {
    @Evaluation(
        task = TOPICS,
        threshold = {"mean[t=x] >= 0.5", "includes/mean[t=x] = 0.5"})
    void test() {}
  }

  static class UnknownToAll {
    @Evaluation(task = TOPICS, threshold = "bset >= 0.5")
    void test() {}
  }

  static class NotANumber {
    @Evaluation(task = TOPICS, threshold = "best >= 0.5")
    void test() {}
  }

  @Test
  void thresholdsHaveTheNamesThatTheCommandUnderstands() {
    assertThat(result(run(NamesOfTheCommand.class), "topics on " + RIGHT).getStatus())
        .isEqualTo(Status.SUCCESSFUL);
  }

  @Test
  void noScoreIsToBlameForAMetricThatIsNotThere() {
    assertThat(thrown(result(run(UnknownToAll.class), "topics on " + RIGHT)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining(
            ": there is no metric 'bset'; did you mean 'best'? There are: accuracy_over_all, best,")
        .message()
        .doesNotContain("lowest", "input:");
  }

  @Test
  void aMetricMayTurnOutNotToBeANumber() {
    assertThat(thrown(result(run(NotANumber.class), "topics on " + RIGHT)))
        .hasMessageContaining("best is NaN, and must be >= 0.5");
  }

  static class Mistyped {

    @EvalTask
    static TaskDefinition.Builder counted() {
      return TaskDefinition.named("counted")
          .dataset(new Sample("1", "a", "b"))
          .solver((state, context) -> CALLS.incrementAndGet(), generate())
          .scorer(includes());
    }

    @Evaluation(task = "@counted", model = RIGHT, threshold = "acuracy >= 0.5")
    void ofTheAnnotation() {}

    @Evaluation(task = "@counted", model = WRONG, options = "threshold=includes.accuracy=0.5")
    void ofAnOption() {}
  }

  @Test
  void aMistypedMetricIsToldBeforeTheFirstCall() {
    CALLS.set(0);
    Map<String, TestExecutionResult> results = run(Mistyped.class);
    assertThat(thrown(result(results, "counted on " + RIGHT)))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith(
            "`threshold` of @Evaluation: there is no metric 'acuracy'; did you mean 'accuracy'?");
    assertThat(thrown(result(results, "counted on " + WRONG)))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith(
            "`threshold` in `options` of @Evaluation: there is no metric 'includes.accuracy'; did"
                + " you mean 'includes/accuracy'?");
    assertThat(CALLS).hasValue(0);
  }
}
