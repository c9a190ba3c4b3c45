package dev.weir.log;

import java.util.List;

/**
 * What a reducer made of the epochs of samples.
 *
 * @param reducer {@code mean}, {@code at_least_2}
 */
public record Reduced(String scorer, String reducer, List<Value> samples) {

  public Reduced {
    samples = List.copyOf(samples);
  }

  /** Of one sample. */
  public record Value(String id, double value) {}
}
