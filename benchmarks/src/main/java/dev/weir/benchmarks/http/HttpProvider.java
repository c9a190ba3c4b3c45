package dev.weir.benchmarks.http;

import dev.weir.simulator.provider.Advertisement;
import dev.weir.simulator.provider.Scenario;
import dev.weir.simulator.provider.ScenarioRun;
import dev.weir.simulator.provider.Workload;
import dev.weir.simulator.server.Given;
import dev.weir.simulator.server.Setting;
import dev.weir.simulator.server.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A provider as {@code weir simulate} serves it, the work that is sent to it, and what a client
 * should reach.
 *
 * <p>Numbers, limits and sizes are those of {@code simulator/peers/provider/rows.py}, so that a row
 * can be compared with the same row there.
 *
 * @param number its row in the report
 * @param settings options of {@code weir simulate}: {@code rpm=1200 burst=30}
 * @param window the length of calendar windows, where the provider has them
 * @param strayRate how often the provider refuses without a limit
 * @param latency the median of an answer
 * @param spread of the latency, as {@code --latency} takes it
 */
record HttpProvider(
    int number,
    String title,
    Api api,
    String settings,
    Optional<Duration> window,
    double strayRate,
    int requests,
    Duration latency,
    double spread,
    Target target) {

  private static final Duration SHORT = Duration.ofMillis(1_400);
  private static final double SHORT_SPREAD = 0.15;
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration LONG = Duration.ofSeconds(8);
  private static final String BUCKET = "rpm=1200 burst=30 advertise=";

  private static final double RATIO = 1.1;

  /** Where the limit must be found out by being refused, or changes. */
  private static final double RATIO_WHILE_SEARCHING = 1.15;

  private static final double REFUSALS_WITH_USABLE_HEADERS = 10;
  private static final double REFUSALS_WITHOUT = 20;

  /** Of each thousand; at most five others may be refused. */
  private static final double STRAYS_PER_THOUSAND = 5;

  /** The API through which the provider is called. */
  enum Api {
    OPENAI("openai/simulated", "/v1"),
    ANTHROPIC("anthropic/simulated", "");

    private final String model;
    private final String path;

    Api(String model, String path) {
      this.model = model;
      this.path = path;
    }

    /** As {@code --model} takes it. */
    String model() {
      return model;
    }

    /** What {@code --model-base-url} has after the address of the server. */
    String path() {
      return path;
    }
  }

  /**
   * The most that meets it.
   *
   * @param ratio of makespan by optimum
   * @param beyondSeconds on top of {@code ratio} times the optimum
   * @param refusals per thousand requests
   */
  record Target(double ratio, double beyondSeconds, double refusals) {

    double seconds(double optimum) {
      return ratio * optimum + beyondSeconds;
    }

    String text() {
      return beyondSeconds > 0
          ? "≤ opt + %.0f s / %.0f".formatted(beyondSeconds, refusals)
          : "≤ %.2f / %.0f".formatted(ratio, refusals);
    }
  }

  /** Work for about 75 s at the optimum; for two minutes in row 16. */
  static List<HttpProvider> all() {
    return List.of(
        bucket(1, "openai, consistent", Advertisement.OPENAI),
        bucket(2, "nothing advertised", Advertisement.NONE),
        bucket(3, "stale values", Advertisement.OPENAI_STALE),
        bucket(4, "lying: always plenty left", Advertisement.LYING),
        bucket(5, "garbage", Advertisement.GARBAGE),
        bucket(6, "remaining only", Advertisement.REMAINING),
        bucket(7, "day quota told, minute hidden", Advertisement.DAY),
        of(8, "anthropic, whole seconds, 8 s", "rpm=1200 burst=20 advertise=anthropic", 1_300)
            .at(Api.ANTHROPIC, LONG, 0),
        of(9, "anthropic, 4,000 RPM tier", "rpm=4000 burst=400 advertise=anthropic", 5_000)
            .at(Api.ANTHROPIC, Duration.ofSeconds(3), 0),
        of(10, "anthropic, limit is the rate", "rpm=1200 burst=20 advertise=anthropic-rate", 1_300)
            .at(Api.ANTHROPIC, LONG, 0),
        bucket(11, "openai, limit is the rate", Advertisement.OPENAI_RATE),
        bucket(12, "ietf, quota is the rate", Advertisement.IETF_RATE),
        of(13, "calendar windows, epoch reset", "rpm=1200 advertise=epoch", 1_500)
            .inWindows(Duration.ofSeconds(10)),
        of(14, "0.5 % stray 429s, no limit", "advertise=none", 6_000)
            .at(Api.OPENAI, SECOND, 0)
            .withStrays(STRAYS_PER_THOUSAND / 1_000)
            .withTarget(new Target(RATIO, 0, STRAYS_PER_THOUSAND + 5)),
        of(
                15,
                "halves from 20 s to 40 s",
                BUCKET + "none limit-change=20s:0.5 limit-change=40s:2",
                1_230)
            .withTarget(new Target(RATIO_WHILE_SEARCHING, 0, REFUSALS_WITHOUT)),
        of(16, "50 RPM, burst 5", "rpm=50 burst=5 advertise=none", 100)
            .withTarget(new Target(RATIO_WHILE_SEARCHING, 0, 40)),
        of(
                17,
                "1 % hang for ten minutes",
                "rpm=1800 burst=30 advertise=none hang-rate=0.01 hang-time=10m",
                2_000)
            .at(Api.OPENAI, SECOND, 0)
            .withTarget(new Target(1, 120, REFUSALS_WITHOUT)));
  }

  private static HttpProvider bucket(int number, String title, Advertisement way) {
    return of(number, title, BUCKET + way.word(), 1_400);
  }

  private static HttpProvider of(int number, String title, String settings, int requests) {
    boolean usable =
        simulation(settings)
            .settings()
            .advertising()
            .as()
            .filter(Advertisement::isUsable)
            .isPresent();
    return new HttpProvider(
        number,
        title,
        Api.OPENAI,
        settings,
        Optional.empty(),
        0,
        requests,
        SHORT,
        SHORT_SPREAD,
        new Target(RATIO, 0, usable ? REFUSALS_WITH_USABLE_HEADERS : REFUSALS_WITHOUT));
  }

  private HttpProvider at(Api where, Duration median, double sigma) {
    return new HttpProvider(
        number, title, where, settings, window, strayRate, requests, median, sigma, target);
  }

  private HttpProvider inWindows(Duration length) {
    return new HttpProvider(
        number,
        title,
        api,
        settings,
        Optional.of(length),
        strayRate,
        requests,
        latency,
        spread,
        target);
  }

  private HttpProvider withStrays(double rate) {
    return new HttpProvider(
        number, title, api, settings, window, rate, requests, latency, spread, target);
  }

  private HttpProvider withTarget(Target other) {
    return new HttpProvider(
        number, title, api, settings, window, strayRate, requests, latency, spread, other);
  }

  /** With a share of the requests, which take that share of their time. */
  HttpProvider scaled(double share) {
    return new HttpProvider(
        number,
        title,
        api,
        settings,
        window,
        strayRate,
        (int) Math.max(1, requests * share),
        Duration.ofMillis(Math.round(latency.toMillis() * share)),
        spread,
        target);
  }

  /** The same without strays, beside which a run with strays is measured. */
  HttpProvider withoutStrays() {
    return withStrays(0);
  }

  /** All options of {@code weir simulate}. */
  String options() {
    return options(Duration.ZERO) + " latency=%dms:%s".formatted(latency.toMillis(), spread);
  }

  /**
   * @param phase how far the first window has advanced at the start
   */
  private String options(Duration phase) {
    String all = settings;
    if (window.isPresent()) {
      all += " calendar=%dms:%dms".formatted(window.get().toMillis(), phase.toMillis());
    }
    return strayRate > 0 ? all + " stray-rate=" + strayRate : all;
  }

  Simulation simulation() {
    return simulation(options());
  }

  private static Simulation simulation(String words) {
    Map<Setting, List<Given>> given = new EnumMap<>(Setting.class);
    for (String word : words.split(" ", -1)) {
      String[] parts = word.split("=", 2);
      Setting setting = Setting.of(parts[0]).orElseThrow();
      given.computeIfAbsent(setting, _ -> new ArrayList<>()).add(new Given("row", parts[1]));
    }
    return Simulation.of(Optional.empty(), given, HttpLimitsBenchmark.SEED);
  }

  /**
   * The shortest time from the first request to the last answer, from the limits and the median
   * latency.
   *
   * <p>When the first request comes decides how much of the first window is left. It does not
   * matter to a limit that halves for a while, as long as all of that while lies within the run.
   *
   * @param firstRequest since the start of the provider
   */
  double optimumSeconds(Duration firstRequest) {
    long phase = window.map(length -> firstRequest.toMillis() % length.toMillis()).orElse(0L);
    var exact = new Workload(requests, new Workload.Shape.Even(latency, 0), 0, List.of());
    var scenario =
        new Scenario(
            "row-" + number,
            title,
            1,
            exact,
            simulation(options(Duration.ofMillis(phase))).settings(),
            Optional.empty());
    return new ScenarioRun(scenario, HttpLimitsBenchmark.SEED).optimum().makespan().toNanos() / 1e9;
  }
}
