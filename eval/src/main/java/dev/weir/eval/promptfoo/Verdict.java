package dev.weir.eval.promptfoo;

import java.util.List;

/**
 * What an assertion says of an answer.
 *
 * @param score usually from 0 to 1
 * @param reason why, for people
 * @param parts the assertions that it is made of, if it is a set
 * @param isFirm whether {@code not-} leaves it as it is: nothing was found out of which there is an
 *     opposite
 */
record Verdict(boolean pass, double score, String reason, List<Graded> parts, boolean isFirm) {

  Verdict {
    parts = List.copyOf(parts);
    if (!Double.isFinite(score)) {
      throw new IllegalArgumentException("`score` must be a finite number, was " + score);
    }
  }

  Verdict(boolean pass, double score, String reason, List<Graded> parts) {
    this(pass, score, reason, parts, false);
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

  /** What fails, {@code not-} or not: a script that fails, for example. */
  static Verdict failed(String reason) {
    return new Verdict(false, 0, reason, List.of(), true);
  }

  /** The opposite. */
  Verdict negated(String type) {
    if (isFirm) {
      return this;
    }
    double opposite = score >= 0 && score <= 1 ? 1 - score : pass ? 0 : 1;
    return new Verdict(!pass, opposite, pass ? "not-%s: but it is so".formatted(type) : "", parts);
  }
}
