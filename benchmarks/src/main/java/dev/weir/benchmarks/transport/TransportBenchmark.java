package dev.weir.benchmarks.transport;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.weir.cli.Benchmark;
import dev.weir.model.ConfigurationException;
import dev.weir.time.Time;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The transport against {@code weir simulate}, each in a process of its own: rate and processor
 * time with many calls in flight, memory with very many, and how soon an interrupt ends a call.
 */
public final class TransportBenchmark implements Benchmark {

  private static final long SEED = 11;

  /** Set in the JVM that makes the calls: which part, against which server. */
  private static final String PART = "weir.bench.transport.";

  /** So much heap that the whole process stays below 1 GiB. */
  private static final String CLIENT_HEAP = "-Xmx512m";

  private static final Duration SHORT_LATENCY = Duration.ofMillis(200);
  private static final String NEVER_ANSWERED = "60s";

  /** Besides connections, a JVM has its own files open. */
  private static final int OTHER_FILES = 500;

  private final Sizes sizes;

  /**
   * How much to measure.
   *
   * @param callers of the first part, each making {@code calls} in a round
   * @param many calls in flight in the second part, each answered after {@code manySeconds}
   * @param interrupts in a round of the third part
   */
  record Sizes(int callers, int calls, int rounds, int many, int manySeconds, int interrupts) {}

  /** The full size; found by {@link java.util.ServiceLoader}. */
  public TransportBenchmark() {
    this(new Sizes(1_000, 15, 7, 10_000, 5, 30));
  }

  TransportBenchmark(Sizes sizes) {
    this.sizes = sizes;
  }

  @Override
  public String name() {
    return "transport";
  }

  @Override
  public String description() {
    return "what a call over HTTP costs, against `weir simulate` in its own process; about 2"
        + " minutes";
  }

  @Override
  public Report run() throws Exception {
    String part = System.getProperty(PART + "part");
    return part == null ? measure() : Report.of(measure(part));
  }

  private Report measure() throws IOException {
    requireFiles(sizes.many + OTHER_FILES);
    Map<String, Object> rate = part("rate", SHORT_LATENCY.toMillis() + "ms");
    Map<String, Object> memory = part("memory", sizes.manySeconds + "s");
    Map<String, Object> interrupts = part("interrupts", NEVER_ANSWERED);
    List<Figure> judged = new ArrayList<>();
    judged.addAll(Figure.ofRate(rate));
    judged.addAll(Figure.ofMemory(memory, sizes.many));
    judged.addAll(Figure.ofInterrupts(interrupts));
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("seed", SEED);
    figures.put("met", judged.stream().allMatch(Figure::met));
    figures.put("figures", judged.stream().map(Figure::document).toList());
    figures.put("rate", rate);
    figures.put("memory", memory);
    figures.put("interrupts", interrupts);
    return new Report(figures, Figure.table(judged) + remark(rate));
  }

  /** The simulator shares the machine: what it takes, the client does not have. */
  private static String remark(Map<String, Object> rate) {
    return ("%d in flight: %s µs of the client's and %s µs of the simulator's CPU a call,"
            + " %s of %d cores busy with both (medians).%n")
        .formatted(
            ((Number) rate.getOrDefault("peak_in_flight", 0)).intValue(),
            Figure.number(Figure.median(Figure.column(rate, "client_cpu_micros"))),
            Figure.number(Figure.median(Figure.column(rate, "server_cpu_micros"))),
            Figure.number(Figure.median(Figure.column(rate, "cores_busy"))),
            Runtime.getRuntime().availableProcessors());
  }

  private static void requireFiles(int needed) {
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        && unix.getMaxFileDescriptorCount() < needed) {
      throw new ConfigurationException(
          ("this process may open %d files and needs %d, one for each connection; run"
                  + " `ulimit -n %d` before")
              .formatted(unix.getMaxFileDescriptorCount(), needed, needed));
    }
  }

  private Map<String, Object> part(String part, String latency) throws IOException {
    try (var simulator = new Programs.Simulator(latency, SEED)) {
      Map<String, Object> figures =
          Programs.run(
              List.of(
                  CLIENT_HEAP,
                  "-D" + PART + "part=" + part,
                  "-D" + PART + "server=" + simulator.address(),
                  "-D" + PART + "pid=" + simulator.pid(),
                  "-D"
                      + PART
                      + "sizes=%d,%d,%d,%d,%d,%d"
                          .formatted(
                              sizes.callers,
                              sizes.calls,
                              sizes.rounds,
                              sizes.many,
                              sizes.manySeconds,
                              sizes.interrupts)),
              List.of("bench", name(), "--json"));
      figures.remove("benchmark");
      return figures;
    }
  }

  /** In the JVM of its own. */
  private static Map<String, Object> measure(String part) throws IOException, InterruptedException {
    Sizes sizes = sizesOf(System.getProperty(PART + "sizes", ""));
    URI server = URI.create(System.getProperty(PART + "server", ""));
    try (var client = new Client(Time.system(), server, Long.getLong(PART + "pid", 0))) {
      return switch (part) {
        case "rate" -> client.rate(sizes.callers, sizes.calls, sizes.rounds, SHORT_LATENCY);
        case "memory" -> client.memory(sizes.many, 2);
        case "interrupts" -> client.interrupts(sizes.rounds, sizes.interrupts);
        default -> throw new IllegalArgumentException("there is no part " + part);
      };
    }
  }

  private static Sizes sizesOf(String words) {
    List<Integer> numbers = List.of(words.split(",", -1)).stream().map(Integer::parseInt).toList();
    return new Sizes(
        numbers.get(0),
        numbers.get(1),
        numbers.get(2),
        numbers.get(3),
        numbers.get(4),
        numbers.get(5));
  }
}
