package dev.weir.log.inspect;

import java.util.Arrays;

/** Which samples a log was found to have, at 8 bytes for each. Not thread-safe. */
final class SeenSamples {

  private long[] hashes = new long[64];
  private int count;
  private boolean isSorted = true;

  void add(InspectSample sample) {
    if (count == hashes.length) {
      hashes = Arrays.copyOf(hashes, 2 * count);
    }
    hashes[count++] = hash(sample);
    isSorted = false;
  }

  boolean has(InspectSample sample) {
    if (!isSorted) {
      Arrays.sort(hashes, 0, count);
      isSorted = true;
    }
    return Arrays.binarySearch(hashes, 0, count, hash(sample)) >= 0;
  }

  private static long hash(InspectSample sample) {
    return LastOfName.hash(sample.id().member(sample.epoch()));
  }
}
