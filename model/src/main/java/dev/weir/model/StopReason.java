package dev.weir.model;

import java.util.Locale;

/** Why an answer ended. */
public enum StopReason {
  /** The model was done, or met a text to stop at. */
  STOP,
  /** The most tokens that were allowed. */
  MAX_TOKENS,
  /** It wants tools to be run. */
  TOOL_CALLS,
  /** The provider's policy cut it off, or the model declined. */
  CONTENT_FILTER,
  /** The provider said something else, or nothing. */
  UNKNOWN;

  /** As it is written: {@code max_tokens}. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
