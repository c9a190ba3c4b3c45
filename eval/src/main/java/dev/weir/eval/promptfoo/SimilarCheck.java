package dev.weir.eval.promptfoo;

import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.scorer.Embedder;
import java.util.Locale;

/**
 * The assertion {@code similar}: how near the meaning of an answer is to that of a text; of several
 * texts the nearest counts.
 */
record SimilarCheck(Value value, double threshold, Embedder embedder) implements Check {

  @Override
  public Verdict check(Answer answer, SampleContext context) {
    float[] said = embedder.embed(answer.text());
    double best = 0;
    for (Value one : value.oneOrMore()) {
      best = Math.max(best, cosine(said, embedder.embed(answer.fill(one.text().orElse("")))));
    }
    boolean pass = best >= threshold;
    return Verdict.of(
        pass,
        best,
        String.format(Locale.ROOT, "the similarity is %.3f, the threshold %s", best, threshold));
  }

  private static double cosine(float[] a, float[] b) {
    double product = 0;
    double lengthA = 0;
    double lengthB = 0;
    for (int i = 0; i < Math.min(a.length, b.length); i++) {
      product += (double) a[i] * b[i];
      lengthA += (double) a[i] * a[i];
      lengthB += (double) b[i] * b[i];
    }
    return lengthA == 0 || lengthB == 0 ? 0 : product / Math.sqrt(lengthA * lengthB);
  }
}
