package dev.weir.simulator.provider;

import dev.weir.simulator.provider.ProviderSettings.Cap;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;

/** What is being served, and what waits for a slot at the provider. Not thread-safe. */
final class Slots {

  private final int slots;
  private final boolean queues;
  private final Queue<Work> waiting = new ArrayDeque<>();
  private int serving;
  private int peak;

  Slots(Optional<Cap> cap) {
    this.slots = cap.map(Cap::slots).orElse(Integer.MAX_VALUE);
    this.queues = cap.map(Cap::queues).orElse(false);
  }

  /** Whether another request would be refused. */
  boolean refuse() {
    return !queues && serving >= slots;
  }

  /** Starts the work; or, if there is no slot, queues it and returns false. */
  boolean start(Work work) {
    boolean started = serving < slots;
    if (started) {
      serve(work);
    } else {
      waiting.add(work);
    }
    peak = Math.max(peak, inFlight());
    return started;
  }

  /** Frees the slot of finished work for the work that has waited longest. */
  Optional<Work> finish(Work work) {
    work.end();
    serving--;
    // Hung work may hold more slots than there are.
    Work next = serving < slots ? waiting.poll() : null;
    if (next == null) {
      return Optional.empty();
    }
    serve(next);
    return Optional.of(next);
  }

  /** Holds a slot for work that will never be finished, even if none is free. */
  void occupy(Work work) {
    serve(work);
    peak = Math.max(peak, inFlight());
  }

  /** Frees the slot of work that nobody waits for any more, or its place in the queue. */
  Optional<Work> abandon(Work work) {
    return waiting.remove(work) ? Optional.empty() : finish(work);
  }

  /** Admitted and not finished, whether served or queued. */
  int inFlight() {
    return serving + waiting.size();
  }

  int peak() {
    return peak;
  }

  private void serve(Work work) {
    work.begin();
    serving++;
  }
}
