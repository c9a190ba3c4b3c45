package dev.weir.eval.scorer;

import dev.weir.eval.solver.Conversation;

/** A scorer that fails rather than give a score that is none. */
record CheckedScorer(Scorer scorer) implements Scorer {

  @Override
  public double score(String output, String target) {
    return checked(scorer.score(output, target));
  }

  @Override
  public double score(Conversation conversation, Roles roles) throws InterruptedException {
    return checked(scorer.score(conversation, roles));
  }

  private static double checked(double score) {
    // Written so that NaN fails, too.
    if (!(score >= 0 && score <= 1)) {
      throw new IllegalStateException("a score must be from 0 to 1, was " + score);
    }
    return score;
  }
}
