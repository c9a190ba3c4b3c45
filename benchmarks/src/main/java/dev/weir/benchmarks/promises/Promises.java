package dev.weir.benchmarks.promises;

import java.util.ArrayList;
import java.util.List;

/** What mode {@code pace} promises, with the providers on which each promise is measured. */
final class Promises {

  private Promises() {}

  static List<Series> all() {
    List<Series> all = new ArrayList<>();
    all.addAll(RefusalPromises.refusalBound());
    all.addAll(StrayPromises.strays());
    all.addAll(FallPromises.falls());
    all.addAll(TierPromises.lowTiers());
    all.addAll(MemoryPromises.memory());
    all.addAll(RampPromises.ramp());
    all.add(SharingPromises.others());
    return all;
  }
}
