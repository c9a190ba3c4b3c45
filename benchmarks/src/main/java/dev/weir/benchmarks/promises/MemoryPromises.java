package dev.weir.benchmarks.promises;

import dev.weir.benchmarks.promises.Series.Measured;
import dev.weir.benchmarks.promises.Series.Promise;
import dev.weir.benchmarks.promises.Series.Setup;
import dev.weir.simulator.provider.ProviderSettings;
import dev.weir.simulator.provider.ProviderSettings.Quota;
import dev.weir.simulator.provider.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What the memory of an earlier run is good for. */
final class MemoryPromises {

  private MemoryPromises() {}

  static List<Series> memory() {
    List<Setup> same = new ArrayList<>();
    List<Setup> fell = new ArrayList<>();
    List<Setup> rose = new ArrayList<>();
    for (double perSecond : new double[] {1, 10, 50}) {
      for (double latency : new double[] {0.5, 4}) {
        Trial learned = hidden(perSecond, latency);
        same.add(
            new Setup(
                String.format(Locale.ROOT, "%.0f/s again, latency %.1f s", perSecond, latency),
                seed -> learned.runRemembering(learned.memory(seed), seed + 1_000),
                (traffic, _) -> Measured.one(traffic.refusals(), 2)));
        Trial slower = hidden(perSecond / 10, latency);
        fell.add(
            new Setup(
                String.format(
                    Locale.ROOT,
                    "%.0f/s, then %.1f/s, latency %.1f s",
                    perSecond,
                    perSecond / 10,
                    latency),
                seed -> slower.runRemembering(learned.memory(seed), seed + 1_000),
                (traffic, _) ->
                    Measured.one(
                        traffic.sentAfterRefusal(new Fall(0, Seconds.nanos(60), false)), 3)));
        Trial faster = hidden(10 * perSecond, latency);
        double window = Math.max(2, 2 / perSecond);
        rose.add(
            new Setup(
                String.format(
                    Locale.ROOT,
                    "%.0f/s, then %.0f/s, latency %.1f s",
                    perSecond,
                    10 * perSecond,
                    latency),
                seed -> faster.runRemembering(learned.memory(seed), seed + 1_000),
                (traffic, seed) ->
                    Measured.one(
                        traffic.secondsUntilCarried(10 * perSecond, 0, window),
                        2
                            * faster
                                .run(seed + 1_000)
                                .secondsUntilCarried(10 * perSecond, 0, window))));
      }
    }
    return List.of(
        Series.of(same, new Promise("9", "refusals of a second run at the same hidden limit", "2")),
        Series.of(
            fell,
            new Promise(
                "9",
                "refusals after the first episode where the limit is a tenth of what is"
                    + " remembered, in 60 s",
                "3")),
        Series.of(
            rose,
            new Promise(
                "9",
                "seconds to 90 % of ten times what is remembered",
                "twice a run without memory")));
  }

  /** Two minutes of work at a limit that nothing advertises. */
  private static Trial hidden(double perSecond, double latency) {
    return Trial.of(
        ProviderSettings.builder()
            .requests(new Quota(perSecond, Math.max(1, Math.rint(perSecond / 2))))
            .build(),
        Workload.of((int) Math.max(20, Math.round(perSecond * 120)), Seconds.duration(latency)),
        Trial.LONG);
  }
}
