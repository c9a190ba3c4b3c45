package dev.weir.eval.run;

import java.util.Locale;

/** What a run does not do until it is told to go on. */
public enum Pause {
  /** It does all it can. */
  NONE,
  /** It opens no samples; those that are open go on. */
  SAMPLES,
  /** Samples that are open make no further calls, either. */
  CALLS;

  /** As it is written. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
