package dev.weir.limits.control;

import dev.weir.limits.control.WindowChange.Reason;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The size of a window and the record of its moves.
 *
 * <p>Not thread-safe.
 */
final class Window {

  /** Bounds the memory of a run that goes up and down for days. */
  static final int LONGEST_HISTORY = 200;

  private int size;
  private long moves;
  private final Deque<WindowChange> history = new ArrayDeque<>();

  Window(int size) {
    this.size = size;
  }

  int size() {
    return size;
  }

  /** Records a move; staying where it is leaves no trace. */
  void moveTo(int to, long now, Reason reason) {
    if (to == size) {
      return;
    }
    if (history.size() == LONGEST_HISTORY) {
      history.removeFirst();
    }
    history.addLast(new WindowChange(now, size, to, reason));
    size = to;
    moves++;
  }

  long moves() {
    return moves;
  }

  List<WindowChange> history() {
    return List.copyOf(history);
  }

  /** Refuses a largest window below 1, before anything has changed. */
  static void checkMax(int max) {
    if (max < 1) {
      throw new IllegalArgumentException("`max` must be >= 1, was " + max);
    }
  }
}
