package dev.weir.benchmarks.eval;

import dev.weir.benchmarks.transport.Figure;
import dev.weir.benchmarks.transport.Programs;
import dev.weir.cli.Benchmark;
import dev.weir.time.Time;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * What an evaluation costs, against {@code weir simulate}: processor time of a sample and the rate,
 * memory over a long run and with very many samples in flight, and how soon the first request is
 * made.
 */
public final class EvalBenchmark implements Benchmark {

  private static final long SEED = 11;
  private static final Duration LATENCY = Duration.ofMillis(250);
  private static final String SMALL_HEAP = "-Xmx512m";
  private static final double MEBIBYTES = 1 << 20;

  /** Where the live heap of the long run is looked at, as shares of its samples. */
  private static final List<Double> LOOKS = List.of(0.2, 0.5, 0.9);

  /** Live heap at the last look beside the first: more is a leak. */
  private static final double FLAT = 1.5;

  /** What promptfoo is known to take for a request, in milliseconds of the processor. */
  private static final String PEER = "promptfoo: 5.9 to 7.2 ms of CPU a request";

  private final Sizes sizes;
  private final Time time = Time.system();

  /**
   * How much to measure.
   *
   * @param samples of a round, {@code warmUp} of them before it counts as warm
   * @param inFlight at a time
   * @param lasting samples of the run whose heap is watched
   * @param many samples in flight for the memory of the process, each answered after {@code
   *     manyLatency}
   */
  record Sizes(
      int samples,
      int warmUp,
      int inFlight,
      int rounds,
      int lasting,
      int many,
      Duration manyLatency,
      int starts) {}

  /** The full size; found by {@link java.util.ServiceLoader}. */
  public EvalBenchmark() {
    this(new Sizes(20_000, 5_000, 500, 3, 100_000, 10_000, Duration.ofSeconds(10), 7));
  }

  EvalBenchmark(Sizes sizes) {
    this.sizes = sizes;
  }

  @Override
  public String name() {
    return "eval";
  }

  @Override
  public String description() {
    return "what a sample of an evaluation costs, against `weir simulate` in its own process;"
        + " about 5 minutes";
  }

  @Override
  public Report run() throws Exception {
    Path directory =
        Path.of(
            System.getProperty("java.io.tmpdir", "."),
            "weir-bench-" + ProcessHandle.current().pid());
    Files.createDirectories(directory);
    try {
      return measure(directory);
    } finally {
      delete(directory);
    }
  }

  private Report measure(Path directory) throws IOException, InterruptedException {
    double loadBefore = load();
    List<Map<String, Object>> rounds = new ArrayList<>();
    List<Map<String, Object>> starts = new ArrayList<>();
    Map<String, Object> heap;
    try (var simulator = new Programs.Simulator(LATENCY.toMillis() + "ms", SEED)) {
      for (int i = 0; i < sizes.starts; i++) {
        starts.add(firstRequest(directory, simulator.address()));
      }
      for (int i = 0; i < sizes.rounds; i++) {
        rounds.add(round(directory, simulator.address()));
      }
      heap = longRun(directory, simulator.address());
    }
    Map<String, Object> many;
    try (var simulator = new Programs.Simulator(sizes.manyLatency.toSeconds() + "s", SEED)) {
      many = manyInFlight(directory, simulator.address());
    }
    List<Figure> judged = judged(rounds, starts, heap, many);
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("seed", SEED);
    figures.put("met", judged.stream().allMatch(Figure::met));
    figures.put("figures", judged.stream().map(Figure::document).toList());
    figures.put("load", List.of(loadBefore, load()));
    figures.put("rounds", rounds);
    figures.put("starts", starts);
    figures.put("long_run", heap);
    figures.put("many_in_flight", many);
    String remark =
        String.format(
            Locale.ROOT,
            "Load of the machine (%d cores): %.1f before, %.1f after. %s.%n",
            Runtime.getRuntime().availableProcessors(),
            loadBefore,
            load(),
            PEER);
    return new Report(figures, Figure.table(judged) + remark);
  }

  private List<Figure> judged(
      List<Map<String, Object>> rounds,
      List<Map<String, Object>> starts,
      Map<String, Object> heap,
      Map<String, Object> many) {
    return List.of(
        most("CPU of a sample, warm", "ms", rounds, "warm_cpu_millis", 0.35),
        most("CPU of a sample, whole process", "ms", rounds, "whole_cpu_millis", 0.5),
        least("share of the ideal rate", rounds, "share_of_ideal", 0.9),
        least("the same, warm", rounds, "warm_share_of_ideal", 0.9),
        most("errors", "", rounds, "errors", 0),
        most("command to first request", "s", starts, "first_request_seconds", 1),
        most("live heap, last look / first", "", List.of(heap), "heap_growth", FLAT),
        most("errors of the long run", "", List.of(heap), "errors", 0),
        least("samples in flight at once", List.of(many), "peak_in_flight", sizes.many),
        most("memory of these", "MiB", List.of(many), "resident_mebibytes", 1_024),
        most("errors of these", "", List.of(many), "errors", 0));
  }

  private static Figure most(
      String name, String unit, List<Map<String, Object>> parts, String key, double target) {
    List<Double> values = sorted(parts, key);
    return new Figure(name, unit, values.getFirst(), Figure.median(values), target, false);
  }

  private static Figure least(
      String name, List<Map<String, Object>> parts, String key, double target) {
    List<Double> values = sorted(parts, key);
    return new Figure(name, "", values.getLast(), Figure.median(values), target, true);
  }

  private static List<Double> sorted(List<Map<String, Object>> parts, String key) {
    ToDoubleFunction<Map<String, Object>> value =
        part -> part.get(key) instanceof Number number ? number.doubleValue() : Double.NaN;
    return parts.stream().mapToDouble(value).sorted().boxed().toList();
  }

  /** Processor time and rate. */
  private Map<String, Object> round(Path directory, URI simulator)
      throws IOException, InterruptedException {
    try (Watched eval = start(directory, simulator, sizes.samples, sizes.inFlight, "")) {
      long warmAnswers = 0;
      double warmCpu = 0;
      long warmAt = 0;
      long lastAnswers = 0;
      long lastAt = 0;
      while (eval.look()) {
        long answers = Counted.at(simulator).answers();
        if (warmAt == 0 && answers >= sizes.warmUp) {
          warmAnswers = answers;
          warmCpu = eval.cpuSeconds();
          warmAt = time.nanos();
        }
        if (answers > lastAnswers) {
          lastAnswers = answers;
          lastAt = time.nanos();
        }
      }
      double wholeCpu = eval.wholeCpuSeconds();
      double perSecond = sizes.inFlight / (LATENCY.toNanos() / 1e9);
      long warmed = sizes.samples - warmAnswers;
      Map<String, Object> figures = new LinkedHashMap<>();
      figures.put("warm_cpu_millis", (wholeCpu - warmCpu) * 1e3 / warmed);
      figures.put("whole_cpu_millis", wholeCpu * 1e3 / sizes.samples);
      figures.put(
          "share_of_ideal", sizes.samples / perSecond / Counted.at(simulator).makespanSeconds());
      figures.put(
          "warm_share_of_ideal",
          (lastAnswers - warmAnswers) / perSecond / ((lastAt - warmAt) / 1e9));
      figures.put("resident_mebibytes", eval.residentBytes() / MEBIBYTES);
      figures.put("errors", errors(eval, directory, sizes.samples));
      figures.put("load", load());
      return figures;
    }
  }

  /** From the start of the command; the build is warm, and so is the simulator. */
  private Map<String, Object> firstRequest(Path directory, URI simulator)
      throws IOException, InterruptedException {
    var begun = time.instant();
    try (Watched eval = start(directory, simulator, sizes.inFlight, sizes.inFlight, "")) {
      while (eval.look()) {
        // Until it ends.
      }
      Map<String, Object> figures = new LinkedHashMap<>();
      Duration taken = Duration.between(begun, Counted.at(simulator).firstRequest());
      figures.put("first_request_seconds", taken.toNanos() / 1e9);
      figures.put("cpu_seconds", eval.wholeCpuSeconds());
      figures.put("load", load());
      return figures;
    }
  }

  /** What is alive in a small heap, early and late in a long run. */
  private Map<String, Object> longRun(Path directory, URI simulator)
      throws IOException, InterruptedException {
    try (Watched eval = start(directory, simulator, sizes.lasting, sizes.inFlight, SMALL_HEAP)) {
      List<Double> live = new ArrayList<>();
      while (eval.look()) {
        if (live.size() < LOOKS.size()
            && Counted.at(simulator).answers() >= LOOKS.get(live.size()) * sizes.lasting) {
          live.add(eval.liveHeapBytes(directory) / MEBIBYTES);
        }
      }
      Map<String, Object> figures = new LinkedHashMap<>();
      figures.put("samples", sizes.lasting);
      figures.put("java_options", SMALL_HEAP);
      figures.put("live_heap_mebibytes", live);
      figures.put(
          "heap_growth",
          live.size() == LOOKS.size() ? live.getLast() / live.getFirst() : Double.NaN);
      figures.put("whole_cpu_millis", eval.wholeCpuSeconds() * 1e3 / sizes.lasting);
      figures.put("resident_mebibytes", eval.residentBytes() / MEBIBYTES);
      figures.put("errors", errors(eval, directory, sizes.lasting));
      return figures;
    }
  }

  private Map<String, Object> manyInFlight(Path directory, URI simulator)
      throws IOException, InterruptedException {
    try (Watched eval = start(directory, simulator, 2 * sizes.many, sizes.many, SMALL_HEAP)) {
      while (eval.look()) {
        // Until it ends.
      }
      Map<String, Object> figures = new LinkedHashMap<>();
      figures.put("java_options", SMALL_HEAP);
      figures.put("peak_in_flight", Counted.at(simulator).peakInFlight());
      figures.put("resident_mebibytes", eval.residentBytes() / MEBIBYTES);
      figures.put("errors", errors(eval, directory, 2 * sizes.many));
      return figures;
    }
  }

  private Watched start(
      Path directory, URI simulator, int samples, int inFlight, String javaOptions)
      throws IOException {
    Counted.reset(simulator);
    return Watched.start(
        time,
        directory,
        javaOptions,
        List.of(
            "eval",
            task(directory, samples).toString(),
            "--model",
            "openai/simulated",
            "--model-base-url",
            simulator.resolve("/v1").toString(),
            "--max-connections",
            String.valueOf(inFlight),
            "--log-dir",
            directory.resolve("logs").toString(),
            "--display",
            "none",
            "--json"));
  }

  /** Questions of an ordinary length, each another. */
  private static Path task(Path directory, int samples) throws IOException {
    Path task = directory.resolve("bench-" + samples + ".yaml");
    if (!Files.exists(task)) {
      String data = "bench-" + samples + ".jsonl";
      List<String> lines = new ArrayList<>();
      for (int i = 0; i < samples; i++) {
        lines.add(
            ("{\"input\":\"Question %1$d: what is %1$d plus %2$d? Answer with a number."
                    + " [[target: %3$d]]\",\"target\":\"%3$d\"}")
                .formatted(i, i + 1, 2 * i + 1));
      }
      Files.write(directory.resolve(data), lines);
      Files.writeString(
          task,
          """
          task: bench
          dataset: %s
          solver: [generate]
          scorer: includes
          """
              .formatted(data));
    }
    return task;
  }

  /** Samples that were not scored. */
  private static long errors(Watched eval, Path directory, int samples) throws IOException {
    Object counts = eval.result(directory).get("samples");
    return counts instanceof Map<?, ?> by && by.get("scored") instanceof Number scored
        ? samples - scored.longValue()
        : samples;
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
