package dev.weir.eval.promptfoo;

import java.util.List;

/**
 * What an assertion says of an answer.
 *
 * @param score usually from 0 to 1
 * @param reason why, for people
 * @param parts the assertions that it is made of, if it is a set
 */
record Verdict(boolean pass, double score, String reason, List<Graded> parts) {

  Verdict {
    parts = List.copyOf(parts);
    if (!Double.isFinite(score)) {
      throw new IllegalArgumentException("`score` must be a finite number, was " + score);
    }
  }

  static Verdict of(boolean pass, double score, String reason) {
    return new Verdict(pass, score, reason, List.of());
  }

  /**
   * Right or wrong.
   *
   * @param rule what the answer must do: completes "must …"
   */
  static Verdict of(boolean pass, String rule) {
    return of(pass, pass ? 1 : 0, pass ? "" : "the output must " + rule);
  }

  static Verdict wrong(String reason) {
    return of(false, 0, reason);
  }

  /** The opposite. */
  Verdict negated(String type) {
    double opposite = score >= 0 && score <= 1 ? 1 - score : pass ? 0 : 1;
    return new Verdict(!pass, opposite, pass ? "not-%s: but it is so".formatted(type) : "", parts);
  }
}
