package dev.weir.benchmarks.promises;

/**
 * A moment from which a provider allows less than before.
 *
 * @param until when it allows more again
 * @param blackout whether it refuses everything until then
 */
record Fall(long at, long until, boolean blackout) {

  private static final long LONGEST_GAP_NANOS = 60_000_000_000L;

  /** How many probes fit into the fall, the first after 1 s, with gaps that double up to 60 s. */
  int probes() {
    int probes = 0;
    long gap = LONGEST_GAP_NANOS / 60;
    for (long time = at + gap; blackout && time < until; time += gap) {
      probes++;
      gap = Math.min(LONGEST_GAP_NANOS, 2 * gap);
    }
    return probes;
  }
}
