package dev.weir.benchmarks.eval;

import dev.weir.benchmarks.transport.Figure;
import dev.weir.benchmarks.transport.Programs;
import dev.weir.cli.Benchmark;
import dev.weir.model.ConfigurationException;
import dev.weir.time.Time;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
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
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;
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

  private static final int COST = 1;
  private static final int METRICS = 2;
  private static final Set<Integer> ROWS = Set.of(COST, METRICS);

  /** What metrics may add to the processor time of a sample: a twentieth. */
  private static final double MOST_FOR_METRICS = 1.05;

  private static final Duration SCRAPE_EACH = Duration.ofSeconds(5);

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
   * @param turns pairs of rounds, one with metrics and one without, in changing order
   * @param many samples in flight for the memory of the process, each answered after {@code
   *     manyLatency}
   */
  record Sizes(
      int samples,
      int warmUp,
      int inFlight,
      int rounds,
      int turns,
      int lasting,
      int many,
      Duration manyLatency,
      int starts) {}

  /** The full size; found by {@link java.util.ServiceLoader}. */
  public EvalBenchmark() {
    this(new Sizes(20_000, 5_000, 500, 3, 6, 100_000, 10_000, Duration.ofSeconds(10), 7));
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
        + " about 8 minutes; --rows 2 measures only what --metrics-port adds";
  }

  @Override
  public Report run() throws Exception {
    return run(Rows.ALL, _ -> {});
  }

  /** Its rows: 1 is what a sample costs, 2 what metrics add to that. */
  @Override
  public Report run(Rows rows, Consumer<String> progress) throws Exception {
    if (!ROWS.containsAll(rows.numbers())) {
      throw new ConfigurationException("eval has the rows 1, the cost of a sample, and 2, metrics");
    }
    Set<Integer> chosen = rows.numbers().isEmpty() ? ROWS : rows.numbers();
    Path directory =
        Path.of(
            System.getProperty("java.io.tmpdir", "."),
            "weir-bench-" + ProcessHandle.current().pid());
    Files.createDirectories(directory);
    try {
      return report(chosen, directory);
    } finally {
      delete(directory);
    }
  }

  private Report report(Set<Integer> rows, Path directory)
      throws IOException, InterruptedException {
    double loadBefore = load();
    List<Figure> judged = new ArrayList<>();
    Map<String, Object> parts = new LinkedHashMap<>();
    if (rows.contains(COST)) {
      judged.addAll(cost(directory, parts));
    }
    if (rows.contains(METRICS)) {
      judged.addAll(metrics(directory, parts));
    }
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("seed", SEED);
    figures.put("met", judged.stream().allMatch(Figure::met));
    figures.put("figures", judged.stream().map(Figure::document).toList());
    figures.put("load", List.of(loadBefore, load()));
    figures.putAll(parts);
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

  private List<Figure> cost(Path directory, Map<String, Object> parts)
      throws IOException, InterruptedException {
    List<Map<String, Object>> rounds = new ArrayList<>();
    List<Map<String, Object>> starts = new ArrayList<>();
    Map<String, Object> heap;
    try (var simulator = new Programs.Simulator(LATENCY.toMillis() + "ms", SEED)) {
      for (int i = 0; i < sizes.starts; i++) {
        starts.add(firstRequest(directory, simulator.address()));
      }
      for (int i = 0; i < sizes.rounds; i++) {
        rounds.add(round(directory, simulator.address(), OptionalInt.empty()));
      }
      heap = longRun(directory, simulator.address());
    }
    Map<String, Object> many;
    try (var simulator = new Programs.Simulator(sizes.manyLatency.toSeconds() + "s", SEED)) {
      many = manyInFlight(directory, simulator.address());
    }
    parts.put("rounds", rounds);
    parts.put("starts", starts);
    parts.put("long_run", heap);
    parts.put("many_in_flight", many);
    return judged(rounds, starts, heap, many);
  }

  /**
   * What metrics add, by turns: both kinds of rounds see the same moods of the machine, and which
   * comes first changes.
   */
  private List<Figure> metrics(Path directory, Map<String, Object> parts)
      throws IOException, InterruptedException {
    List<Map<String, Object>> without = new ArrayList<>();
    List<Map<String, Object>> with = new ArrayList<>();
    try (var simulator = new Programs.Simulator(LATENCY.toMillis() + "ms", SEED)) {
      // The simulator compiles meanwhile, and the first of a pair would pay for it.
      round(directory, simulator.address(), OptionalInt.empty());
      for (int i = 0; i < 2 * sizes.turns; i++) {
        boolean isWith = i % 4 == 1 || i % 4 == 2;
        (isWith ? with : without)
            .add(
                round(
                    directory,
                    simulator.address(),
                    isWith ? OptionalInt.of(freePort()) : OptionalInt.empty()));
      }
    }
    Map<String, Object> turns = new LinkedHashMap<>();
    turns.put("without", without);
    turns.put("with", with);
    turns.put("whole_process_ratio", ratio(with, without, "whole_cpu_millis"));
    parts.put("metrics", turns);
    List<Double> pairs = new ArrayList<>();
    for (int i = 0; i < with.size(); i++) {
      pairs.add(ratio(List.of(with.get(i)), List.of(without.get(i)), "warm_cpu_millis"));
    }
    pairs.sort(null);
    turns.put("pair_ratios", pairs);
    return List.of(
        // Of medians: the best pair would say nothing, and a sum is that of the worst round.
        new Figure(
            "CPU with metrics / without",
            "",
            ratio(with, without, "warm_cpu_millis"),
            Figure.median(pairs),
            MOST_FOR_METRICS,
            false),
        most("errors with metrics", "", with, "errors", 0));
  }

  private static double ratio(
      List<Map<String, Object>> some, List<Map<String, Object>> others, String key) {
    return middle(sorted(some, key)) / middle(sorted(others, key));
  }

  private static double middle(List<Double> sorted) {
    int half = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(half)
        : (sorted.get(half - 1) + sorted.get(half)) / 2;
  }

  private static int freePort() throws IOException {
    try (var any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return any.getLocalPort();
    }
  }

  /** As Prometheus would, but more often than the 15 s that are usual. */
  private static void scrape(int port) throws IOException {
    URI metrics = URI.create("http://127.0.0.1:%d/metrics".formatted(port));
    try (InputStream in = metrics.toURL().openStream()) {
      in.transferTo(OutputStream.nullOutputStream());
    } catch (ConnectException notYet) {
      // It begins to listen with the first call, and ends with the last.
    }
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
    return parts.stream().mapToDouble(part -> number(part, key)).sorted().boxed().toList();
  }

  private static double number(Map<String, Object> part, String key) {
    return part.get(key) instanceof Number number ? number.doubleValue() : Double.NaN;
  }

  /**
   * Processor time and rate.
   *
   * @param metrics the port where metrics are served and read, if they are
   */
  private Map<String, Object> round(Path directory, URI simulator, OptionalInt metrics)
      throws IOException, InterruptedException {
    List<String> more =
        metrics.isPresent()
            ? List.of("--metrics-port", String.valueOf(metrics.getAsInt()))
            : List.of();
    try (Watched eval = start(directory, simulator, sizes.samples, sizes.inFlight, "", more)) {
      long scrapedAt = 0;
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
        // The first while it warms up: a run of an hour loads the classes but once, too.
        boolean isDue =
            scrapedAt == 0
                ? answers >= sizes.warmUp / 2
                : time.nanos() - scrapedAt >= SCRAPE_EACH.toNanos();
        if (metrics.isPresent() && isDue) {
          scrape(metrics.getAsInt());
          scrapedAt = time.nanos();
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
    return start(directory, simulator, samples, inFlight, javaOptions, List.of());
  }

  private Watched start(
      Path directory,
      URI simulator,
      int samples,
      int inFlight,
      String javaOptions,
      List<String> more)
      throws IOException {
    Counted.reset(simulator);
    List<String> words = new ArrayList<>(more);
    words.addAll(
        0,
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
    return Watched.start(time, directory, javaOptions, words);
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
