package dev.weir.benchmarks.log;

import dev.weir.benchmarks.transport.Figure;
import dev.weir.cli.Benchmark;
import dev.weir.log.LogFiles;
import dev.weir.log.RunLog;
import dev.weir.log.RunLogReader;
import dev.weir.log.RunResult;
import dev.weir.log.RunStart;
import dev.weir.log.SampleResult;
import dev.weir.log.journal.JournalListener;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * What the log of a run costs when it is small and when it is very large: to append a sample, in
 * memory, on the disk, to open, and to make an {@code .eval} file of.
 */
public final class LogBenchmark implements Benchmark {

  private static final long SEED = 11;
  private static final double MEBIBYTES = 1 << 20;

  /** Late samples beside early ones: more, and it grows with the log. */
  private static final double SAME_COST = 1.3;

  /** Live heap at the last look beside the first: more is a leak. */
  private static final double FLAT = 1.3;

  /** Where the live heap is looked at, as shares of the samples. */
  private static final List<Double> LOOKS = List.of(0.2, 0.4, 0.6, 0.8, 1.0);

  private static final int OPENINGS = 5;

  /** So long somebody waits for the first new call of a retry. */
  private static final double RETRY_SECONDS = 10;

  private final Content content = new Content(SEED);
  private final Time time = Time.system();
  private final Sizes sizes;

  /**
   * How much to measure.
   *
   * @param small samples of a small log, which are also those that are appended at a time
   * @param large samples of a large one; a multiple of {@code small}
   * @param rounds small logs to measure, and as many parts at the end of the large one
   * @param kept samples that a retry keeps
   * @param missing samples that it runs
   */
  record Sizes(int small, int large, int rounds, int kept, int missing) {}

  /** The full size; found by {@link java.util.ServiceLoader}. */
  public LogBenchmark() {
    this(new Sizes(1_000, 1_000_000, 50, 200_000, 1_000));
  }

  LogBenchmark(Sizes sizes) {
    this.sizes = sizes;
  }

  @Override
  public String name() {
    return "log";
  }

  @Override
  public String description() {
    return "what the log of a run costs at 1,000 and at 1,000,000 samples, and how soon"
        + " one of 200,000 goes on; about 8 minutes and 4 GB of disk";
  }

  @Override
  public Report run() throws Exception {
    Path directory =
        Path.of(
            System.getProperty("java.io.tmpdir", "."),
            "weir-bench-log-" + ProcessHandle.current().pid());
    Files.createDirectories(directory);
    try {
      return measure(directory);
    } finally {
      delete(directory);
    }
  }

  /** What appending a part took, for each of its samples. */
  private record Cost(double cpuMicros, double wallMicros) {

    static double median(List<Cost> costs, ToDoubleFunction<Cost> of) {
      return Figure.median(costs.stream().mapToDouble(of).sorted().boxed().toList());
    }
  }

  private Report measure(Path directory) throws IOException, InterruptedException {
    double loadBefore = load();
    smallLogs(directory.resolve("warm-up"));
    List<Cost> early = smallLogs(directory.resolve("small"));
    List<Cost> late = new ArrayList<>();
    List<Double> heap = new ArrayList<>();
    Path journal = largeLog(directory.resolve("large"), sizes.large, late, heap);
    List<Double> openings = new ArrayList<>();
    for (int i = 0; i < OPENINGS; i++) {
      openings.add(open(journal));
    }
    openings.sort(Comparator.naturalOrder());
    double summaries = summaries(journal);
    // Fewer samples: a million would take many minutes.
    int converted = sizes.small * sizes.rounds;
    Path other =
        largeLog(directory.resolve("converted"), converted, new ArrayList<>(), new ArrayList<>());
    double journalBytes = (double) Files.size(other) / converted;
    long begun = time.nanos();
    Path eval = LogFiles.convert(other);
    double convertMicros = (time.nanos() - begun) / 1e3 / converted;
    double evalBytes = (double) Files.size(eval) / converted;
    Map<String, Double> retries =
        new RetryStart(time, content, sizes.kept, sizes.missing)
            .measure(directory.resolve("retry"), SEED);

    double earlyCpu = Cost.median(early, Cost::cpuMicros);
    double lateCpu = Cost.median(late, Cost::cpuMicros);
    List<Figure> judged = new ArrayList<>();
    judged.addAll(
        List.of(
            one("append, large log / small log", "", lateCpu / earlyCpu, SAME_COST),
            one("live heap, last look / first", "", heap.getLast() / heap.getFirst(), FLAT),
            one("journal / .eval, bytes", "", journalBytes / evalBytes, 1),
            new Figure(
                "opening the summary",
                "s",
                openings.getFirst(),
                Figure.median(openings),
                1,
                false)));
    retries.forEach(
        (form, seconds) ->
            judged.add(
                one(
                    String.format(
                        Locale.ROOT,
                        "%,d finished samples, .%s: command to first new call",
                        sizes.kept,
                        form),
                    "s",
                    seconds,
                    RETRY_SECONDS)));
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("seed", SEED);
    figures.put("met", judged.stream().allMatch(Figure::met));
    figures.put("figures", judged.stream().map(Figure::document).toList());
    figures.put("load", List.of(loadBefore, load()));
    figures.put("samples", List.of(sizes.small, sizes.large));
    figures.put("append_cpu_micros", List.of(earlyCpu, lateCpu));
    figures.put(
        "append_wall_micros",
        List.of(Cost.median(early, Cost::wallMicros), Cost.median(late, Cost::wallMicros)));
    figures.put("live_heap_mebibytes", heap);
    figures.put("journal_bytes_per_sample", journalBytes);
    figures.put("eval_bytes_per_sample", evalBytes);
    figures.put("open_seconds", openings);
    figures.put("summaries_seconds", summaries);
    figures.put("convert_micros_per_sample", convertMicros);
    String remark =
        String.format(
            Locale.ROOT,
            "CPU to append a sample: %.1f µs in a log of %d, %.1f µs at the end of one of %d.%n"
                + "On the disk: %.0f bytes a sample in the journal, %.0f as Inspect's .eval.%n"
                + "What is known of each sample, read in %.2f s; .eval made in %.0f µs a sample.%n"
                + "Load of the machine (%d cores): %.1f before, %.1f after.%n",
            earlyCpu,
            sizes.small,
            lateCpu,
            sizes.large,
            journalBytes,
            evalBytes,
            summaries,
            convertMicros,
            Runtime.getRuntime().availableProcessors(),
            loadBefore,
            load());
    return new Report(figures, Figure.table(judged) + remark);
  }

  private static Figure one(String name, String unit, double value, double atMost) {
    return new Figure(name, unit, value, value, atMost, false);
  }

  private List<Cost> smallLogs(Path directory) throws IOException, InterruptedException {
    List<Cost> costs = new ArrayList<>();
    for (int round = 0; round < sizes.rounds; round++) {
      try (RunLog log =
          RunLog.begin(time, directory, content.start(sizes.small), JournalListener.NONE)) {
        costs.add(append(log, round * sizes.small));
      }
    }
    return costs;
  }

  private Path largeLog(Path directory, int samples, List<Cost> late, List<Double> heap)
      throws IOException, InterruptedException {
    try (RunLog log = RunLog.begin(time, directory, content.start(samples), JournalListener.NONE)) {
      for (int from = 0; from < samples; from += sizes.small) {
        Cost cost = append(log, from);
        if (from >= samples - sizes.small * sizes.rounds) {
          late.add(cost);
        }
        if (from + sizes.small >= LOOKS.get(heap.size()) * samples) {
          heap.add(liveHeap());
        }
      }
      log.end(content.result(content.start(samples)));
      return log.file();
    }
  }

  /** All at once, as samples that end at the same time; making them does not count. */
  private Cost append(RunLog log, int from) throws IOException, InterruptedException {
    List<SampleResult> samples = new ArrayList<>();
    for (int i = from; i < from + sizes.small; i++) {
      samples.add(content.sample(i));
    }
    long cpu = cpuNanos();
    long begun = time.nanos();
    List<Task<?>> tasks = new ArrayList<>();
    for (SampleResult sample : samples) {
      tasks.add(
          time.start(
              "sample",
              () -> {
                log.append(sample);
                return sample;
              }));
    }
    for (Task<?> task : tasks) {
      task.join();
    }
    return new Cost(
        (cpuNanos() - cpu) / 1e3 / sizes.small, (time.nanos() - begun) / 1e3 / sizes.small);
  }

  /** How the run began and ended. */
  private double open(Path journal) throws IOException {
    long begun = time.nanos();
    try (RunLogReader reader = RunLogReader.open(journal)) {
      RunStart start = reader.start();
      RunResult end = reader.end().orElseThrow();
      if (start.samples() != sizes.large || end.samples().scored() != sizes.large) {
        throw new IOException("not what was written: " + end.samples());
      }
    }
    return (time.nanos() - begun) / 1e9;
  }

  private double summaries(Path journal) throws IOException {
    long begun = time.nanos();
    try (RunLogReader reader = RunLogReader.open(journal)) {
      int known = reader.summaries().size();
      if (known != sizes.large) {
        throw new IOException("not what was written: " + known + " samples");
      }
    }
    return (time.nanos() - begun) / 1e9;
  }

  private static double liveHeap() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / MEBIBYTES;
  }

  private static long cpuNanos() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  private static double load() {
    return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
