package dev.weir.log;

import java.util.ArrayList;
import java.util.List;

/**
 * What a sample failed with that has not finished.
 *
 * @param errors the oldest first; a cancellation is none
 */
public record ErrorHistory(String id, int epoch, List<SampleFailure> errors) {

  public ErrorHistory {
    errors = List.copyOf(errors);
  }

  static ErrorHistory of(SampleResult sample) {
    List<SampleFailure> errors = new ArrayList<>(sample.errorRetries());
    sample.error().ifPresent(error -> errors.add(new SampleFailure(error, sample.traceback())));
    return new ErrorHistory(sample.id(), sample.epoch(), errors);
  }

  static boolean has(SampleSummary summary) {
    return summary.failed() || (!summary.hasFinished() && summary.errorRetries() > 0);
  }
}
