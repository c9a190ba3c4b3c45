package dev.weir.eval.dataset;

import java.util.List;

/** The samples of a task, in order: at least one, with distinct ids. */
public record Dataset(List<Sample> samples) {

  public Dataset {
    samples = List.copyOf(samples);
  }

  /** The first {@code count} samples, or all if there are fewer. */
  public Dataset first(int count) {
    return new Dataset(samples.subList(0, Math.min(count, samples.size())));
  }
}
