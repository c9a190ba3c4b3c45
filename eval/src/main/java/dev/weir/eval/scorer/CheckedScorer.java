package dev.weir.eval.scorer;

/** A scorer that fails rather than give a score that is none. */
record CheckedScorer(Scorer scorer) implements Scorer {

  @Override
  public double score(String output, String target) {
    double score = scorer.score(output, target);
    // Written so that NaN fails, too.
    if (!(score >= 0 && score <= 1)) {
      throw new IllegalStateException("a score must be from 0 to 1, was " + score);
    }
    return score;
  }
}
