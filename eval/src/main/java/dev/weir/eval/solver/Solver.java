package dev.weir.eval.solver;

import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;

/**
 * One step of a task's pipeline: takes a sample further. Thread-safe: one serves all samples.
 *
 * <pre>{@code
 * Solver shout = (state, context) -> {
 *   state.setUserPrompt(state.userPrompt().toUpperCase(Locale.ROOT));
 *   state.generate(context.model());
 * };
 * }</pre>
 */
@FunctionalInterface
public interface Solver {

  /**
   * What it throws fails the sample, unless it is a {@link
   * dev.weir.eval.sample.SampleLimitExceededException}, which ends it early.
   */
  void solve(SampleState state, SampleContext context) throws Exception;

  /**
   * Says before the first call what this step brings about, and fails if it could not do its work.
   *
   * @throws dev.weir.model.ConfigurationException what is missing, and what to do
   */
  default void foresee(Foresight task) {
    task.expectAnything();
  }
}
