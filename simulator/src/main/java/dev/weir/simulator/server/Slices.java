package dev.weir.simulator.server;

import java.util.ArrayList;
import java.util.List;

/** Cuts texts into the pieces in which streams bring them, which are not too many. */
final class Slices {

  private static final int MOST = 40;

  private static final int LEAST_OF_JSON = 6;

  private Slices() {}

  /** Words with the space before them. */
  static List<String> words(String text) {
    int least = Math.ceilDiv(text.length(), MOST);
    List<String> slices = new ArrayList<>();
    int from = 0;
    for (int i = 1; i < text.length(); i++) {
      if (i - from >= least && text.charAt(i) == ' ') {
        slices.add(text.substring(from, i));
        from = i;
      }
    }
    if (from < text.length()) {
      slices.add(text.substring(from));
    }
    return slices;
  }

  /** Pieces of JSON, cut anywhere but within a character. */
  static List<String> json(String text) {
    int length = Math.max(LEAST_OF_JSON, Math.ceilDiv(text.length(), MOST));
    List<String> slices = new ArrayList<>();
    int from = 0;
    while (from < text.length()) {
      int to = Math.min(text.length(), from + length);
      if (to < text.length() && Character.isLowSurrogate(text.charAt(to))) {
        to++;
      }
      slices.add(text.substring(from, to));
      from = to;
    }
    return slices;
  }
}
