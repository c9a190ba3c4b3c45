package dev.weir.time.virtual;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The tasks that have a time to run at, earliest first, ties by sequence number.
 *
 * <p>A binary heap in which each task knows its place: a wait that ends early leaves no stale entry
 * behind, so the queue never holds more than the tasks that live. Not thread-safe: belongs to the
 * holder of the baton.
 */
final class WakeQueue {

  private @Nullable VirtualTask<?>[] heap = new VirtualTask<?>[16];
  private int size;

  void add(VirtualTask<?> task, long at, long sequence) {
    if (task.queueIndex != VirtualTask.NOT_QUEUED) {
      throw new IllegalStateException("cannot schedule " + task + ": it is scheduled already");
    }
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, size * 2);
    }
    task.wakeAt = at;
    task.wakeSequence = sequence;
    siftUp(size++, task);
  }

  @Nullable VirtualTask<?> poll() {
    if (size == 0) {
      return null;
    }
    VirtualTask<?> first = at(0);
    remove(first);
    return first;
  }

  /** Takes the task out; without effect if it is not in. */
  void remove(VirtualTask<?> task) {
    int gap = task.queueIndex;
    if (gap == VirtualTask.NOT_QUEUED) {
      return;
    }
    task.queueIndex = VirtualTask.NOT_QUEUED;
    VirtualTask<?> last = at(--size);
    heap[size] = null;
    if (last == task) {
      return;
    }
    siftDown(gap, last);
    if (at(gap) == last) {
      siftUp(gap, last);
    }
  }

  void clear() {
    while (size > 0) {
      remove(at(size - 1));
    }
  }

  private void siftUp(int from, VirtualTask<?> task) {
    int index = from;
    while (index > 0) {
      int parent = (index - 1) >>> 1;
      if (!isBefore(task, at(parent))) {
        break;
      }
      put(index, at(parent));
      index = parent;
    }
    put(index, task);
  }

  private void siftDown(int from, VirtualTask<?> task) {
    int index = from;
    while (2 * index + 1 < size) {
      int child = 2 * index + 1;
      if (child + 1 < size && isBefore(at(child + 1), at(child))) {
        child++;
      }
      if (!isBefore(at(child), task)) {
        break;
      }
      put(index, at(child));
      index = child;
    }
    put(index, task);
  }

  private void put(int index, VirtualTask<?> task) {
    heap[index] = task;
    task.queueIndex = index;
  }

  private VirtualTask<?> at(int index) {
    VirtualTask<?> task = heap[index];
    if (task == null) {
      throw new IllegalStateException("cannot read place " + index + " of " + size + ": empty");
    }
    return task;
  }

  private static boolean isBefore(VirtualTask<?> a, VirtualTask<?> b) {
    return a.wakeAt != b.wakeAt ? a.wakeAt < b.wakeAt : a.wakeSequence < b.wakeSequence;
  }
}
