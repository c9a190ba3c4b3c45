package dev.weir.embeddings;

import dev.langchain4j.model.embedding.onnx.allminilml6v2q.AllMiniLmL6V2QuantizedEmbeddingModel;
import dev.weir.eval.scorer.Embedder;

/**
 * The model all-MiniLM-L6-v2, quantised: English sentences as vectors of 384 numbers. Text beyond
 * 510 tokens is embedded in parts, of which the mean is taken. Thread-safe.
 */
public final class MiniLmEmbedder implements Embedder {

  /** Loaded with the first text: that takes about half a second. */
  private static final class Loaded {
    static final AllMiniLmL6V2QuantizedEmbeddingModel MODEL =
        new AllMiniLmL6V2QuantizedEmbeddingModel();
  }

  @Override
  public float[] embed(String text) {
    return Loaded.MODEL.embed(text).content().vector();
  }
}
