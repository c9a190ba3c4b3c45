package dev.weir.eval.scorer;

import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import dev.weir.eval.solver.Foresight;
import java.util.function.ToDoubleBiFunction;

/**
 * Judges the answer of a sample. Thread-safe: one serves all samples.
 *
 * <pre>{@code
 * Scorer polite = Scorer.of((output, target) -> output.contains("please") ? 1 : 0);
 * }</pre>
 */
@FunctionalInterface
public interface Scorer {

  /**
   * What it throws fails the sample, and so does null.
   *
   * @throws NoScoreException if the answer cannot be judged, with why
   */
  Score score(SampleState state, SampleContext context) throws Exception;

  /**
   * Fails before the first call if it could not judge any sample.
   *
   * @throws dev.weir.model.ConfigurationException what is missing, and what to do
   */
  default void foresee(Foresight task) {}

  /** Whether it judges by targets: a task file then has none but samples with a target. */
  default boolean needsTarget() {
    return true;
  }

  /** What its scores are called, unless the task says otherwise. */
  default String name() {
    return "score";
  }

  /** The same scorer under a name. */
  default Scorer named(String name) {
    Scorer judge = this;
    return new Scorer() {
      @Override
      public Score score(SampleState state, SampleContext context) throws Exception {
        return judge.score(state, context);
      }

      @Override
      public void foresee(Foresight task) {
        judge.foresee(task);
      }

      @Override
      public boolean needsTarget() {
        return judge.needsTarget();
      }

      @Override
      public String name() {
        return name;
      }
    };
  }

  /** Judges by what was said last and the target. */
  static Scorer of(ToDoubleBiFunction<String, String> judge) {
    return (state, _) ->
        Score.of(judge.applyAsDouble(state.output().orElse(""), state.sample().target()));
  }
}
