package dev.weir.eval.scorer;

import dev.weir.eval.solver.Conversation;
import dev.weir.eval.solver.Solver;

/** Judges an answer: from 0, wrong, to 1, right. Thread-safe. */
@FunctionalInterface
public interface Scorer {

  double score(String output, String target);

  /**
   * Judges by the whole conversation, or with the help of a model; by output and target if the
   * scorer has no better way.
   */
  default double score(Conversation conversation, Roles roles) throws InterruptedException {
    return score(conversation.output().orElse(""), conversation.sample().target());
  }

  /**
   * The same scorer, but a score that is not from 0 to 1 is an {@link IllegalStateException}: one
   * such number would spoil the metrics of a whole run, and nobody would see it.
   */
  static Scorer checked(Scorer scorer) {
    return scorer instanceof CheckedScorer ? scorer : new CheckedScorer(scorer);
  }

  /** The models of the run by the parts they play. */
  @FunctionalInterface
  interface Roles {

    /** The model of a role; the evaluated one if there is none of its own. */
    Solver.Generator role(String role);
  }
}
