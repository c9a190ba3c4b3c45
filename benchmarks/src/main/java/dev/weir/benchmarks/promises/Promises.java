package dev.weir.benchmarks.promises;

import dev.weir.benchmarks.limits.FlowClient;
import dev.weir.benchmarks.promises.Series.Judge;
import dev.weir.benchmarks.promises.Series.Measured;
import dev.weir.benchmarks.promises.Series.Promise;
import dev.weir.benchmarks.promises.Series.Setup;
import dev.weir.limits.Mode;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.simulator.provider.AdmissionRule;
import dev.weir.simulator.provider.Advertisement;
import dev.weir.simulator.provider.Attempt;
import dev.weir.simulator.provider.Client;
import dev.weir.simulator.provider.Oracle;
import dev.weir.simulator.provider.ProviderSettings;
import dev.weir.simulator.provider.ProviderSettings.Quota;
import dev.weir.simulator.provider.ProviderSettings.RetryAfter;
import dev.weir.simulator.provider.ProviderSettingsBuilder;
import dev.weir.simulator.provider.RandomProviders;
import dev.weir.simulator.provider.Request;
import dev.weir.simulator.provider.Scenario;
import dev.weir.simulator.provider.Session;
import dev.weir.simulator.provider.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.Function;

/** What mode {@code pace} promises, with the providers on which each promise is measured. */
final class Promises {

  private static final double SECOND = 1e9;
  private static final long FIRST_SEED = 700_001;
  private static final int SEEDS = 5;
  private static final Duration HOUR = Duration.ofHours(1);

  /** Long enough for any of the runs that are to finish. */
  private static final Duration LONG = Duration.ofSeconds(20_000);

  private Promises() {}

  static List<Series> all() {
    List<Series> all = new ArrayList<>();
    all.addAll(refusalBound());
    all.addAll(strays());
    all.addAll(falls());
    all.addAll(lowTiers());
    all.addAll(memory());
    all.addAll(ramp());
    all.add(others());
    return all;
  }

  private static Series series(List<Setup> setups, Promise... promises) {
    return new Series(List.of(promises), FIRST_SEED, SEEDS, setups);
  }

  private static List<Measured> one(double value, double allowed) {
    return List.of(new Measured(value, allowed));
  }

  // Item 3.

  static List<Series> refusalBound() {
    return List.of(refusedForAnHour(), adversaries(), randomLimits(), randomProviders());
  }

  static Series refusedForAnHour() {
    return series(
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
    return series(
        Adversary.all().stream().map(Promises::adversary).toList(),
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
        FIRST_SEED,
        40,
        List.of(adversary(Adversary.randomLimits())));
  }

  static Series randomProviders() {
    return new Series(
        List.of(
            new Promise("3", "refusals by random providers", "20 + 2 %"),
            besideProbes("random providers")),
        FIRST_SEED,
        60,
        List.of(
            new Setup(
                "random provider",
                seed -> {
                  Scenario scenario = RandomProviders.of(seed);
                  return Trial.of(scenario.settings(), scenario.workload(), LONG).run(seed);
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
    long from = nanos(fromSeconds);
    long until = from + HOUR.toNanos();
    AdmissionRule rule = (now, _) -> Adversary.refuseIf(now >= from && now < until, nanos(1));
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
            one(
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
          double minutes = traffic.attempts().getLast().arrivedAt() / SECOND / 60;
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

  // Item 4.

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
                Workload.of(20_000, seconds(latency))));
        limited.add(
            lost(
                name,
                stray ->
                    ProviderSettings.builder().requests(new Quota(20, 20)).strayRate(stray).build(),
                rate,
                Workload.of(3_600, seconds(latency))));
      }
    }
    return List.of(
        series(free, new Promise("4", "rate lost to strays without a limit, %", "10")),
        series(limited, new Promise("4", "rate lost to strays beside a limit of 20/s, %", "10")));
  }

  private static Setup lost(
      String name,
      Function<Double, ProviderSettings> settings,
      double strayRate,
      Workload workload) {
    return new Setup(
        name,
        seed -> Trial.of(settings.apply(strayRate), workload, LONG).run(seed),
        (traffic, seed) -> {
          double without = Trial.of(settings.apply(0.0), workload, LONG).run(seed).seconds();
          double with =
              traffic.run().unfinished() > 0 ? Double.POSITIVE_INFINITY : traffic.seconds();
          return one(100 * Math.max(0, 1 - without / with), 10);
        });
  }

  // Item 5.

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
                          halving.recovered(traffic))));
        }
      }
    }
    return series(
        setups,
        new Promise("5", "refusals beyond what was sent when a limit halves" + which, "5"),
        new Promise(
            "5",
            "rate in % of the halved limit, 2 s or 3 round trips after a refusal" + which,
            "105, one attempt free"),
        new Promise(
            "5", "seconds until 90 % of the old rate are back" + which, "10 s or 20 sends"));
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
          .change(seconds(from), 0.5)
          .change(seconds(until), 2);
      return new Halving(
          perSecond,
          new Fall(nanos(from), nanos(until), false),
          Trial.of(
              settings.build(),
              Workload.of((int) (2 * perSecond * end) + 100, seconds(latency)),
              seconds(end)));
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
      long from = refused + Math.round(Math.max(2 * SECOND, 3 * traffic.longestRoundTripNanos()));
      long until = Math.min(fall.until(), from + nanos(Math.max(5, 40 / perSecond)));
      if (until - from < SECOND) {
        return new Measured(0, 105);
      }
      double attempts = Math.max(0, traffic.countArrived(from, until, _ -> true) - 1);
      double allowed = perSecond / 2 * (until - from) / SECOND;
      return new Measured(100 * attempts / allowed, 105);
    }

    Measured recovered(Traffic traffic) {
      double window = Math.max(2, 20 / perSecond);
      double deadline = Math.max(10, (traffic.sent(20, fall.until()) - fall.until()) / SECOND);
      return new Measured(traffic.secondsUntilAdmitted(perSecond, fall.until(), window), deadline);
    }
  }

  // Item 6.

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
                  Workload.of(requests, seconds(latency)),
                  LONG);
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
                    (traffic, _) -> one(1_000.0 * traffic.refusals() / requests, 40)));
          }
          stated.add(
              new Setup(
                  name,
                  seed -> trial.run(statedPace, seed),
                  (traffic, _) -> one(traffic.refusals(), 0)));
        }
      }
    }
    return List.of(
        new Series(
            List.of(new Promise("6", "refusals per 1,000 at an unknown 50 RPM", "40")),
            FIRST_SEED,
            20,
            unknown),
        series(stated, new Promise("6", "refusals at a stated 50 RPM", "0")));
  }

  // Item 9.

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
                (traffic, _) -> one(traffic.refusals(), 2)));
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
                (traffic, _) -> one(traffic.sentAfterRefusal(new Fall(0, nanos(60), false)), 3)));
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
                    one(
                        traffic.secondsUntilCarried(10 * perSecond, 0, window),
                        2
                            * faster
                                .run(seed + 1_000)
                                .secondsUntilCarried(10 * perSecond, 0, window))));
      }
    }
    return List.of(
        series(same, new Promise("9", "refusals of a second run at the same hidden limit", "2")),
        series(
            fell,
            new Promise(
                "9",
                "refusals after the first episode where the limit is a tenth of what is"
                    + " remembered, in 60 s",
                "3")),
        series(
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
        Workload.of((int) Math.max(20, Math.round(perSecond * 120)), seconds(latency)),
        LONG);
  }

  // Item 10.

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
              LONG);
      setups.add(
          new Setup(
              String.format(
                  Locale.ROOT, "no limit, delay %d ms, latency %d ms", millis[0], millis[1]),
              trial::run,
              (traffic, _) -> one(traffic.seconds(), 2.5)));
    }
    return series(
        setups, new Promise("10", "seconds for 2,000 calls of 50 ms without a limit", "2.5"));
  }

  static Series capsThatRefuse() {
    return series(
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
    return series(
        caps(
            cap -> ProviderSettings.builder().queuesAbove(cap).build(),
            (cap, traffic) -> one((double) traffic.run().provider().peakInFlight() / cap, 3)),
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
        Trial trial = Trial.of(settings.apply(cap), Workload.of(requests, seconds(latency)), LONG);
        Judge all =
            (traffic, seed) -> {
              List<Measured> measured = new ArrayList<>(judge.measure(cap, traffic));
              double optimum =
                  Oracle.optimum(trial.settings(), trial.workload().requests(seed), seed)
                          .makespan()
                          .toNanos()
                      / SECOND;
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
                Workload.of(40_000, seconds(latency)),
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
    return series(
        setups,
        new Promise("10", "refusals by a growth limit after the first episode, 240 s", "3"),
        new Promise("10", "refusals by a growth limit, 240 s", "20 + 2 %"));
  }

  private static double beyondFirstEpisode(Traffic traffic) {
    return traffic.sentAfterRefusal(new Fall(0, Long.MAX_VALUE, false));
  }

  // Others.

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
    return series(
        setups,
        new Promise(
            "shared",
            "refused of what others send who use 30 % of an advertised limit, %",
            "2 more than without Weir, ours"),
        new Promise("shared", "unused of the 70 % that others leave, %", "10, ours"));
  }

  private static final double SHARED_SECONDS = 120;
  private static final double OTHERS_SHARE = 0.3;

  /** Dealt out in turn: the second process has the odd ones. */
  private static boolean isOthers(Attempt attempt) {
    return attempt.request() % 2 == 1;
  }

  private static double othersRefused(Traffic traffic) {
    List<Attempt> theirs = traffic.attempts().stream().filter(Promises::isOthers).toList();
    long refused = theirs.stream().filter(Attempt::isRefused).count();
    return 100.0 * refused / theirs.size();
  }

  private static Traffic share(
      Advertisement advertisement, Quota quota, boolean withWeir, long seed) {
    Trial trial =
        Trial.of(
            ProviderSettings.builder().requests(quota).advertise(advertisement).build(),
            Workload.of((int) (4 * quota.perSecond() * SHARED_SECONDS), Duration.ofSeconds(1)),
            seconds(SHARED_SECONDS));
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
              nanos(gap),
              () -> {
                Request request = session.requests().get(next++);
                session.send(request, _ -> session.done(request));
                sendNext();
              });
    }
  }

  private static Duration seconds(double seconds) {
    return Duration.ofNanos(nanos(seconds));
  }

  private static long nanos(double seconds) {
    return Math.round(seconds * SECOND);
  }
}
