package dev.weir.time.virtual;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class WakeQueueTest {

  @Test
  void agreesWithASortedListOnRandomHistories() {
    for (long seed = 0; seed < 200; seed++) {
      var random = new SplittableRandom(seed);
      var queue = new WakeQueue();
      List<VirtualTask<?>> expected = new ArrayList<>();
      List<VirtualTask<?>> outside = tasks(40);
      for (int operation = 0; operation < 400; operation++) {
        int kind = random.nextInt(3);
        if (kind == 0 && !outside.isEmpty()) {
          VirtualTask<?> task = outside.remove(random.nextInt(outside.size()));
          queue.add(task, random.nextLong(10), operation);
          expected.add(task);
          expected.sort(
              Comparator.<VirtualTask<?>>comparingLong(t -> t.wakeAt)
                  .thenComparingLong(t -> t.wakeSequence));
        } else if (kind == 1 && !expected.isEmpty()) {
          VirtualTask<?> task = expected.remove(random.nextInt(expected.size()));
          queue.remove(task);
          queue.remove(task);
          outside.add(task);
        } else {
          VirtualTask<?> first = expected.isEmpty() ? null : expected.removeFirst();
          assertThat(queue.poll()).as("seed %d, operation %d", seed, operation).isSameAs(first);
          if (first != null) {
            outside.add(first);
          }
        }
      }
    }
  }

  private static List<VirtualTask<?>> tasks(int count) {
    VirtualTime time = VirtualTime.seeded(0);
    List<VirtualTask<?>> tasks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      tasks.add(new VirtualTask<>(time, i, "task-" + i, () -> "done"));
    }
    return tasks;
  }
}
