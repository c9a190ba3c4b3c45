package dev.weir.benchmarks.promises;

import dev.weir.benchmarks.promises.Series.Measured;
import dev.weir.benchmarks.promises.Series.Promise;
import dev.weir.benchmarks.promises.Series.Setup;
import dev.weir.simulator.provider.AdmissionRule;
import dev.weir.simulator.provider.ProviderSettings;
import dev.weir.simulator.provider.ProviderSettings.RetryAfter;
import dev.weir.simulator.provider.ProviderSettingsBuilder;
import dev.weir.simulator.provider.RandomProviders;
import dev.weir.simulator.provider.Scenario;
import dev.weir.simulator.provider.Workload;
import java.time.Duration;
import java.util.List;

/** How many refusals a run may have, whatever the provider does. */
final class RefusalPromises {

  private static final Duration HOUR = Duration.ofHours(1);

  private RefusalPromises() {}

  static List<Series> refusalBound() {
    return List.of(refusedForAnHour(), adversaries(), randomLimits(), randomProviders());
  }

  static Series refusedForAnHour() {
    return Series.of(
        List.of(
            hour("from the start", Adversary.silent(), 0),
            hour(
                "from the start, retry-after 1 s",
                Adversary.silent().retryAfter(RetryAfter.WHOLE_SECONDS),
                0),
            hour("from the start, headers show room", Adversary.showingRoom(), 0),
            hour("after a minute without limits", Adversary.silent(), 60),
            hour("after a minute, headers show room", Adversary.showingRoom(), 60)),
        new Promise(
            "3",
            "attempts within an hour in which everything is refused, without those already sent",
            "80"));
  }

  static Series adversaries() {
    return Series.of(
        Adversary.all().stream().map(RefusalPromises::adversary).toList(),
        new Promise(
            "3",
            "refusals by adversaries",
            "20 + 2 % + strays + episode of each fall + probes while everything is refused"),
        besideProbes("adversaries"));
  }

  static Series randomLimits() {
    return new Series(
        List.of(
            new Promise(
                "3", "refusals by limits that change at random", "20 + 2 % + episode of each fall"),
            besideProbes("limits that change at random")),
        Series.FIRST_SEED,
        40,
        List.of(adversary(Adversary.randomLimits())));
  }

  static Series randomProviders() {
    return new Series(
        List.of(
            new Promise("3", "refusals by random providers", "20 + 2 %"),
            besideProbes("random providers")),
        Series.FIRST_SEED,
        60,
        List.of(
            new Setup(
                "random provider",
                seed -> {
                  Scenario scenario = RandomProviders.of(seed);
                  return Trial.of(scenario.settings(), scenario.workload(), Trial.LONG).run(seed);
                },
                (traffic, _) -> boundAndProbes(traffic, List.of(), 0))));
  }

  private static Promise besideProbes(String providers) {
    return new Promise(
        "3",
        "attempts of an episode that were sent after its first refusal arrived, refused and no"
            + " probes: "
            + providers,
        "3");
  }

  private static Setup hour(String name, ProviderSettingsBuilder settings, int fromSeconds) {
    ProviderSettings built = settings.build();
    long from = Seconds.nanos(fromSeconds);
    long until = from + HOUR.toNanos();
    AdmissionRule rule =
        (now, _) -> Adversary.refuseIf(now >= from && now < until, Seconds.nanos(1));
    var trial =
        new Trial(
            built,
            new Adversary.Advertised(rule, 1_000, 999),
            Workload.of(100_000, Duration.ofSeconds(1)),
            Duration.ofNanos(until));
    return new Setup(
        name,
        trial::run,
        (traffic, _) ->
            Measured.one(
                fromSeconds == 0
                    ? traffic.attempts().size()
                    : traffic.sentAfterRefusal(new Fall(from, until, true)),
                80));
  }

  private static Setup adversary(Adversary adversary) {
    return new Setup(
        adversary.name(),
        seed -> adversary.instance().apply(seed).trial().run(seed),
        (traffic, seed) -> {
          double minutes = traffic.attempts().getLast().arrivedAt() / Seconds.NANOS / 60;
          return boundAndProbes(
              traffic,
              adversary.instance().apply(seed).falls(),
              adversary.unavoidable() ? minutes : 0);
        });
  }

  private static List<Measured> boundAndProbes(
      Traffic traffic, List<Fall> falls, double unavoidable) {
    return List.of(
        new Measured(traffic.refusals(), Math.floor(traffic.allowedRefusals(falls) + unavoidable)),
        new Measured(traffic.mostRefusedBesideProbes(), 3));
  }
}
