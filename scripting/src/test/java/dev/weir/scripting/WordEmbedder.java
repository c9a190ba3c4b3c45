package dev.weir.scripting;

import dev.weir.eval.scorer.Embedder;
import java.util.Locale;

/** Counts words in a few hundred buckets: near enough to a meaning for tests. */
public final class WordEmbedder implements Embedder {

  @Override
  public float[] embed(String text) {
    float[] counts = new float[256];
    for (String word : text.toLowerCase(Locale.ROOT).split("\\W+", -1)) {
      counts[Math.floorMod(word.hashCode(), counts.length)]++;
    }
    return counts;
  }
}
