package dev.weir.benchmarks;

import dev.weir.cli.Benchmark;
import dev.weir.time.Task;
import dev.weir.time.Time;
import dev.weir.time.virtual.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * Virtual time: one simulated hour of tasks that each wait once in every ten seconds of it.
 *
 * <p>Beside it, the same events taken from a plain priority queue by one thread: what the tasks'
 * stacks and the passing of the baton cost is the ratio of the two.
 */
public final class TimeBenchmark implements Benchmark {

  private static final int TASKS = 10_000;
  private static final int WAITS = 360;
  private static final long TEN_SECONDS = Duration.ofSeconds(10).toNanos();
  private static final long SEED = 42;

  private final int tasks;

  /** The full size; found by {@link java.util.ServiceLoader}. */
  public TimeBenchmark() {
    this(TASKS);
  }

  TimeBenchmark(int tasks) {
    this.tasks = tasks;
  }

  @Override
  public String name() {
    return "time";
  }

  @Override
  public String description() {
    return "one simulated hour of 10,000 tasks with 360 waits each, on virtual time";
  }

  @Override
  public Report run() throws Exception {
    Time clock = Time.system();
    long start = clock.nanos();
    long simulated = onVirtualTime();
    double seconds = (clock.nanos() - start) / 1e9;
    start = clock.nanos();
    long events = onPlainQueue();
    double plain = (clock.nanos() - start) / 1e9;

    long waits = (long) tasks * WAITS;
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("seed", SEED);
    figures.put("tasks", tasks);
    figures.put("waits", waits);
    figures.put("simulated_seconds", Math.round(simulated / 1e9));
    figures.put("real_seconds", rounded(seconds));
    figures.put("microseconds_per_wait", rounded(seconds * 1e6 / waits));
    figures.put("simulated_per_real_second", Math.round(simulated / 1e9 / seconds));
    figures.put("plain_queue_events", events);
    figures.put("plain_queue_seconds", rounded(plain));
    figures.put("ratio_to_plain_queue", rounded(seconds / plain));
    return Report.of(figures);
  }

  private long onVirtualTime() throws Exception {
    VirtualTime time = VirtualTime.seeded(SEED);
    time.run(
        () -> {
          List<Task<?>> started = new ArrayList<>();
          for (int i = 0; i < tasks; i++) {
            var random = new SplittableRandom(i);
            started.add(
                time.start(
                    "task-" + i,
                    () -> {
                      for (int wait = 0; wait < WAITS; wait++) {
                        time.sleepUntil(wait * TEN_SECONDS + random.nextLong(TEN_SECONDS));
                      }
                    }));
          }
          for (Task<?> task : started) {
            task.join();
          }
        });
    return time.nanos();
  }

  private long onPlainQueue() {
    record Event(long at, long sequence, SplittableRandom random, int round) {}
    var queue =
        new PriorityQueue<Event>(
            (a, b) ->
                a.at != b.at ? Long.compare(a.at, b.at) : Long.compare(a.sequence, b.sequence));
    long sequence = 0;
    for (int i = 0; i < tasks; i++) {
      var random = new SplittableRandom(i);
      queue.add(new Event(random.nextLong(TEN_SECONDS), sequence++, random, 0));
    }
    long events = 0;
    for (Event event = queue.poll(); event != null; event = queue.poll()) {
      events++;
      int next = event.round + 1;
      if (next < WAITS) {
        long at = next * TEN_SECONDS + event.random.nextLong(TEN_SECONDS);
        queue.add(new Event(at, sequence++, event.random, next));
      }
    }
    return events;
  }

  private static double rounded(double value) {
    return Double.parseDouble(String.format(Locale.ROOT, "%.3g", value));
  }
}
