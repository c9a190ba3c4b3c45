package dev.weir.benchmarks.promises;

import dev.weir.benchmarks.promises.Series.Judge;
import dev.weir.benchmarks.promises.Series.Measured;
import dev.weir.benchmarks.promises.Series.Promise;
import dev.weir.benchmarks.promises.Series.Setup;
import dev.weir.simulator.provider.Oracle;
import dev.weir.simulator.provider.ProviderSettings;
import dev.weir.simulator.provider.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** How fast a run without limits begins, and what it costs to find that there is one. */
final class RampPromises {

  private RampPromises() {}

  static List<Series> ramp() {
    return List.of(withoutLimit(), capsThatRefuse(), capsThatQueue(), growthLimits());
  }

  static Series withoutLimit() {
    List<Setup> setups = new ArrayList<>();
    for (int[] millis : new int[][] {{1, 48}, {15, 20}}) {
      Trial trial =
          Trial.of(
              ProviderSettings.builder().oneWayDelay(Duration.ofMillis(millis[0])).build(),
              new Workload(
                  2_000, new Workload.Shape.Even(Duration.ofMillis(millis[1]), 0), 0, List.of()),
              Trial.LONG);
      setups.add(
          new Setup(
              String.format(
                  Locale.ROOT, "no limit, delay %d ms, latency %d ms", millis[0], millis[1]),
              trial::run,
              (traffic, _) -> Measured.one(traffic.seconds(), 2.5)));
    }
    return Series.of(
        setups, new Promise("10", "seconds for 2,000 calls of 50 ms without a limit", "2.5"));
  }

  static Series capsThatRefuse() {
    return Series.of(
        caps(
            cap -> ProviderSettings.builder().refusesAbove(cap).build(),
            (cap, traffic) -> {
              double further = beyondFirstEpisode(traffic);
              double episode = traffic.refusals() - further;
              return List.of(
                  new Measured(further, 3),
                  new Measured(
                      traffic.refusals(),
                      Math.floor(episode + traffic.allowedRefusals(List.of()))));
            }),
        new Promise("10", "refusals by a hidden cap after the first episode", "3"),
        new Promise("10", "refusals by a hidden cap", "first episode + 20 + 2 %"),
        new Promise("10", "makespan at a cap that refuses, % of the optimum", "115, ours"));
  }

  static Series capsThatQueue() {
    return Series.of(
        caps(
            cap -> ProviderSettings.builder().queuesAbove(cap).build(),
            (cap, traffic) ->
                Measured.one((double) traffic.run().provider().peakInFlight() / cap, 3)),
        new Promise("10", "most in flight at a cap that queues, by the cap", "3, ours"),
        new Promise("10", "makespan at a cap that queues, % of the optimum", "115, ours"));
  }

  /** Measures a run at a cap. */
  private interface CapJudge {
    List<Measured> measure(int cap, Traffic traffic);
  }

  /** A minute of work at each cap; the makespan is judged last. */
  private static List<Setup> caps(Function<Integer, ProviderSettings> settings, CapJudge judge) {
    List<Setup> setups = new ArrayList<>();
    for (int cap : new int[] {8, 100, 1_000}) {
      for (double latency : new double[] {0.5, 3}) {
        int requests = (int) Math.min(60_000, cap * 60 / latency);
        Trial trial =
            Trial.of(
                settings.apply(cap), Workload.of(requests, Seconds.duration(latency)), Trial.LONG);
        Judge all =
            (traffic, seed) -> {
              List<Measured> measured = new ArrayList<>(judge.measure(cap, traffic));
              double optimum =
                  Oracle.optimum(trial.settings(), trial.workload().requests(seed), seed)
                          .makespan()
                          .toNanos()
                      / Seconds.NANOS;
              measured.add(new Measured(100 * traffic.seconds() / optimum, 115));
              return measured;
            };
        setups.add(
            new Setup(
                String.format(Locale.ROOT, "cap %d, latency %.1f s", cap, latency),
                trial::run,
                all));
      }
    }
    return setups;
  }

  static Series growthLimits() {
    List<Setup> setups = new ArrayList<>();
    for (double floor : new double[] {1, 5, 20}) {
      for (double latency : new double[] {0.5, 3}) {
        Trial trial =
            Trial.of(
                ProviderSettings.builder().acceleration(2, floor).build(),
                Workload.of(40_000, Seconds.duration(latency)),
                Duration.ofMinutes(4));
        setups.add(
            new Setup(
                String.format(
                    Locale.ROOT, "twice a minute from %.0f/s, latency %.1f s", floor, latency),
                trial::run,
                (traffic, _) ->
                    List.of(
                        new Measured(beyondFirstEpisode(traffic), 3),
                        new Measured(
                            traffic.refusals(), Math.floor(traffic.allowedRefusals(List.of()))))));
      }
    }
    return Series.of(
        setups,
        new Promise("10", "refusals by a growth limit after the first episode, 240 s", "3"),
        new Promise("10", "refusals by a growth limit, 240 s", "20 + 2 %"));
  }

  private static double beyondFirstEpisode(Traffic traffic) {
    return traffic.sentAfterRefusal(new Fall(0, Long.MAX_VALUE, false));
  }
}
