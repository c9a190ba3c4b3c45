package dev.weir.model.batch;

import dev.weir.time.Signal;
import dev.weir.time.Time;
import java.util.ArrayDeque;
import java.util.Queue;

/** So many batches at the provider at once; the next one waits, first come, first served. */
final class Slots {

  private final Time time;

  // Guarded by this: a free slot and those who wait for one belong together.
  private int free;
  private final Queue<Signal> waiting = new ArrayDeque<>();

  Slots(Time time, int most) {
    this.time = time;
    this.free = most;
  }

  void take() throws InterruptedException {
    Signal turn = time.signal("a batch at the provider to end");
    synchronized (this) {
      if (free > 0) {
        free--;
        return;
      }
      waiting.add(turn);
    }
    try {
      turn.await();
    } catch (InterruptedException gone) {
      boolean given;
      synchronized (this) {
        given = !waiting.remove(turn);
      }
      if (given) {
        giveBack();
      }
      throw gone;
    }
  }

  void giveBack() {
    Signal next;
    synchronized (this) {
      next = waiting.poll();
      if (next == null) {
        free++;
        return;
      }
    }
    next.send();
  }
}
