package dev.weir.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** The usual tools of concurrent code, made of the one primitive: proof that it suffices. */
final class BuiltFromSignals {

  private static final Duration STEP = Duration.ofMillis(1);

  private BuiltFromSignals() {}

  /** A queue of any number of producers and one consumer. */
  private static final class Queue<T> {
    private final ArrayDeque<T> items = new ArrayDeque<>();
    private final Signal filled;

    Queue(Time time) {
      filled = time.signal("an item");
    }

    void put(T item) {
      synchronized (items) {
        items.add(item);
      }
      filled.send();
    }

    T take() throws InterruptedException {
      while (true) {
        synchronized (items) {
          if (!items.isEmpty()) {
            return items.remove();
          }
        }
        filled.await();
      }
    }
  }

  /** Permits, handed over in the order of arrival. */
  private static final class Permits {
    private final Time time;
    private final ArrayDeque<Signal> waiting = new ArrayDeque<>();
    private int free;

    Permits(Time time, int free) {
      this.time = time;
      this.free = free;
    }

    void acquire() throws InterruptedException {
      Signal granted = time.signal("a permit");
      synchronized (waiting) {
        if (free > 0) {
          free--;
          return;
        }
        waiting.add(granted);
      }
      granted.await();
    }

    void release() {
      Signal next;
      synchronized (waiting) {
        next = waiting.poll();
        if (next == null) {
          free++;
          return;
        }
      }
      next.send();
    }
  }

  static void assertQueueKeepsOrder(Time time) throws InterruptedException {
    var queue = new Queue<Integer>(time);
    Task<?> producer =
        time.start(
            "producer",
            () -> {
              for (int i = 0; i < 20; i++) {
                queue.put(i);
                if (i % 7 == 0) {
                  time.sleep(STEP);
                }
              }
            });
    List<Integer> taken = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      taken.add(queue.take());
    }
    producer.join();
    assertThat(taken).isSorted().hasSize(20);
  }

  static void assertLatchReleasesAll(Time time) throws InterruptedException {
    var latch = new Completion<String>(time, "the latch");
    var released = new AtomicInteger();
    List<Task<?>> tasks = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      tasks.add(
          time.start(
              "waiter-" + i,
              () -> {
                latch.await();
                released.incrementAndGet();
              }));
    }
    time.sleep(STEP);
    assertThat(released).hasValue(0);
    latch.complete("open");
    for (Task<?> task : tasks) {
      task.join();
    }
    assertThat(released).hasValue(10);
  }

  static void assertPermitsBoundConcurrency(Time time) throws InterruptedException {
    var permits = new Permits(time, 3);
    var inside = new AtomicInteger();
    var most = new AtomicInteger();
    List<Task<?>> tasks = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      tasks.add(
          time.start(
              "worker-" + i,
              () -> {
                permits.acquire();
                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                time.sleep(STEP);
                inside.decrementAndGet();
                permits.release();
              }));
    }
    for (Task<?> task : tasks) {
      task.join();
    }
    assertThat(most).hasValue(3);
  }

  static void assertSingleFlightRunsOnce(Time time) throws InterruptedException {
    var flight = new Completion<String>(time, "the answer");
    var owner = new AtomicInteger();
    var runs = new AtomicInteger();
    List<Task<String>> callers = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      callers.add(
          time.start(
              "caller-" + i,
              () -> {
                if (owner.getAndIncrement() == 0) {
                  time.sleep(STEP);
                  flight.complete("answer " + runs.incrementAndGet());
                }
                return flight.await();
              }));
    }
    for (Task<String> caller : callers) {
      assertThat(caller.join()).isEqualTo("answer 1");
    }
  }
}
