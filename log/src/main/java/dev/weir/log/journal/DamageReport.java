package dev.weir.log.journal;

import java.util.List;

/**
 * What was wrong with the part of a journal that was read.
 *
 * @param first the first places, in the order they were met; at most {@value #NAMED}
 * @param places how many there are
 * @param bytes how many bytes were skipped
 */
public record DamageReport(List<Damage> first, long places, long bytes) {

  static final int NAMED = 100;

  public DamageReport {
    first = List.copyOf(first);
  }

  public boolean isEmpty() {
    return places == 0;
  }
}
