package dev.weir.benchmarks.permits;

import dev.weir.cli.Benchmark;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.openjdk.jmh.util.Statistics;

/**
 * Permits: nanoseconds to get one and give it back, and bytes to wait for one, beside other
 * limiters in the same run. Takes about three minutes.
 */
public final class PermitsBenchmark implements Benchmark {

  private static final int WAITERS = 10_000;
  private static final int MEMORY_ROUNDS = 3;

  private static final List<Subject> ALONE =
      List.of(
          Subject.SEMAPHORE,
          Subject.FAIR_SEMAPHORE,
          Subject.CONCURRENCY_LIMITS,
          Subject.RESILIENCE4J,
          Subject.WEIR_STATIC,
          Subject.WEIR_PACE);

  private static final List<Subject> AMONG_OTHERS =
      List.of(
          Subject.NONE,
          Subject.SEMAPHORE,
          Subject.FAIR_SEMAPHORE,
          Subject.CONCURRENCY_LIMITS,
          Subject.RESILIENCE4J,
          Subject.WEIR_STATIC);

  private final int waiters;
  private final Effort effort;

  /**
   * How long to measure.
   *
   * @param forks 0 for this JVM
   */
  record Effort(
      int forks, int warmUps, TimeValue warmUp, int measurements, TimeValue measurement) {}

  /** The full size; found by {@link java.util.ServiceLoader}. */
  public PermitsBenchmark() {
    this(WAITERS, new Effort(1, 3, TimeValue.seconds(1), 20, TimeValue.milliseconds(200)));
  }

  PermitsBenchmark(int waiters, Effort effort) {
    this.waiters = waiters;
    this.effort = effort;
  }

  @Override
  public String name() {
    return "permits";
  }

  @Override
  public String description() {
    return "what a permit costs, alone and contended, beside other limiters; about 3 minutes";
  }

  @Override
  public Report run() throws Exception {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("uncontended", nanos("uncontended", ALONE));
    figures.put("contended_by_2", nanos("contendedByTwo", AMONG_OTHERS));
    figures.put("contended_by_1000", nanos("contendedByThousand", AMONG_OTHERS));
    figures.put("memory", memory());
    return new Report(figures, text(figures));
  }

  /**
   * By subject: nanoseconds in the median measurement and in the best, and the ratio of the medians
   * to the semaphore of this run. On a busy machine the best says more.
   */
  private Map<String, Object> nanos(String benchmark, List<Subject> subjects)
      throws RunnerException {
    Map<Subject, Statistics> results = new LinkedHashMap<>();
    for (Subject subject : subjects) {
      results.put(subject, statistics(benchmark, subject));
    }
    Map<String, Object> rows = new LinkedHashMap<>();
    results.forEach(
        (subject, statistics) -> {
          Map<String, Object> row = new LinkedHashMap<>();
          row.put("nanos", rounded(statistics.getPercentile(50)));
          row.put("best_nanos", rounded(statistics.getMin()));
          Statistics semaphore = results.getOrDefault(Subject.SEMAPHORE, statistics);
          row.put(
              "ratio_to_semaphore",
              rounded(statistics.getPercentile(50) / semaphore.getPercentile(50)));
          row.put("best_ratio_to_semaphore", rounded(statistics.getMin() / semaphore.getMin()));
          rows.put(word(subject), row);
        });
    return rows;
  }

  private Statistics statistics(String benchmark, Subject subject) throws RunnerException {
    // A lock file would let only one run on a machine, whoever started it.
    System.setProperty("jmh.ignoreLock", "true");
    RunResult result =
        new Runner(
                new OptionsBuilder()
                    .include(PermitsJmh.class.getName() + "." + benchmark + "$")
                    .param("subject", subject.name())
                    .forks(effort.forks)
                    // JMH itself uses it, and Java would complain about that on standard error.
                    .jvmArgsAppend("--sun-misc-unsafe-memory-access=allow")
                    .warmupIterations(effort.warmUps)
                    .warmupTime(effort.warmUp)
                    .measurementIterations(effort.measurements)
                    .measurementTime(effort.measurement)
                    .shouldFailOnError(true)
                    .verbosity(VerboseMode.SILENT)
                    .build())
            .runSingle();
    return result.getPrimaryResult().getStatistics();
  }

  private Map<String, Object> memory() throws InterruptedException {
    var memory = new WaiterMemory(waiters);
    List<Subject> subjects = List.of(Subject.PARKED, Subject.SEMAPHORE, Subject.WEIR_STATIC);
    Map<Subject, List<Long>> measured = new LinkedHashMap<>();
    for (int round = 0; round <= MEMORY_ROUNDS; round++) {
      for (Subject subject : subjects) {
        long bytes = memory.bytes(subject);
        // The first round loads classes.
        if (round > 0) {
          measured.computeIfAbsent(subject, _ -> new ArrayList<>()).add(bytes);
        }
      }
    }
    Map<Subject, Long> median = new LinkedHashMap<>();
    measured.forEach(
        (subject, bytes) -> median.put(subject, bytes.stream().sorted().toList().get(1)));
    long threads = median.getOrDefault(Subject.PARKED, 0L);
    Map<String, Object> rows = new LinkedHashMap<>();
    rows.put("waiters", waiters);
    median.forEach(
        (subject, bytes) -> {
          Map<String, Object> row = new LinkedHashMap<>();
          row.put("bytes", bytes);
          row.put("bytes_beyond_threads", bytes - threads);
          row.put(
              "bytes_per_waiter_beyond_threads", Math.round((bytes - threads) / (double) waiters));
          rows.put(word(subject), row);
        });
    return rows;
  }

  private static String text(Map<String, Object> figures) {
    StringBuilder text = new StringBuilder();
    figures.forEach(
        (name, rows) -> {
          text.append(name).append(System.lineSeparator());
          lines(rows)
              .forEach(line -> text.append("  ").append(line).append(System.lineSeparator()));
        });
    return text.toString();
  }

  private static Stream<String> lines(Object rows) {
    return ((Map<?, ?>) rows)
        .entrySet().stream().map(row -> "%-24s %s".formatted(row.getKey(), cells(row.getValue())));
  }

  private static String cells(Object row) {
    return row instanceof Map<?, ?> named
        ? String.join(
            ", ",
            named.entrySet().stream().map(cell -> cell.getKey() + " " + cell.getValue()).toList())
        : String.valueOf(row);
  }

  private static String word(Subject subject) {
    return subject.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static double rounded(double value) {
    return Double.parseDouble(String.format(Locale.ROOT, "%.3g", value));
  }
}
