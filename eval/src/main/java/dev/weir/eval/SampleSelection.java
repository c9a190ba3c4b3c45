package dev.weir.eval;

import dev.weir.eval.dataset.Dataset;
import dev.weir.eval.dataset.Selection;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.RunOptions.SampleOptions;
import dev.weir.model.ConfigurationException;
import java.util.Optional;

/** Which samples of a dataset a run evaluates. */
final class SampleSelection {

  private SampleSelection() {}

  /** Only those with the ids, shuffled, and of these only the range; in that order. */
  static Dataset select(Dataset dataset, RunOptions options, long seed) {
    if (dataset.samples().isEmpty()) {
      throw new ConfigurationException("there is no sample to run");
    }
    SampleOptions wanted = options.samples();
    Optional<Long> shuffle =
        wanted
            .shuffle()
            .filter(word -> !word.equals("false"))
            .map(word -> word.equals("true") ? seed : Long.parseLong(word));
    return new Selection(
            wanted.ids(),
            shuffle,
            wanted.range().map(range -> range.first()).orElse(1),
            wanted.range().map(range -> range.last()).orElse(Integer.MAX_VALUE))
        .of(dataset);
  }
}
