package dev.weir.cli;

import java.util.Locale;
import picocli.CommandLine.TypeConversionException;

/** How a run is shown while it goes on. */
enum DisplayMode {
  /** Tables that move, on a terminal. */
  FULL,
  /** A line now and then, on standard error. */
  PLAIN,
  NONE;

  static DisplayMode parse(String word) {
    for (DisplayMode mode : values()) {
      if (mode.name().toLowerCase(Locale.ROOT).equals(word)) {
        return mode;
      }
    }
    throw new TypeConversionException("must be full, plain or none, was '" + word + "'");
  }
}
