package dev.weir.benchmarks.http;

import dev.weir.simulator.provider.Advertisement;
import dev.weir.simulator.provider.Scenario;
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
 * @param number its row in the report
 * @param settings options of {@code weir simulate}: {@code rpm=1200 burst=25}
 * @param strayRate how often the provider refuses without a limit
 * @param latency the median of an answer
 * @param mostRatio the largest makespan by optimum that meets the target
 * @param mostRefusals per thousand requests
 */
record HttpProvider(
    int number,
    String title,
    String settings,
    double strayRate,
    int requests,
    Duration latency,
    double mostRatio,
    double mostRefusals) {

  private static final Duration SHORT = Duration.ofMillis(1_500);
  private static final Duration LONG = Duration.ofSeconds(8);
  private static final String BUCKET = "rpm=1200 burst=25 advertise=";

  private static final double RATIO = 1.1;

  /** Where the limit must be found out by being refused. */
  private static final double RATIO_WHILE_SEARCHING = 1.15;

  /** Of each thousand; the others are to be caused by at most five more refusals. */
  private static final double STRAYS_PER_THOUSAND = 5;

  /** Work for about a minute at the optimum each, except the last, which takes two. */
  static List<HttpProvider> all() {
    return List.of(
        bucket(1, Advertisement.OPENAI),
        bucket(2, Advertisement.NONE),
        bucket(3, Advertisement.OPENAI_STALE),
        bucket(4, Advertisement.LYING),
        bucket(5, Advertisement.GARBAGE),
        bucket(6, Advertisement.REMAINING),
        bucket(7, Advertisement.DAY),
        of(8, "anthropic, 20/s, capacity 20", "rpm=1200 burst=20 advertise=anthropic", 900, LONG),
        of(
            9,
            "anthropic, 4,000 RPM, capacity 400",
            "rpm=4000 burst=400 advertise=anthropic",
            4_000,
            Duration.ofSeconds(3)),
        of(
            10,
            "anthropic-rate, 20/s, capacity 20",
            "rpm=1200 burst=20 advertise=anthropic-rate",
            900,
            LONG),
        of(
            11,
            "openai-rate, 20/s, burst 30",
            "rpm=1200 burst=30 advertise=openai-rate",
            1_170,
            SHORT),
        of(12, "ietf-rate, 20/s, burst 30", "rpm=1200 burst=30 advertise=ietf-rate", 1_170, SHORT),
        of(
            13,
            "epoch, 200 in each calendar window of 10 s",
            "rpm=1200 calendar=10s advertise=epoch",
            1_200,
            SHORT),
        of(14, "no limit, 0.5 % stray 429s, none", "advertise=none", 6_000, SHORT)
            .withStrays(STRAYS_PER_THOUSAND / 1_000)
            .withTarget(RATIO, STRAYS_PER_THOUSAND + 5),
        of(
                15,
                "none, 20/s, burst 25, half of it from 20 to 40 s",
                BUCKET + "none limit-change=20s:0.5 limit-change=40s:2",
                965,
                SHORT)
            .withTarget(RATIO_WHILE_SEARCHING, 20),
        of(16, "none, 50 RPM, burst 5", "rpm=50 burst=5 advertise=none", 100, SHORT)
            .withTarget(RATIO_WHILE_SEARCHING, 40));
  }

  private static HttpProvider bucket(int number, Advertisement way) {
    return of(number, way.word() + ", 20/s, burst 25", BUCKET + way.word(), 1_165, SHORT);
  }

  private static HttpProvider of(
      int number, String title, String settings, int requests, Duration latency) {
    boolean usable =
        simulation(settings)
            .settings()
            .advertising()
            .as()
            .filter(Advertisement::isUsable)
            .isPresent();
    return new HttpProvider(number, title, settings, 0, requests, latency, RATIO, usable ? 10 : 20);
  }

  private HttpProvider withStrays(double rate) {
    return new HttpProvider(
        number, title, settings, rate, requests, latency, mostRatio, mostRefusals);
  }

  private HttpProvider withTarget(double ratio, double refusals) {
    return new HttpProvider(number, title, settings, strayRate, requests, latency, ratio, refusals);
  }

  /** With a share of the requests, which take that share of their time. */
  HttpProvider scaled(double share) {
    return new HttpProvider(
        number,
        title,
        settings,
        strayRate,
        (int) Math.max(1, requests * share),
        Duration.ofNanos(Math.round(latency.toNanos() * share)),
        mostRatio,
        mostRefusals);
  }

  /** The same without strays, beside which a run with strays is measured. */
  HttpProvider withoutStrays() {
    return withStrays(0);
  }

  Simulation simulation() {
    return simulation(strayRate > 0 ? settings + " stray-rate=" + strayRate : settings);
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

  /** What is asked of it, for a client and for the oracle. */
  Scenario scenario() {
    return new Scenario(
        "row-" + number,
        title,
        1,
        Workload.of(requests, latency),
        simulation().settings(),
        Optional.empty());
  }
}
