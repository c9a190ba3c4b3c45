package dev.weir.eval.promptfoo;

import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import dev.weir.eval.scorer.Score;
import dev.weir.eval.scorer.Scorer;
import dev.weir.eval.solver.Solver;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;

/**
 * One column as a task: the prompt is sent, its answer transformed and judged. Thread-safe: what
 * belongs to a sample is forgotten with its state.
 */
final class ColumnTask implements Solver {

  /** Whether the test passed, 1 or 0. */
  static final String PASS = "pass";

  /** The weighted mean of its assertions. */
  static final String SCORE = "score";

  private final Column column;
  private final Map<String, TestCase> tests;
  private final Map<SampleState, ModelOutput> outputs =
      Collections.synchronizedMap(new WeakHashMap<>());
  private final Map<SampleState, Graded.Sum> sums =
      Collections.synchronizedMap(new WeakHashMap<>());

  /**
   * @param tests by the ids of samples
   */
  ColumnTask(Column column, Map<String, TestCase> tests) {
    this.column = column;
    this.tests = tests;
  }

  @Override
  public void solve(SampleState state, SampleContext context) throws Exception {
    TestCase test = test(state);
    ModelOutput output =
        test.providerOutput().isPresent()
            ? new ModelOutput(test.providerOutput().get().plain(), Optional.empty())
            : ModelOutput.ask(
                column.target(),
                context.model(),
                column.target().beyondOptions(test),
                state.messages(),
                context,
                state::answered);
    output = output.transformed(column.target(), test, state.sample().input());
    state.setOutput(Json.text(output.output()));
    outputs.put(state, output);
  }

  Scorer pass() {
    return (state, context) -> {
      Graded.Sum sum = sum(state, context);
      return Column.score(sum.verdict().pass() ? 1 : 0, sum);
    };
  }

  Scorer score() {
    return (state, context) -> Score.of(sum(state, context).verdict().score());
  }

  /** Judged once, by whoever asks first. */
  private Graded.Sum sum(SampleState state, SampleContext context) throws Exception {
    Graded.Sum known = sums.get(state);
    if (known != null) {
      return known;
    }
    // A sample that was ended early is judged by what it said until then.
    ModelOutput output =
        outputs.getOrDefault(state, new ModelOutput(state.output().orElse(""), Optional.empty()));
    Graded.Sum sum = column.judge(test(state), state.sample().input(), output, List.of(), context);
    sums.put(state, sum);
    return sum;
  }

  private TestCase test(SampleState state) {
    TestCase test = tests.get(state.sample().id());
    if (test == null) {
      throw new IllegalStateException("there is no test " + state.sample().id());
    }
    return test;
  }
}
