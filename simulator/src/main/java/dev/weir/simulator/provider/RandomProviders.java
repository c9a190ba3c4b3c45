package dev.weir.simulator.provider;

import dev.weir.simulator.provider.ProviderSettings.Quota;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * Providers that advertise in any way, enforce in any way, and are far away or near: drawn from a
 * seed, so that a client is measured on what nobody chose.
 *
 * <p>The ranges stand here and are not narrowed to suit a client: 0.5 to 150 requests a second, a
 * burst of 1 to 400, a median latency of 0.2 to 20 s, a round trip of 10 to 200 ms, work for 60 to
 * 600 s at the optimum and at least ten latencies, each by its logarithm; each {@link
 * Advertisement} equally often; in one of seven, others take 10 to 50 % of the quota.
 */
public final class RandomProviders {

  /** What limits the requests. */
  enum Enforcement {
    BUCKET,
    CALENDAR,
    TOKENS,
    CAP,
    GROWTH
  }

  /** What a request of {@link Workload#ofTokens} uses on average. */
  private static final double TOKENS_OF_A_REQUEST = 825;

  /** More than the largest of the requests reserves, or it could never pass. */
  private static final double LEAST_TOKEN_BURST = 30_000;

  private static final List<Advertisement> ADVERTISEMENTS = List.of(Advertisement.values());

  private RandomProviders() {}

  /** The provider and the work of a seed. */
  public static Scenario of(long seed) {
    // Seeds that follow each other must not give providers that resemble each other.
    var random = new SplittableRandom(seed * 0x9e3779b97f4a7c15L);
    Advertisement advertisement = ADVERTISEMENTS.get(random.nextInt(ADVERTISEMENTS.size()));
    Enforcement enforcement = enforcement(random);
    double perSecond = magnitude(random, 0.5, 150);
    double burst = Math.rint(magnitude(random, 1, 400));
    double latency = magnitude(random, 0.2, 20);
    double roundTripMillis = magnitude(random, 10, 200);
    double span = Math.max(magnitude(random, 60, 600), 10 * latency);
    double others = random.nextInt(7) == 0 ? random.nextDouble(0.1, 0.5) : 0;
    boolean namesKind = random.nextBoolean() || advertisement.isUsable();
    double windowSeconds = random.nextBoolean() ? 10 : 60;
    double phase = random.nextDouble();
    double growthFloor = Math.max(0.5, perSecond / magnitude(random, 2, 10));

    ProviderSettingsBuilder settings =
        ProviderSettings.builder()
            .advertise(advertisement)
            .oneWayDelay(Duration.ofNanos(Math.round(roundTripMillis / 2 * 1e6)));
    if (namesKind) {
      settings.tellsKind();
    }
    boolean tokens = enforcement == Enforcement.TOKENS;
    double capacity = burst;
    switch (enforcement) {
      case BUCKET -> settings.requests(new Quota(perSecond, burst));
      case CALENDAR -> {
        capacity = Math.max(1, Math.rint(perSecond * windowSeconds));
        settings
            .requests(new Quota(perSecond, capacity))
            .calendar(seconds(windowSeconds), seconds(phase * windowSeconds));
      }
      case TOKENS -> {
        double tokenBurst = Math.max(LEAST_TOKEN_BURST, burst * TOKENS_OF_A_REQUEST);
        settings
            .requests(new Quota(3 * perSecond, 3 * burst + 10))
            .tokens(new Quota(perSecond * TOKENS_OF_A_REQUEST, tokenBurst));
      }
      case CAP -> settings.refusesAbove((int) Math.max(1, Math.min(400, perSecond * latency)));
      case GROWTH -> settings.requests(new Quota(perSecond, burst)).acceleration(2, growthFloor);
    }
    if (others > 0 && enforcement != Enforcement.CAP) {
      settings.otherTraffic(
          tokens ? 0 : others * perSecond, tokens ? others * perSecond * TOKENS_OF_A_REQUEST : 0);
    }
    double free = perSecond * (enforcement == Enforcement.CAP ? 1 : 1 - others);
    // The bucket is full at the start, and the last answers take a while.
    double sendingSeconds = span - 2 * latency;
    int requests = (int) Math.max(20, Math.round(capacity + free * sendingSeconds));
    String title =
        String.format(
            Locale.ROOT,
            "%s, %s, %.2f/s, burst %.0f, latency %.1f s, round trip %.0f ms, %d requests%s",
            advertisement.word(),
            enforcement.name().toLowerCase(Locale.ROOT)
                + (enforcement == Enforcement.CALENDAR ? " " + (int) windowSeconds + " s" : "")
                + (enforcement == Enforcement.GROWTH
                    ? String.format(Locale.ROOT, " from %.1f/s", growthFloor)
                    : ""),
            perSecond,
            capacity,
            latency,
            roundTripMillis,
            requests,
            others > 0 ? String.format(Locale.ROOT, ", others %.0f %%", 100 * others) : "");
    Workload workload =
        tokens ? Workload.ofTokens(requests) : Workload.of(requests, seconds(latency));
    return Scenario.of("provider-" + seed, title, workload, settings.build());
  }

  private static Enforcement enforcement(RandomGenerator random) {
    double draw = random.nextDouble();
    if (draw < 0.5) {
      return Enforcement.BUCKET;
    }
    if (draw < 0.65) {
      return Enforcement.CALENDAR;
    }
    if (draw < 0.8) {
      return Enforcement.TOKENS;
    }
    return draw < 0.92 ? Enforcement.CAP : Enforcement.GROWTH;
  }

  private static double magnitude(RandomGenerator random, double least, double most) {
    return least * Math.pow(most / least, random.nextDouble());
  }

  private static Duration seconds(double seconds) {
    return Duration.ofNanos(Math.round(seconds * 1e9));
  }
}
