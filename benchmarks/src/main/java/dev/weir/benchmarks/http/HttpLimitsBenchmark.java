package dev.weir.benchmarks.http;

import dev.weir.benchmarks.limits.FlowClient;
import dev.weir.benchmarks.limits.ModeUnderTest;
import dev.weir.cli.Benchmark;
import dev.weir.simulator.provider.Scenario;
import dev.weir.simulator.provider.ScenarioRun;
import dev.weir.simulator.provider.Scenarios;
import dev.weir.simulator.server.Given;
import dev.weir.simulator.server.Setting;
import dev.weir.simulator.server.Simulation;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Three scenarios over real HTTP on the system's clock, beside the same on the event loop: whether
 * what the gates measure holds outside of a simulation. Then providers that advertise in different
 * ways, beside their targets.
 *
 * <p>The requests, their sizes and their latencies are those of the scenario, only fewer. Loopback
 * has no delay, so each request waits for the one-way delay of the scenario before it is sent and
 * after it is answered.
 */
public final class HttpLimitsBenchmark implements Benchmark {

  static final long SEED = 11;

  /** Providers that are measured at the same time: more would compete for the processors. */
  private static final int AT_ONCE = 3;

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
   * @param share of the requests of the full size; of their latency, too, at the providers
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
    return "`limits` over real HTTP on loopback: 3 scenarios and 16 providers, about 10 minutes";
  }

  @Override
  public Report run() throws Exception {
    Time time = Time.system();
    List<Task<Row>> running = new ArrayList<>();
    for (Case scenario : cases) {
      running.add(time.start("scenario " + scenario.scenario, () -> measure(time, scenario)));
    }
    List<Row> rows = new ArrayList<>();
    for (Task<Row> task : running) {
      rows.add(task.join());
    }
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("seed", SEED);
    figures.put("scenarios", rows.stream().map(Row::figures).toList());
    List<HttpProviderRun> runs = runs(time);
    figures.put("providers", runs.stream().map(HttpProviderRun::figures).toList());
    figures.put("met", runs.stream().allMatch(HttpProviderRun::isMet));
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
    text.append("A cell is makespan ÷ optimum / refusals per 1,000 requests, mode pace.\n");
    text.append(HttpProviderRun.header());
    runs.forEach(run -> text.append(run.text()));
    text.append("Row 14: opt s is the makespan of the same client without stray 429s.\n");
    return new Report(figures, text.toString());
  }

  /** In the order of the rows. */
  private List<HttpProviderRun> runs(Time time) throws InterruptedException {
    var next = new AtomicInteger();
    var results = new AtomicReferenceArray<HttpProviderRun>(providers.size());
    List<Task<?>> workers = new ArrayList<>();
    for (int i = 0; i < AT_ONCE; i++) {
      workers.add(
          time.start(
              "providers " + i,
              () -> {
                for (int at = next.getAndIncrement();
                    at < providers.size();
                    at = next.getAndIncrement()) {
                  results.set(at, HttpProviderRun.of(time, providers.get(at)));
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
