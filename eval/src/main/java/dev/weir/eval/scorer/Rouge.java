package dev.weir.eval.scorer;

import static dev.weir.eval.component.Parameter.optional;

import dev.weir.eval.component.Component;
import dev.weir.eval.component.Parameter.Kind;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import java.util.List;

/**
 * How much of a target, as a summary, the output has, and how much else: the F measure of ROUGE
 * [1]. Words are compared in lower case, without stemming. The best of several targets counts.
 *
 * <p>[1] Lin 2004, ROUGE: A Package for Automatic Evaluation of Summaries.
 */
record Rouge(Kinds type) implements Scorer {

  /** What is counted. */
  enum Kinds {
    /** Words. */
    ROUGE1,
    /** Pairs of words. */
    ROUGE2,
    /** The longest sequence of words that both have in that order. */
    ROUGEL
  }

  /** The work for {@code rougel} grows with the product of the two lengths. */
  private static final int MOST_WORDS = 10_000;

  static final Component<Scorer> COMPONENT =
      new Component<>(
          "rouge",
          "How much of the best target the output has: the F measure of ROUGE, from 0 to 1.",
          List.of(
              optional(
                  "type",
                  Kind.TEXT,
                  "What is counted: rouge1 (words), rouge2 (pairs) or rougel (the longest common"
                      + " sequence). Default: rougel.")),
          arguments -> new Rouge(Words.read(arguments, "type", Kinds.class, Kinds.ROUGEL)));

  @Override
  public Score score(SampleState state, SampleContext context) {
    List<String> said = words(Targets.output(state));
    double best = 0;
    for (String target : Targets.of(state)) {
      best = Math.max(best, compare(said, words(target)));
    }
    return Score.of(best);
  }

  private static List<String> words(String text) {
    List<String> words = Tokens.of(text);
    if (words.size() > MOST_WORDS) {
      throw new NoScoreException(
          "the scorer 'rouge' compares at most %d words, but there are %d"
              .formatted(MOST_WORDS, words.size()));
    }
    return words;
  }

  private double compare(List<String> said, List<String> wanted) {
    return switch (type) {
      case ROUGE1 -> runs(said, wanted, 1);
      case ROUGE2 -> runs(said, wanted, 2);
      case ROUGEL -> Tokens.f1(longestCommon(said, wanted), said.size(), wanted.size());
    };
  }

  private static double runs(List<String> said, List<String> wanted, int n) {
    int common = Tokens.common(Tokens.runs(said, n), Tokens.runs(wanted, n));
    return Tokens.f1(common, said.size() - n + 1, wanted.size() - n + 1);
  }

  /** The length of the longest common subsequence. */
  static int longestCommon(List<String> left, List<String> right) {
    int[] row = new int[right.size() + 1];
    for (String word : left) {
      int diagonal = 0;
      for (int j = 1; j <= right.size(); j++) {
        int above = row[j];
        row[j] = word.equals(right.get(j - 1)) ? diagonal + 1 : Math.max(above, row[j - 1]);
        diagonal = above;
      }
    }
    return row[right.size()];
  }
}
