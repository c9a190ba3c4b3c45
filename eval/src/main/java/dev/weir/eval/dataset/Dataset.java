package dev.weir.eval.dataset;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The samples of a task, in order, with distinct ids. */
public record Dataset(List<Sample> samples) {

  public static final Dataset EMPTY = new Dataset(List.of());

  public Dataset {
    samples = List.copyOf(samples);
    Set<String> ids = new HashSet<>();
    for (Sample sample : samples) {
      if (!ids.add(sample.id())) {
        throw new IllegalArgumentException(
            "ids must be distinct, but '%s' is there twice".formatted(sample.id()));
      }
    }
  }

  public static Dataset of(Sample... samples) {
    return new Dataset(List.of(samples));
  }
}
