package dev.weir.eval.scorer;

import java.util.Optional;
import java.util.ServiceLoader;

/**
 * Turns text into a vector whose direction is its meaning. Found with {@link ServiceLoader}: the
 * module {@code weir-embeddings} has one. Thread-safe.
 */
public interface Embedder {

  /** Vectors of one embedder all have the same length. */
  float[] embed(String text);

  /** The first one on the class path. */
  static Optional<Embedder> find() {
    return ServiceLoader.load(Embedder.class).findFirst();
  }
}
