package dev.weir.simulator.provider;

import dev.weir.simulator.provider.ProviderSettings.Quota;
import dev.weir.simulator.provider.ProviderSettings.RetryAfter;
import dev.weir.simulator.provider.Workload.Wave;
import java.time.Duration;
import java.util.List;

/**
 * The scenarios that controllers are measured on.
 *
 * <p>A prime mostly means that the quota is advertised. Those from a to j have published figures;
 * the others are {@code c*} (imperfect estimates), {@code k} (overload), {@code l} (a lull), {@code
 * l*} (a trickle), {@code m} (growth limit) and {@code w} (calendar windows).
 */
public final class Scenarios {

  private static final Quota RPM_600 = Quota.perMinute(600, 10);
  private static final Quota RPM_600_MINUTE = Quota.perMinute(600, 600);
  private static final Quota RPM_50 = Quota.perMinute(50, 5);
  private static final Quota RPM_10_000 = Quota.perMinute(10_000, 200);
  private static final Quota TPM_600_000 = Quota.perMinute(600_000, 100_000);
  private static final Workload WORK = Workload.of(3_000);
  private static final Workload TOKEN_WORK = Workload.ofTokens(3_000);
  private static final Workload SMALL_WORK = Workload.of(250);
  private static final Workload LARGE_WORK = Workload.of(20_000);
  private static final Workload SLOW_WORK = Workload.of(3_000, Duration.ofSeconds(20));
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static final List<Scenario> ALL =
      List.of(
          Scenario.of("a", "600 RPM, burst 10, nothing advertised", WORK, silent(RPM_600).build()),
          Scenario.of(
              "a'",
              "as a, Retry-After (whole s) on 429",
              WORK,
              silent(RPM_600).retryAfter(RetryAfter.WHOLE_SECONDS).build()),
          Scenario.of(
              "a*",
              "as a, but refused requests also consume quota",
              WORK,
              silent(RPM_600).refusalCost(1).build()),
          Scenario.of(
              "b", "600 RPM, burst 10, headers + Retry-After", WORK, telling(RPM_600).build()),
          Scenario.of(
              "b'", "600 RPM, minute bucket, headers", WORK, telling(RPM_600_MINUTE).build()),
          Scenario.of(
              "b''",
              "minute bucket advertised, hidden 10-burst enforced",
              WORK,
              telling(RPM_600_MINUTE).hiddenRequests(RPM_600).build()),
          Scenario.of(
              "c",
              "600k TPM bound, headers",
              TOKEN_WORK,
              telling(new Quota(100, 200)).tokens(TPM_600_000).build()),
          Scenario.of(
              "c'",
              "600k TPM bound, only the 429 type",
              TOKEN_WORK,
              silent(new Quota(100, 200)).tokens(TPM_600_000).tellsKind().build()),
          Scenario.of(
              "c*",
              "as c, but the client's estimates are off by 30 %",
              TOKEN_WORK.withEstimateError(0.3),
              telling(new Quota(100, 200)).tokens(TPM_600_000).build()),
          Scenario.of(
              "d",
              "concurrency cap 25 (429), nothing advertised",
              WORK,
              ProviderSettings.builder().refusesAbove(25).build()),
          Scenario.of(
              "d'",
              "25 slots, unbounded queue, never a 429",
              WORK,
              ProviderSettings.builder().queuesAbove(25).build()),
          Scenario.of(
                  "e",
                  "600->300->600 RPM at 100/200 s, nothing advertised",
                  WORK,
                  halvedForAWhile(silent(RPM_600)))
              .withDisturbanceUntil(Duration.ofSeconds(200)),
          Scenario.of("e'", "as e, headers", WORK, halvedForAWhile(telling(RPM_600)))
              .withDisturbanceUntil(Duration.ofSeconds(200)),
          Scenario.of(
                  "f",
                  "503 for 60 s at 100 s",
                  WORK,
                  silent(RPM_600).outage(Duration.ofSeconds(100), Duration.ofSeconds(160)).build())
              .withDisturbanceUntil(Duration.ofSeconds(160)),
          Scenario.of(
              "g", "10k RPM burst 200, nothing advertised", LARGE_WORK, silent(RPM_10_000).build()),
          Scenario.of("g'", "10k RPM burst 200, headers", LARGE_WORK, telling(RPM_10_000).build()),
          Scenario.of("h", "as a, two uncoordinated processes", WORK, silent(RPM_600).build())
              .withProcesses(2),
          Scenario.of("h'", "as b, two uncoordinated processes", WORK, telling(RPM_600).build())
              .withProcesses(2),
          Scenario.of(
              "i",
              "tier-1: 50 RPM, burst 5, nothing advertised",
              SMALL_WORK,
              silent(RPM_50).build()),
          Scenario.of(
              "i'", "tier-1: 50 RPM, burst 5, headers", SMALL_WORK, telling(RPM_50).build()),
          Scenario.of(
              "j",
              "as a, but 20 s median latency (reasoning / agents)",
              SLOW_WORK,
              silent(RPM_600).build()),
          Scenario.of(
                  "k",
                  "as a, 529 for 70 % of requests for 60 s at 100 s",
                  WORK,
                  silent(RPM_600)
                      .overload(Duration.ofSeconds(100), Duration.ofSeconds(160), 0.7)
                      .build())
              .withDisturbanceUntil(Duration.ofSeconds(160)),
          Scenario.of(
              "l",
              "as a, but nothing to do for 180 s after half of it",
              WORK.inWaves(new Wave(1_500, Duration.ofSeconds(330), Double.POSITIVE_INFINITY)),
              silent(RPM_600).build()),
          Scenario.of(
              "l*",
              "as a, but only 2 requests a second from 120 to 300 s",
              WORK.inWaves(
                  new Wave(1_000, Duration.ofSeconds(120), 2),
                  new Wave(1_360, Duration.ofSeconds(300), Double.POSITIVE_INFINITY)),
              silent(RPM_600).build()),
          Scenario.of(
              "m",
              "1,200 RPM, burst 20, growth limited to x2 per minute from 5/s",
              WORK,
              silent(Quota.perMinute(1_200, 20)).acceleration(2, 5).build()),
          Scenario.of(
              "w",
              "600 RPM in calendar minutes, nothing advertised",
              WORK,
              silent(RPM_600_MINUTE).calendar(MINUTE, Duration.ofSeconds(20)).build()),
          Scenario.of(
              "w'",
              "600 RPM in calendar minutes, headers",
              WORK,
              telling(RPM_600_MINUTE).calendar(MINUTE, Duration.ofSeconds(20)).build()));

  private Scenarios() {}

  public static List<Scenario> all() {
    return ALL;
  }

  public static Scenario named(String name) {
    return ALL.stream()
        .filter(scenario -> scenario.name().equals(name))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("`name` must be a scenario, was '" + name + "'"));
  }

  private static ProviderSettingsBuilder silent(Quota requests) {
    return ProviderSettings.builder().requests(requests);
  }

  private static ProviderSettingsBuilder telling(Quota requests) {
    return silent(requests).quotaHeaders().retryAfter(RetryAfter.WHOLE_SECONDS).tellsKind();
  }

  private static ProviderSettings halvedForAWhile(ProviderSettingsBuilder settings) {
    return settings.change(Duration.ofSeconds(100), 0.5).change(Duration.ofSeconds(200), 2).build();
  }
}
