package dev.weir.model;

import java.util.Locale;

/** How much a model is to think before it answers. */
public enum ReasoningEffort {
  NONE,
  MINIMAL,
  LOW,
  MEDIUM,
  HIGH,
  XHIGH;

  /** As it is written: {@code low}. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
