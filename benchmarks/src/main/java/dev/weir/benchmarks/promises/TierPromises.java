package dev.weir.benchmarks.promises;

import dev.weir.benchmarks.promises.Series.Measured;
import dev.weir.benchmarks.promises.Series.Promise;
import dev.weir.benchmarks.promises.Series.Setup;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.simulator.provider.ProviderSettings;
import dev.weir.simulator.provider.ProviderSettings.Quota;
import dev.weir.simulator.provider.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** What a very low limit costs. */
final class TierPromises {

  private TierPromises() {}

  static List<Series> lowTiers() {
    List<Setup> unknown = new ArrayList<>();
    List<Setup> stated = new ArrayList<>();
    PaceSettings statedPace =
        new PaceSettings(
            PaceSettings.defaults().maxConnections(),
            OptionalDouble.of(50),
            OptionalDouble.empty(),
            false);
    for (int requests : new int[] {100, 250}) {
      for (double latency : new double[] {0.5, 1.5, 10}) {
        for (int burst : new int[] {1, 5}) {
          Trial trial =
              Trial.of(
                  ProviderSettings.builder().requests(Quota.perMinute(50, burst)).build(),
                  Workload.of(requests, Seconds.duration(latency)),
                  Trial.LONG);
          String name =
              String.format(
                  Locale.ROOT,
                  "50 RPM, %d requests, burst %d, latency %.1f s",
                  requests,
                  burst,
                  latency);
          if (burst == 5) {
            unknown.add(
                new Setup(
                    name,
                    trial::run,
                    (traffic, _) -> Measured.one(1_000.0 * traffic.refusals() / requests, 40)));
          }
          stated.add(
              new Setup(
                  name,
                  seed -> trial.run(statedPace, seed),
                  (traffic, _) -> Measured.one(traffic.refusals(), 0)));
        }
      }
    }
    return List.of(
        new Series(
            List.of(new Promise("6", "refusals per 1,000 at an unknown 50 RPM", "40")),
            Series.FIRST_SEED,
            20,
            unknown),
        Series.of(stated, new Promise("6", "refusals at a stated 50 RPM", "0")));
  }
}
