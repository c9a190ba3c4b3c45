package dev.weir.eval.run;

import dev.weir.time.Signal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The samples that are put aside until all others have finished, because a request of theirs keeps
 * failing while others succeed. Not thread-safe: guarded by the run.
 */
final class Parking {

  /** A bound for memory; and where more fail, it is worth knowing before the end. */
  private static final int MOST = 1_000;

  // A sample may make several requests at once.
  private final Map<Ticket, List<Signal>> parked = new HashMap<>();

  /** Samples, not requests. */
  int size() {
    return parked.size();
  }

  boolean isFull() {
    return parked.size() >= MOST;
  }

  /**
   * @param release is sent when all others have finished
   * @return whether it is the first request of its sample
   */
  boolean add(Ticket ticket, Signal release) {
    List<Signal> requests = parked.computeIfAbsent(ticket, _ -> new ArrayList<>(1));
    requests.add(release);
    return requests.size() == 1;
  }

  /**
   * @return whether it was the last request of its sample
   */
  boolean remove(Ticket ticket, Signal release) {
    List<Signal> requests = parked.getOrDefault(ticket, List.of());
    boolean isLast = requests.remove(release) && requests.isEmpty();
    if (isLast) {
      parked.remove(ticket);
    }
    return isLast;
  }

  /** What to send to all of them. */
  List<Signal> signals() {
    return parked.values().stream().flatMap(List::stream).toList();
  }
}
