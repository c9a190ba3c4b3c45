package dev.weir.benchmarks.promises;

import dev.weir.benchmarks.limits.FlowClient;
import dev.weir.benchmarks.promises.Series.Measured;
import dev.weir.benchmarks.promises.Series.Promise;
import dev.weir.benchmarks.promises.Series.Setup;
import dev.weir.limits.Mode;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.simulator.provider.Advertisement;
import dev.weir.simulator.provider.Attempt;
import dev.weir.simulator.provider.Client;
import dev.weir.simulator.provider.ProviderSettings;
import dev.weir.simulator.provider.ProviderSettings.Quota;
import dev.weir.simulator.provider.Request;
import dev.weir.simulator.provider.Session;
import dev.weir.simulator.provider.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Whether others keep their share of a limit. */
final class SharingPromises {

  private static final double SHARED_SECONDS = 120;
  private static final double OTHERS_SHARE = 0.3;

  private SharingPromises() {}

  static Series others() {
    List<Setup> setups = new ArrayList<>();
    for (Advertisement advertisement :
        List.of(
            Advertisement.OPENAI,
            Advertisement.ANTHROPIC,
            Advertisement.OPENAI_RATE,
            Advertisement.IETF_RATE)) {
      for (Quota quota : List.of(new Quota(5, 10), new Quota(20, 20), new Quota(50, 200))) {
        setups.add(
            new Setup(
                String.format(
                    Locale.ROOT,
                    "shared, %s, %.0f/s, burst %.0f",
                    advertisement.word(),
                    quota.perSecond(),
                    quota.burst()),
                seed -> share(advertisement, quota, true, seed),
                (traffic, seed) -> {
                  double alone = othersRefused(share(advertisement, quota, false, seed));
                  double free = (1 - OTHERS_SHARE) * quota.perSecond() * SHARED_SECONDS;
                  long admitted =
                      traffic.attempts().stream()
                          .filter(attempt -> !isOthers(attempt) && attempt.isAdmitted())
                          .count();
                  return List.of(
                      new Measured(othersRefused(traffic), alone + 2),
                      new Measured(100 * Math.max(0, 1 - admitted / free), 10));
                }));
      }
    }
    return Series.of(
        setups,
        new Promise(
            "shared",
            "refused of what others send who use 30 % of an advertised limit, %",
            "2 more than without Weir, ours"),
        new Promise("shared", "unused of the 70 % that others leave, %", "10, ours"));
  }

  /** Dealt out in turn: the second process has the odd ones. */
  private static boolean isOthers(Attempt attempt) {
    return attempt.request() % 2 == 1;
  }

  private static double othersRefused(Traffic traffic) {
    List<Attempt> theirs = traffic.attempts().stream().filter(SharingPromises::isOthers).toList();
    long refused = theirs.stream().filter(Attempt::isRefused).count();
    return 100.0 * refused / theirs.size();
  }

  private static Traffic share(
      Advertisement advertisement, Quota quota, boolean withWeir, long seed) {
    Trial trial =
        Trial.of(
            ProviderSettings.builder().requests(quota).advertise(advertisement).build(),
            Workload.of((int) (4 * quota.perSecond() * SHARED_SECONDS), Duration.ofSeconds(1)),
            Seconds.duration(SHARED_SECONDS));
    Client own = new FlowClient(new Mode.Pace(PaceSettings.defaults()));
    return trial.run(
        session -> {
          if (session.requests().getFirst().id() != 0) {
            new Others(session, OTHERS_SHARE * quota.perSecond()).sendNext();
          } else if (withWeir) {
            own.start(session);
          }
        },
        2,
        seed);
  }

  /** Send at random times and never again. */
  private static final class Others {
    private final Session session;
    private final double perSecond;
    private int next;

    Others(Session session, double perSecond) {
      this.session = session;
      this.perSecond = perSecond;
    }

    void sendNext() {
      double gap = -Math.log(1 - session.random().nextDouble()) / perSecond;
      session
          .loop()
          .after(
              Seconds.nanos(gap),
              () -> {
                Request request = session.requests().get(next++);
                session.send(request, _ -> session.done(request));
                sendNext();
              });
    }
  }
}
