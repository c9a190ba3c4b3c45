package dev.weir.simulator.provider;

import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Actions in the order of their times, ties in the order in which they were added.
 *
 * <p>Time jumps from one action to the next, so a simulated hour costs what happens in it, and the
 * same actions make the same history. A binary heap in parallel arrays: an event costs no object
 * beyond its action. Not thread-safe.
 */
public final class EventLoop {

  private long[] times = new long[64];
  private long[] sequences = new long[64];
  private @Nullable Runnable[] actions = new @Nullable Runnable[64];
  private int size;
  private long sequence;
  private long now;

  /** Nanoseconds since the loop was made. */
  public long now() {
    return now;
  }

  /** Runs the action at a time; at once, after what is due already, if that time has passed. */
  public void at(long nanos, Runnable action) {
    if (size == times.length) {
      times = Arrays.copyOf(times, size * 2);
      sequences = Arrays.copyOf(sequences, size * 2);
      actions = Arrays.copyOf(actions, size * 2);
    }
    siftUp(size++, Math.max(nanos, now), sequence++, action);
  }

  /** Runs the action after so many nanoseconds; at once if they are negative. */
  public void after(long nanos, Runnable action) {
    at(now + Math.max(0, nanos), action);
  }

  public void after(Duration wait, Runnable action) {
    after(wait.toNanos(), action);
  }

  /** Runs actions until the condition holds after one of them, or none is left. */
  public void run(BooleanSupplier stop) {
    runUntil(Long.MAX_VALUE, stop);
  }

  /** As {@link #run}, but leaves what is due after the given time. */
  public void runUntil(long nanos, BooleanSupplier stop) {
    while (size > 0 && times[0] <= nanos) {
      now = times[0];
      poll().run();
      if (stop.getAsBoolean()) {
        return;
      }
    }
  }

  private Runnable poll() {
    Runnable first = Objects.requireNonNull(actions[0]);
    int last = --size;
    Runnable moved = Objects.requireNonNull(actions[last]);
    actions[last] = null;
    if (last > 0) {
      siftDown(times[last], sequences[last], moved);
    }
    return first;
  }

  private void siftUp(int from, long time, long order, Runnable action) {
    int index = from;
    while (index > 0) {
      int parent = (index - 1) >>> 1;
      if (!isBefore(time, order, parent)) {
        break;
      }
      move(parent, index);
      index = parent;
    }
    put(index, time, order, action);
  }

  private void siftDown(long time, long order, Runnable action) {
    int index = 0;
    while (2 * index + 1 < size) {
      int child = 2 * index + 1;
      if (child + 1 < size && isBefore(times[child + 1], sequences[child + 1], child)) {
        child++;
      }
      if (isBefore(time, order, child)) {
        break;
      }
      move(child, index);
      index = child;
    }
    put(index, time, order, action);
  }

  private boolean isBefore(long time, long order, int other) {
    return time != times[other] ? time < times[other] : order < sequences[other];
  }

  private void move(int from, int to) {
    times[to] = times[from];
    sequences[to] = sequences[from];
    actions[to] = actions[from];
  }

  private void put(int index, long time, long order, Runnable action) {
    times[index] = time;
    sequences[index] = order;
    actions[index] = action;
  }
}
