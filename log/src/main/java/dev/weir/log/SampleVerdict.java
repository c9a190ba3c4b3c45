package dev.weir.log;

import java.util.Locale;

/** How a sample ended, as reports for people group it; those that need attention come first. */
public enum SampleVerdict {
  /** It ended with an error. */
  ERROR,
  /** The score of its first scorer is below 1. */
  WRONG,
  /** It was cancelled before it had finished. */
  UNFINISHED,
  /** It finished, and no scorer scored it. */
  UNSCORED,
  /** The score of its first scorer is 1 or more. */
  PASSED;

  public static SampleVerdict of(SampleSummary sample) {
    if (sample.failed()) {
      return ERROR;
    }
    if (sample.cancelled()) {
      return UNFINISHED;
    }
    return sample.scores().values().stream()
        .findFirst()
        .map(score -> score < 1 ? WRONG : PASSED)
        .orElse(UNSCORED);
  }

  public static SampleVerdict of(SampleResult sample) {
    return of(SampleSummary.of(sample));
  }

  /** Whether someone who looks for what went wrong wants to see it. */
  public boolean isFailure() {
    return this == ERROR || this == WRONG;
  }

  /** As it is written in reports and JSON. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
