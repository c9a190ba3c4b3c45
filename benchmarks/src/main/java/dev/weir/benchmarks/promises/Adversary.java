package dev.weir.benchmarks.promises;

import dev.weir.simulator.provider.AdmissionRule;
import dev.weir.simulator.provider.Advertisement;
import dev.weir.simulator.provider.ProviderSettings;
import dev.weir.simulator.provider.ProviderSettings.Quota;
import dev.weir.simulator.provider.ProviderSettings.RetryAfter;
import dev.weir.simulator.provider.ProviderSettingsBuilder;
import dev.weir.simulator.provider.QuotaHeader;
import dev.weir.simulator.provider.QuotaHeaders;
import dev.weir.simulator.provider.RefusalKind;
import dev.weir.simulator.provider.Request;
import dev.weir.simulator.provider.Workload;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.function.LongFunction;

/**
 * A provider that behaves worse than any real one.
 *
 * @param unavoidable whether it refuses at any pace: then one refusal a minute is allowed, too
 * @param instance the provider of a seed
 */
record Adversary(String name, boolean unavoidable, LongFunction<Instance> instance) {

  private static final long SECOND = 1_000_000_000L;

  /**
   * @param falls the moments from which it allows less than before
   */
  record Instance(Trial trial, List<Fall> falls) {}

  static final Duration HOUR = Duration.ofHours(1);

  static List<Adversary> all() {
    List<Adversary> all = new ArrayList<>();
    for (int k : new int[] {2, 3, 10}) {
      all.add(
          of(
              "admits one of " + k,
              true,
              300,
              HOUR,
              ProviderSettings.builder(),
              _ -> {
                int[] count = {0};
                return (now, _) -> refuseIf(++count[0] % k != 0, SECOND);
              }));
    }
    all.add(stretches("admits or refuses everything, by turns", silent()));
    all.add(stretches("the same, with headers that show room", showingRoom()));
    all.add(
        of(
            "refuses what comes after 2 s of silence",
            true,
            1_000,
            HOUR,
            silent(),
            _ -> {
              long[] last = {-10 * SECOND};
              return (now, _) -> {
                long silence = now - last[0];
                last[0] = now;
                return refuseIf(silence > 2 * SECOND, SECOND);
              };
            }));
    all.add(
        of(
            "5/s, headers show room",
            false,
            600,
            HOUR,
            showingRoom(),
            _ -> new Advertised(new Bucket(5, 5, 0), 1_000, 999)));
    all.add(
        of(
            "5/s, headers show room, OpenAI's text",
            false,
            600,
            HOUR,
            ProviderSettings.builder()
                .requests(new Quota(1_000, 1_000))
                .advertise(Advertisement.OPENAI),
            _ -> new Advertised(new Bucket(5, 5, 0), 1_000, 999)));
    all.add(
        of(
            "10/s, admitted: nothing remains, refused: all remains",
            false,
            1_200,
            HOUR,
            showingRoom(),
            _ -> {
              var bucket = new Bucket(10, 10, 0);
              return new AdmissionRule() {
                private boolean refused;

                @Override
                public OptionalLong refusal(long now, Request request) {
                  OptionalLong wait = bucket.refusal(now, request);
                  refused = wait.isPresent();
                  return wait;
                }

                @Override
                public QuotaHeaders advertised(QuotaHeaders actual) {
                  return headers(
                      actual.takenAt(), 100, refused ? 100 : 0, refused ? 0 : 60 * SECOND);
                }
              };
            }));
    all.add(
        of(
            "5/s, each refusal asks for twice the wait of the one before, up to 5 min",
            false,
            1_000,
            HOUR,
            silent().retryAfter(RetryAfter.EXACT),
            _ -> {
              var bucket = new Bucket(5, 5, 0);
              long[] wait = {SECOND / 2};
              return (now, request) -> {
                if (bucket.refusal(now, request).isEmpty()) {
                  return OptionalLong.empty();
                }
                wait[0] = Math.min(300 * SECOND, 2 * wait[0]);
                return OptionalLong.of(wait[0]);
              };
            }));
    all.add(
        of(
            "refuses when 5 s carry 1.2 times the 5 s before",
            false,
            1_500,
            HOUR,
            silent(),
            _ -> new NoAcceleration()));
    all.add(
        of(
            "5/s, bans for 30 s, 10 s more for each attempt meanwhile",
            false,
            1_000,
            HOUR,
            silent(),
            _ -> {
              var bucket = new Bucket(5, 5, 0);
              long[] bannedUntil = {0};
              return (now, request) -> {
                if (now < bannedUntil[0]) {
                  bannedUntil[0] += 10 * SECOND;
                } else if (bucket.refusal(now, request).isPresent()) {
                  bannedUntil[0] = now + 30 * SECOND;
                } else {
                  return OptionalLong.empty();
                }
                return OptionalLong.of(bannedUntil[0] - now);
              };
            }));
    all.add(
        plain(
            "one a minute", 60, Duration.ofMinutes(90), silent().requests(new Quota(1 / 60.0, 1))));
    all.add(
        plain(
            "one a minute, asks for the wait",
            60,
            Duration.ofMinutes(90),
            silent().requests(new Quota(1 / 60.0, 1)).retryAfter(RetryAfter.WHOLE_SECONDS)));
    all.add(
        plain(
            "one a calendar minute",
            60,
            Duration.ofMinutes(90),
            silent()
                .requests(new Quota(1 / 60.0, 1))
                .calendar(Duration.ofMinutes(1), Duration.ofSeconds(20))));
    all.add(plain("one at a time", 300, HOUR, silent().refusesAbove(1)));
    for (int seconds : new int[] {2, 10, 60}) {
      all.add(wave(seconds, 20, 0.1, "", silent()));
    }
    all.add(wave(45, 50, 0.1, ", OpenAI's headers", openAi()));
    all.add(
        wave(
            45,
            50,
            0.1,
            ", Anthropic's headers",
            ProviderSettings.builder().advertise(Advertisement.ANTHROPIC)));
    all.add(
        wave(
            20,
            20,
            0.02,
            ", headers that show room",
            ProviderSettings.builder().advertise(Advertisement.LYING)));
    return all;
  }

  /** A limit that changes at random, with headers at random. */
  static Adversary randomLimits() {
    return new Adversary("limits that change at random", false, Adversary::randomLimit);
  }

  private static Instance randomLimit(long seed) {
    var random = new SplittableRandom(seed * 0x9e3779b97f4a7c15L);
    List<Advertisement> known = List.of(Advertisement.values());
    double rate = magnitude(random, 1, 60);
    double burst = Math.rint(magnitude(random, 1, 60));
    ProviderSettingsBuilder settings =
        ProviderSettings.builder()
            .requests(new Quota(rate, burst))
            .advertise(known.get(random.nextInt(known.size())))
            .oneWayDelay(Duration.ofMillis(Math.round(magnitude(random, 5, 150))));
    List<Fall> falls = new ArrayList<>();
    double now = magnitude(random, 10, 100);
    double factor = 1;
    while (now < 600) {
      double next = magnitude(random, 0.02, 1.5);
      double until = now + magnitude(random, 3, 120);
      settings.change(Seconds.duration(now), next / factor);
      if (next < 0.95 * factor) {
        falls.add(new Fall(Seconds.nanos(now), Seconds.nanos(until), false));
      }
      factor = next;
      now = until;
    }
    Duration latency = Seconds.duration(magnitude(random, 0.2, 10));
    return new Instance(
        Trial.of(settings.build(), Workload.of(20_000, latency), Duration.ofMinutes(10)), falls);
  }

  /** A quota that falls and rises, each for as long. */
  private static Adversary wave(
      int seconds,
      double perSecond,
      double factor,
      String headers,
      ProviderSettingsBuilder settings) {
    settings.requests(new Quota(perSecond, Math.max(1, perSecond / 2)));
    List<Fall> falls = new ArrayList<>();
    int times = 300 / seconds;
    for (int i = 1; i < times; i++) {
      boolean falling = i % 2 == 1;
      settings.change(Duration.ofSeconds((long) i * seconds), falling ? factor : 1 / factor);
      if (falling) {
        falls.add(new Fall((long) i * seconds * SECOND, (i + 1L) * seconds * SECOND, false));
      }
    }
    ProviderSettings built = settings.build();
    return new Adversary(
        String.format(
            Locale.ROOT,
            "%.0f/s falls to %.1f/s for %d of %d s%s",
            perSecond,
            factor * perSecond,
            seconds,
            2 * seconds,
            headers),
        false,
        _ ->
            new Instance(
                Trial.of(
                    built,
                    Workload.of(20_000, Duration.ofSeconds(1)),
                    Duration.ofSeconds((long) seconds * times)),
                falls));
  }

  private static Adversary stretches(String name, ProviderSettingsBuilder settings) {
    ProviderSettings built = settings.build();
    return new Adversary(
        name,
        false,
        seed -> {
          var random = new SplittableRandom(seed);
          List<Fall> falls = new ArrayList<>();
          double now = 0;
          while (now < HOUR.toSeconds()) {
            double from = now + magnitude(random, 2, 120);
            now = from + magnitude(random, 2, 120);
            falls.add(new Fall(Seconds.nanos(from), Seconds.nanos(now), true));
          }
          AdmissionRule turns =
              (time, _) ->
                  refuseIf(
                      falls.stream().anyMatch(fall -> time >= fall.at() && time < fall.until()),
                      SECOND);
          // Requests come throughout, so that there is always something to send.
          var workload =
              Workload.of(7_200, Duration.ofSeconds(1))
                  .inWaves(new Workload.Wave(0, Duration.ZERO, 2));
          return new Instance(
              new Trial(built, new Advertised(turns, 1_000, 999), workload, HOUR), falls);
        });
  }

  private static Adversary plain(
      String name, int requests, Duration end, ProviderSettingsBuilder settings) {
    return of(name, false, requests, end, settings, _ -> AdmissionRule.NONE);
  }

  private static Adversary of(
      String name,
      boolean unavoidable,
      int requests,
      Duration end,
      ProviderSettingsBuilder settings,
      LongFunction<AdmissionRule> rule) {
    ProviderSettings built = settings.build();
    return new Adversary(
        name,
        unavoidable,
        seed ->
            new Instance(
                new Trial(
                    built, rule.apply(seed), Workload.of(requests, Duration.ofSeconds(1)), end),
                List.of()));
  }

  static ProviderSettingsBuilder silent() {
    return ProviderSettings.builder();
  }

  static ProviderSettingsBuilder openAi() {
    return ProviderSettings.builder().advertise(Advertisement.OPENAI);
  }

  /** Headers with whatever numbers a rule gives. */
  static ProviderSettingsBuilder showingRoom() {
    return ProviderSettings.builder().quotaHeaders().retryAfter(RetryAfter.WHOLE_SECONDS);
  }

  static OptionalLong refuseIf(boolean refused, long waitNanos) {
    return refused ? OptionalLong.of(waitNanos) : OptionalLong.empty();
  }

  private static QuotaHeaders headers(long takenAt, long limit, long remaining, long resetNanos) {
    return new QuotaHeaders(
        takenAt,
        Map.of(
            RefusalKind.REQUESTS, new QuotaHeader(limit, remaining, Duration.ofNanos(resetNanos))));
  }

  private static double magnitude(SplittableRandom random, double least, double most) {
    return least * Math.pow(most / least, random.nextDouble());
  }

  /** A rule whose headers always say the same. */
  record Advertised(AdmissionRule rule, long limit, long remaining) implements AdmissionRule {

    @Override
    public OptionalLong refusal(long now, Request request) {
      return rule.refusal(now, request);
    }

    @Override
    public QuotaHeaders advertised(QuotaHeaders actual) {
      return headers(actual.takenAt(), limit, remaining, SECOND / 1_000);
    }
  }

  /** A bucket of requests that nothing advertises. */
  private static final class Bucket implements AdmissionRule {
    private final double perSecond;
    private final double burst;
    private double level;
    private long levelAt;

    Bucket(double perSecond, double burst, long now) {
      this.perSecond = perSecond;
      this.burst = burst;
      this.level = burst;
      this.levelAt = now;
    }

    @Override
    public OptionalLong refusal(long now, Request request) {
      level = Math.min(burst, level + perSecond * (now - levelAt) / SECOND);
      levelAt = now;
      if (level < 1) {
        return OptionalLong.of(Math.round((1 - level) / perSecond * SECOND));
      }
      level--;
      return OptionalLong.empty();
    }
  }

  /** Admits 5 in 5 s, or 1.2 times what came in the 5 s before; whether refused or not. */
  private static final class NoAcceleration implements AdmissionRule {
    private static final long SPAN = 5 * SECOND;
    private final Deque<Long> arrivals = new ArrayDeque<>();

    @Override
    public OptionalLong refusal(long now, Request request) {
      arrivals.addLast(now);
      while (arrivals.getFirst() <= now - 2 * SPAN) {
        arrivals.removeFirst();
      }
      long recent = arrivals.stream().filter(at -> at > now - SPAN).count();
      long before = arrivals.size() - recent;
      return refuseIf(recent > Math.max(5, 1.2 * before + 1), SECOND);
    }
  }
}
