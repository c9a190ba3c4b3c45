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
import java.util.function.Function;

/** What refusals at random cost. */
final class StrayPromises {

  private StrayPromises() {}

  static List<Series> strays() {
    List<Setup> free = new ArrayList<>();
    List<Setup> limited = new ArrayList<>();
    for (double rate : new double[] {0.001, 0.005, 0.01, 0.02}) {
      for (double latency : new double[] {0.3, 2}) {
        String name =
            String.format(Locale.ROOT, "%.1f %% strays, latency %.1f s", 100 * rate, latency);
        free.add(
            lost(
                name,
                stray -> ProviderSettings.builder().strayRate(stray).build(),
                rate,
                Workload.of(20_000, Seconds.duration(latency))));
        limited.add(
            lost(
                name,
                stray ->
                    ProviderSettings.builder().requests(new Quota(20, 20)).strayRate(stray).build(),
                rate,
                Workload.of(3_600, Seconds.duration(latency))));
      }
    }
    return List.of(
        Series.of(free, new Promise("4", "rate lost to strays without a limit, %", "10")),
        Series.of(
            limited, new Promise("4", "rate lost to strays beside a limit of 20/s, %", "10")));
  }

  private static Setup lost(
      String name,
      Function<Double, ProviderSettings> settings,
      double strayRate,
      Workload workload) {
    return new Setup(
        name,
        seed -> Trial.of(settings.apply(strayRate), workload, Trial.LONG).run(seed),
        (traffic, seed) -> {
          double without = Trial.of(settings.apply(0.0), workload, Trial.LONG).run(seed).seconds();
          double with =
              traffic.run().unfinished() > 0 ? Double.POSITIVE_INFINITY : traffic.seconds();
          return Measured.one(100 * Math.max(0, 1 - without / with), 10);
        });
  }
}
