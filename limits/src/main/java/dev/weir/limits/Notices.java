package dev.weir.limits;

import dev.weir.limits.event.Notice;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Brings notices to those who listen: in order, one at a time, and never under a lock.
 *
 * <p>Whoever has caused a notice delivers it, and those that others add meanwhile. Thread-safe.
 */
final class Notices {

  /** Bounds the memory when a listener is slower than what happens. */
  private static final int MOST_PENDING = 10_000;

  private final List<Consumer<Notice>> listeners = new CopyOnWriteArrayList<>();

  // Guarded by this.
  private final Deque<Notice> pending = new ArrayDeque<>();
  private boolean delivering;
  private long dropped;

  void subscribe(Consumer<Notice> listener) {
    listeners.add(listener);
  }

  void unsubscribe(Consumer<Notice> listener) {
    listeners.remove(listener);
  }

  boolean isListenedTo() {
    return !listeners.isEmpty();
  }

  synchronized void add(Notice notice) {
    if (pending.size() == MOST_PENDING) {
      pending.removeFirst();
      dropped++;
    }
    pending.add(notice);
  }

  /** Notices that were dropped because listeners were too slow. */
  synchronized long dropped() {
    return dropped;
  }

  void deliver() {
    if (!isListenedTo()) {
      return;
    }
    boolean completed = false;
    try {
      for (Notice next = first(); next != null; next = next()) {
        for (Consumer<Notice> listener : listeners) {
          deliver(next, listener);
        }
      }
      completed = true;
    } finally {
      if (!completed) {
        stopDelivering();
      }
    }
  }

  private synchronized void stopDelivering() {
    delivering = false;
  }

  /** A listener that fails must not fail a call: its failure goes where uncaught ones go. */
  private static void deliver(Notice notice, Consumer<Notice> listener) {
    try {
      listener.accept(notice);
    } catch (RuntimeException failure) {
      Thread thread = Thread.currentThread();
      thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
    }
  }

  private synchronized @Nullable Notice first() {
    if (delivering || pending.isEmpty()) {
      return null;
    }
    delivering = true;
    return pending.removeFirst();
  }

  private synchronized @Nullable Notice next() {
    Notice next = pending.pollFirst();
    delivering = next != null;
    return next;
  }
}
