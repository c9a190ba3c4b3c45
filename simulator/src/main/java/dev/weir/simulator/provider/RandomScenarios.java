package dev.weir.simulator.provider;

import dev.weir.simulator.provider.ProviderSettings.Quota;
import dev.weir.simulator.provider.ProviderSettings.RetryAfter;
import java.time.Duration;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * Scenarios nobody chose: 0.5 to 160 requests per second, a burst of 1 to a minute's worth, a
 * median latency of 0.6 to 20 s, a round trip of 20 to 200 ms. Two of five advertise their quota,
 * in one of four refusals cost quota. What spans orders of magnitude is drawn by its logarithm.
 */
public final class RandomScenarios {

  private static final int MAX_REQUESTS = 20_000;
  private static final double ADVERTISED = 0.4;
  private static final double REFUSALS_COST = 0.25;

  private RandomScenarios() {}

  /** The scenario of a seed, with as many requests as take 150 to 400 s, but at most 20,000. */
  public static Scenario of(long seed) {
    var random = new SplittableRandom(seed);
    double perSecond = magnitude(random, 0.5, 160);
    double burst = Math.rint(magnitude(random, 1, Math.max(1, 60 * perSecond)));
    double latencySeconds = magnitude(random, 0.6, 20);
    double roundTripMillis = random.nextDouble(20, 200);
    double spanSeconds = random.nextDouble(150, 400);
    boolean advertised = random.nextDouble() < ADVERTISED;
    boolean refusalsCost = random.nextDouble() < REFUSALS_COST;

    ProviderSettingsBuilder settings =
        ProviderSettings.builder()
            .requests(new Quota(perSecond, burst))
            .refusalCost(refusalsCost ? 1 : 0)
            .oneWayDelay(Duration.ofNanos(Math.round(roundTripMillis / 2 * 1e6)));
    if (advertised) {
      settings.quotaHeaders().retryAfter(RetryAfter.WHOLE_SECONDS).tellsKind();
    }
    // The slowest of the last requests takes about three times the median.
    double sendingSeconds = spanSeconds - 3 * latencySeconds;
    int requests = Math.clamp(Math.round(burst + perSecond * sendingSeconds), 1, MAX_REQUESTS);
    String title =
        String.format(
            Locale.ROOT,
            "%.2f/s, burst %.0f, latency %.1f s, round trip %.0f ms%s%s",
            perSecond,
            burst,
            latencySeconds,
            roundTripMillis,
            advertised ? ", headers" : "",
            refusalsCost ? ", refusals cost quota" : "");
    return Scenario.of(
        "random-" + seed,
        title,
        Workload.of(requests, Duration.ofNanos(Math.round(latencySeconds * 1e9))),
        settings.build());
  }

  private static double magnitude(RandomGenerator random, double least, double most) {
    return least * Math.pow(most / least, random.nextDouble());
  }
}
