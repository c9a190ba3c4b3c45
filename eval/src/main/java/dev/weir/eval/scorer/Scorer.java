package dev.weir.eval.scorer;

/** Judges an answer: from 0, wrong, to 1, right. Thread-safe. */
@FunctionalInterface
public interface Scorer {

  double score(String output, String target);
}
