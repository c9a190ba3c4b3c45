package dev.weir.eval.scorer;

/** Judges an answer: from 0, wrong, to 1, right. Thread-safe. */
@FunctionalInterface
public interface Scorer {

  double score(String output, String target);

  /**
   * The same scorer, but a score that is not from 0 to 1 is an {@link IllegalStateException}: one
   * such number would spoil the metrics of a whole run, and nobody would see it.
   */
  static Scorer checked(Scorer scorer) {
    return scorer instanceof CheckedScorer ? scorer : new CheckedScorer(scorer);
  }
}
