package dev.weir.log.journal;

import java.util.ArrayList;
import java.util.List;

/** Collects damage: names some, counts all. Not thread-safe. */
final class DamageLog {

  private final List<Damage> first = new ArrayList<>();
  private long places;
  private long bytes;

  void add(Damage damage) {
    places++;
    bytes += damage.bytes();
    if (first.size() < DamageReport.NAMED) {
      first.add(damage);
    }
  }

  DamageReport report() {
    return new DamageReport(first, places, bytes);
  }
}
