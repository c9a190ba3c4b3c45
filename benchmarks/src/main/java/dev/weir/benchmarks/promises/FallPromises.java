package dev.weir.benchmarks.promises;

import dev.weir.benchmarks.promises.Series.Measured;
import dev.weir.benchmarks.promises.Series.Promise;
import dev.weir.benchmarks.promises.Series.Setup;
import dev.weir.simulator.provider.Advertisement;
import dev.weir.simulator.provider.Attempt;
import dev.weir.simulator.provider.ProviderSettings;
import dev.weir.simulator.provider.ProviderSettings.Quota;
import dev.weir.simulator.provider.ProviderSettingsBuilder;
import dev.weir.simulator.provider.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What a limit that halves for a while costs. */
final class FallPromises {

  private FallPromises() {}

  static List<Series> falls() {
    return List.of(
        halvings(
            ", advertised",
            List.of(Advertisement.OPENAI, Advertisement.ANTHROPIC, Advertisement.OPENAI_RATE)),
        halvings(", not advertised", List.of(Advertisement.NONE, Advertisement.RETRY_AFTER)));
  }

  private static Series halvings(String which, List<Advertisement> advertisements) {
    List<Setup> setups = new ArrayList<>();
    for (Advertisement advertisement : advertisements) {
      for (double perSecond : new double[] {2, 10, 50}) {
        for (double latency : new double[] {0.5, 4}) {
          int delayMillis = latency < 1 ? 15 : 80;
          Halving halving =
              Halving.of(
                  perSecond,
                  latency,
                  ProviderSettings.builder()
                      .advertise(advertisement)
                      .oneWayDelay(Duration.ofMillis(delayMillis)));
          setups.add(
              new Setup(
                  String.format(
                      Locale.ROOT,
                      "%s, %.0f/s, latency %.1f s, delay %d ms",
                      advertisement.word(),
                      perSecond,
                      latency,
                      delayMillis),
                  halving.trial()::run,
                  (traffic, _) ->
                      List.of(
                          halving.further(traffic),
                          halving.settled(traffic),
                          halving.recovered(traffic),
                          halving.unused(traffic))));
        }
      }
    }
    return Series.of(
        setups,
        new Promise("5", "refusals beyond what was sent when a limit halves" + which, "5"),
        new Promise(
            "5",
            "rate in % of the halved limit, 2 s or 3 round trips after a refusal" + which,
            "105, one attempt free"),
        new Promise("5", "seconds until 90 % of the old rate are back" + which, "10 s or 20 sends"),
        new Promise("5", "unused of the limit before it halves, %" + which, "10, ours"));
  }

  /**
   * A limit that halves for a while.
   *
   * @param fall when it is halved, and until when
   */
  private record Halving(double perSecond, Fall fall, Trial trial) {

    /** At least 60 s and 120 sends before, 20 s and 40 sends at the halved rate. */
    static Halving of(double perSecond, double latency, ProviderSettingsBuilder settings) {
      double from = Math.max(60, 120 / perSecond);
      double until = from + Math.max(20, 80 / perSecond);
      double end = until + Math.max(60, 120 / perSecond);
      settings
          .requests(new Quota(perSecond, Math.max(1, Math.rint(perSecond / 2))))
          .change(Seconds.duration(from), 0.5)
          .change(Seconds.duration(until), 2);
      return new Halving(
          perSecond,
          new Fall(Seconds.nanos(from), Seconds.nanos(until), false),
          Trial.of(
              settings.build(),
              Workload.of((int) (2 * perSecond * end) + 100, Seconds.duration(latency)),
              Seconds.duration(end)));
    }

    /** Refusals that are not part of the episode. */
    Measured further(Traffic traffic) {
      return new Measured(traffic.sentAfterRefusal(fall), 5);
    }

    /** In per cent of the new limit, over 5 s or 20 sends. */
    Measured settled(Traffic traffic) {
      long refused = traffic.firstRefusalReceived(fall.at(), fall.until());
      if (refused == Attempt.NEVER) {
        return new Measured(0, 105);
      }
      long from =
          refused + Math.round(Math.max(2 * Seconds.NANOS, 3 * traffic.longestRoundTripNanos()));
      long until = Math.min(fall.until(), from + Seconds.nanos(Math.max(5, 40 / perSecond)));
      if (until - from < Seconds.NANOS) {
        return new Measured(0, 105);
      }
      double attempts = Math.max(0, traffic.countArrived(from, until, _ -> true) - 1);
      double allowed = perSecond / 2 * (until - from) / Seconds.NANOS;
      return new Measured(100 * attempts / allowed, 105);
    }

    /** Admitted per second in 20 s or 40 sends before the fall. */
    private double oldRate(Traffic traffic) {
      double span = Math.max(20, 40 / perSecond);
      return traffic.countArrived(fall.at() - Seconds.nanos(span), fall.at(), Attempt::isAdmitted)
          / span;
    }

    /** What was not used of the limit before the fall, in per cent. */
    Measured unused(Traffic traffic) {
      return new Measured(100 * Math.max(0, 1 - oldRate(traffic) / perSecond), 10);
    }

    Measured recovered(Traffic traffic) {
      double window = Math.max(2, 20 / perSecond);
      double deadline =
          Math.max(10, (traffic.sent(20, fall.until()) - fall.until()) / Seconds.NANOS);
      return new Measured(
          traffic.secondsUntilAdmitted(Math.min(perSecond, oldRate(traffic)), fall.until(), window),
          deadline);
    }
  }
}
