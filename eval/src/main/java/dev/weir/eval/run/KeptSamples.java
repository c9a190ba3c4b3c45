package dev.weir.eval.run;

import dev.weir.eval.dataset.Sample;
import dev.weir.log.SampleFailure;
import dev.weir.log.SampleSummary;
import java.util.List;
import java.util.Optional;

/** The samples of a run that were finished in an earlier one, and are not run again. */
@FunctionalInterface
public interface KeptSamples {

  /** Everything is to be run. */
  KeptSamples NONE = (_, _) -> Optional.empty();

  /**
   * @param epoch which repetition, from 1
   */
  Optional<SampleSummary> find(Sample sample, int epoch);

  /** What a sample that was not finished failed with before. */
  default List<SampleFailure> errors(Sample sample, int epoch) {
    return List.of();
  }
}
