package dev.weir.benchmarks.http;

import dev.weir.benchmarks.limits.FlowClient;
import dev.weir.benchmarks.limits.ModeUnderTest;
import dev.weir.cli.Benchmark;
import dev.weir.model.ConfigurationException;
import dev.weir.simulator.provider.Scenario;
import dev.weir.simulator.provider.ScenarioRun;
import dev.weir.simulator.provider.Scenarios;
import dev.weir.simulator.server.Given;
import dev.weir.simulator.server.Setting;
import dev.weir.simulator.server.Simulation;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;

/**
 * Three scenarios over real HTTP on the system's clock, beside the same on the event loop: whether
 * what the gates measure holds outside of a simulation. Then providers that advertise in different
 * ways, called by {@code weir eval} in its own process, beside their targets.
 *
 * <p>The requests of a scenario, their sizes and their latencies are those of the event loop, only
 * fewer. Loopback has no delay, so each request waits for the one-way delay of the scenario before
 * it is sent and after it is answered.
 */
public final class HttpLimitsBenchmark implements Benchmark {

  static final long SEED = 11;

  /** Providers that are measured at the same time: more would compete for the processors. */
  private static final int AT_ONCE = 2;

  private final List<Case> cases;
  private final List<HttpProvider> providers;

  /**
   * A scenario as the server is told to be.
   *
   * @param requests so many of the scenario's
   */
  record Case(String scenario, int requests, Map<Setting, String> settings) {}

  /** Found by {@link java.util.ServiceLoader}. */
  public HttpLimitsBenchmark() {
    this(1);
  }

  /**
   * @param share of the requests of the full size; of their latency, too, in the rows of providers
   */
  HttpLimitsBenchmark(double share) {
    this.providers = HttpProvider.all().stream().map(provider -> provider.scaled(share)).toList();
    this.cases =
        List.of(
            new Case(
                "a",
                (int) (1_200 * share),
                Map.of(Setting.RPM, "600", Setting.BURST, "10", Setting.HEADERS, "none")),
            new Case(
                "b",
                (int) (1_200 * share),
                Map.of(Setting.RPM, "600", Setting.BURST, "10", Setting.HEADERS, "openai")),
            new Case(
                "c",
                (int) (1_200 * share),
                Map.of(
                    Setting.RPM,
                    "6000",
                    Setting.BURST,
                    "200",
                    Setting.TPM,
                    "600000:100000",
                    Setting.HEADERS,
                    "openai")));
  }

  @Override
  public String name() {
    return "limits-http";
  }

  @Override
  public String description() {
    return "`limits` over real HTTP on loopback: 3 scenarios, and 17 providers with `weir eval`;"
        + " about 15 minutes";
  }

  @Override
  public Report run() throws Exception {
    return run(Rows.ALL, _ -> {});
  }

  /** The scenarios are measured too, unless rows are chosen. */
  @Override
  public Report run(Rows rows, Consumer<String> progress) throws Exception {
    List<HttpProvider> chosen = chosen(rows.numbers());
    Time time = Time.system();
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("seed", SEED);
    StringBuilder text = new StringBuilder();
    if (rows.numbers().isEmpty()) {
      List<Row> scenarios = scenarios(time);
      figures.put("scenarios", scenarios.stream().map(Row::figures).toList());
      text.append(table(scenarios)).append(System.lineSeparator());
    }
    double loadBefore = load();
    List<HttpProviderRun> runs =
        runs(time, chosen, rows.parallel().orElse(AT_ONCE), new Progress(progress));
    figures.put("rows", runs.stream().map(HttpProviderRun::figures).toList());
    figures.put("load", List.of(loadBefore, load()));
    figures.put("met", runs.stream().allMatch(HttpProviderRun::isMet));
    text.append(HttpProviderRun.header());
    runs.forEach(run -> text.append(run.text()));
    text.append(
        String.format(
            Locale.ROOT,
            "weir eval in its own process, mode pace; requests, refusals and makespan as the server"
                + " counted them.%nRow 14: opt s is the makespan without stray 429s. Load of the"
                + " machine (%d cores): %.1f before, %.1f after.%n",
            Runtime.getRuntime().availableProcessors(),
            loadBefore,
            load()));
    return new Report(figures, text.toString());
  }

  private List<HttpProvider> chosen(Set<Integer> numbers) {
    for (int number : new TreeSet<>(numbers)) {
      if (number > providers.size()) {
        throw new ConfigurationException(
            "there is no row %d; the rows are 1 to %d".formatted(number, providers.size()));
      }
    }
    return providers.stream()
        .filter(provider -> numbers.isEmpty() || numbers.contains(provider.number()))
        .toList();
  }

  List<Row> scenarios(Time time) throws InterruptedException {
    List<Task<Row>> running = new ArrayList<>();
    for (Case scenario : cases) {
      running.add(time.start("scenario " + scenario.scenario, () -> measure(time, scenario)));
    }
    List<Row> rows = new ArrayList<>();
    for (Task<Row> task : running) {
      rows.add(task.join());
    }
    return rows;
  }

  private static String table(List<Row> rows) {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "%-4s %9s %6s %16s %16s %11s%n",
            "",
            "requests",
            "opt s",
            "event loop",
            "over HTTP",
            "difference"));
    rows.forEach(row -> text.append(row.text()));
    return text.append("A cell is makespan ÷ optimum / refusals per 1,000 requests, mode pace.\n")
        .toString();
  }

  /** Passes on what runs in parallel report, a whole line at a time. */
  private record Progress(Consumer<String> lines) {

    synchronized void report(String line) {
      lines.accept(line);
    }
  }

  /** In the order of the rows. */
  private static List<HttpProviderRun> runs(
      Time time, List<HttpProvider> providers, int parallel, Progress progress)
      throws InterruptedException {
    Path directory =
        Path.of(
            System.getProperty("java.io.tmpdir", "."),
            "weir-bench-http-" + ProcessHandle.current().pid());
    var next = new AtomicInteger();
    var results = new AtomicReferenceArray<HttpProviderRun>(providers.size());
    List<Task<?>> workers = new ArrayList<>();
    progress.report(HttpProviderRun.header());
    for (int i = 0; i < Math.min(parallel, providers.size()); i++) {
      workers.add(
          time.start(
              "providers " + i,
              () -> {
                for (int at = next.getAndIncrement();
                    at < providers.size();
                    at = next.getAndIncrement()) {
                  HttpProviderRun run = HttpProviderRun.of(time, providers.get(at), directory);
                  results.set(at, run);
                  progress.report(run.text());
                }
              }));
    }
    for (Task<?> worker : workers) {
      worker.join();
    }
    List<HttpProviderRun> runs = new ArrayList<>();
    for (int at = 0; at < providers.size(); at++) {
      runs.add(results.get(at));
    }
    return runs;
  }

  private static double load() {
    return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  }

  /** What one scenario came to on either. */
  record Row(
      String scenario,
      int requests,
      double optimumSeconds,
      double loopRatio,
      double loopRefusals,
      double httpRatio,
      double httpRefusals,
      long duplicates) {

    double difference() {
      return httpRatio / loopRatio - 1;
    }

    Map<String, Object> figures() {
      Map<String, Object> figures = new LinkedHashMap<>();
      figures.put("scenario", scenario);
      figures.put("requests", requests);
      figures.put("optimum_seconds", rounded(optimumSeconds));
      figures.put("event_loop_ratio", rounded(loopRatio));
      figures.put("event_loop_refusals_per_thousand", rounded(loopRefusals));
      figures.put("http_ratio", rounded(httpRatio));
      figures.put("http_refusals_per_thousand", rounded(httpRefusals));
      figures.put("http_duplicates", duplicates);
      figures.put("difference", rounded(difference()));
      return figures;
    }

    String text() {
      return String.format(
          Locale.ROOT,
          "%-4s %9d %6.0f %9.3f / %4.1f %9.3f / %4.1f %+10.1f%%%n",
          scenario,
          requests,
          optimumSeconds,
          loopRatio,
          loopRefusals,
          httpRatio,
          httpRefusals,
          100 * difference());
    }

    private static double rounded(double value) {
      return Math.round(value * 1_000) / 1_000.0;
    }
  }

  private static Row measure(Time time, Case asked) throws IOException, InterruptedException {
    Scenario scenario = Scenarios.named(asked.scenario).withRequests(asked.requests);
    var run = new ScenarioRun(scenario, SEED);
    var onLoop = run.run(new FlowClient(ModeUnderTest.PACE.forScenario().apply(scenario)));
    Map<Setting, List<Given>> settings = new EnumMap<>(Setting.class);
    asked.settings.forEach(
        (setting, word) -> settings.put(setting, List.of(new Given("the benchmark", word))));
    Simulation simulation = Simulation.of(Optional.empty(), settings, SEED);
    Measured measured = Measured.of(time, simulation, scenario, Measured.LONGEST);
    double optimum = run.optimum().makespan().toNanos() / 1e9;
    return new Row(
        asked.scenario,
        asked.requests,
        optimum,
        onLoop.ratio(),
        onLoop.refusalsPerThousand(),
        measured.seconds() / optimum,
        1_000.0 * measured.stats().allRefusals() / asked.requests,
        measured.stats().duplicates());
  }
}
