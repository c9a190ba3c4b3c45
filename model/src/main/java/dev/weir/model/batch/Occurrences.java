package dev.weir.model.batch;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * Numbers requests of the same content: the first is 0, a second beside or after it is 1. A request
 * that came to nothing gives its number back, so a retry has the number of what it repeats, in this
 * run and in the next. Grows with what a run asks. Thread-safe.
 */
final class Occurrences {

  private final Map<String, BitSet> taken = new HashMap<>();

  synchronized int take(String content) {
    BitSet numbers = taken.computeIfAbsent(content, _ -> new BitSet());
    int free = numbers.nextClearBit(0);
    numbers.set(free);
    return free;
  }

  synchronized void giveBack(String content, int number) {
    BitSet numbers = taken.get(content);
    if (numbers != null) {
      numbers.clear(number);
    }
  }
}
