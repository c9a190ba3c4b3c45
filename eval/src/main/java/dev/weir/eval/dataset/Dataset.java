package dev.weir.eval.dataset;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The samples of a task, in order: at least one, with distinct ids. */
public record Dataset(List<Sample> samples) {

  public Dataset {
    samples = List.copyOf(samples);
    if (samples.isEmpty()) {
      throw new IllegalArgumentException("`samples` must not be empty");
    }
    Set<String> ids = new HashSet<>();
    for (Sample sample : samples) {
      if (!ids.add(sample.id())) {
        throw new IllegalArgumentException(
            "ids must be distinct, but '%s' is there twice".formatted(sample.id()));
      }
    }
  }

  /** The first {@code count} samples, or all if there are fewer; at least one. */
  public Dataset first(int count) {
    return new Dataset(samples.subList(0, Math.min(count, samples.size())));
  }
}
