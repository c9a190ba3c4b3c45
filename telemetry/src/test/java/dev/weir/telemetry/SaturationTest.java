package dev.weir.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.limits.Demand;
import dev.weir.limits.EngineLimits;
import dev.weir.limits.EngineLimits.Ceiling;
import dev.weir.limits.EngineLimits.Engine;
import dev.weir.limits.Lane;
import dev.weir.limits.Mode;
import dev.weir.limits.RateCeiling;
import dev.weir.limits.control.AimdSettings;
import dev.weir.limits.header.Dimension;
import dev.weir.limits.header.QuotaSnapshot;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.pace.Cost;
import dev.weir.model.CallEvent;
import dev.weir.model.Model;
import dev.weir.model.Origin;
import dev.weir.model.Response;
import dev.weir.telemetry.Saturation.Level;
import dev.weir.telemetry.Saturation.Point;
import dev.weir.telemetry.Saturation.Trend;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class SaturationTest {

  private static EngineLimits limits(Ceiling ceiling) {
    return new EngineLimits(Map.of("openai", new Engine(Map.of("gpt-4o", ceiling))));
  }

  private static Ceiling concurrency(int limit) {
    return new Ceiling(OptionalInt.of(limit), RateCeiling.NONE);
  }

  private static Point point(Calls calls, Resource resource) {
    return calls.telemetry.saturation().points().stream()
        .filter(point -> point.model().isPresent() && point.resource() == resource)
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @CsvSource({
    "CONCURRENCY,  0,   0, OK",
    "CONCURRENCY,  4,   0, OK",
    "CONCURRENCY, 59,  55, OK",
    "CONCURRENCY, 60,  60, SOFT",
    "CONCURRENCY, 79,  75, SOFT",
    "CONCURRENCY, 80,  80, HARD",
    "CONCURRENCY, 99,  95, HARD",
    "CONCURRENCY, 120, 100, HARD",
    "REQUESTS,    84,  80, OK",
    "REQUESTS,    85,  85, SOFT",
    "REQUESTS,    90,  90, HARD"
  })
  void aLevelSaysNoMoreThanThePercent(Resource resource, double use, int percent, Level level) {
    var point =
        new Point(
            "openai",
            Optional.empty(),
            resource,
            LimitSource.CONFIGURED,
            100,
            use,
            use,
            new Trend(0, Optional.empty()));
    assertThat(point.percent()).isEqualTo(percent);
    assertThat(point.peakPercent()).isEqualTo(percent);
    assertThat(point.level()).isEqualTo(level);
  }

  @Test
  void pointsHaveNoLimitAndNoCountInTheirWords() throws Exception {
    var calls = new Calls();
    calls.telemetry.limitTo(
        limits(
            new Ceiling(
                OptionalInt.of(37),
                new RateCeiling(OptionalDouble.of(613), OptionalDouble.empty()))));
    Model model = calls.model("openai/gpt-4o", calls.after(Duration.ofSeconds(20)));
    calls.time.run(
        () -> {
          for (int i = 0; i < 31; i++) {
            var _ = calls.start(model);
          }
          calls.time.sleep(Duration.ofSeconds(12));
          assertThat(calls.telemetry.saturation().points())
              .hasToString(
                  "[Point[openai concurrency 80 % (configured)], Point[openai/gpt-4o concurrency"
                      + " 80 % (configured)], Point[openai/gpt-4o requests 5 % (configured)]]");
          assertThat(calls.telemetry.saturation().points().toString()).doesNotContain("37", "613");
        });
  }

  /** A second computation, from the events alone. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void useAndPeakAreThoseOfTheTrace(long seed) throws Exception {
    var random = new SplittableRandom(seed);
    var calls = new Calls();
    calls.telemetry.limitTo(limits(concurrency(10)));
    Model model =
        calls.model(
            "openai/gpt-4o",
            name -> {
              calls.time.sleep(Duration.ofMillis(random.nextInt(40_000)));
              return Calls.reply(name);
            });
    calls.time.run(
        () -> {
          List<Task<?>> started = new ArrayList<>();
          for (int i = 0; i < 600; i++) {
            started.add(calls.start(model));
            calls.time.sleep(Duration.ofMillis(random.nextInt(8_000)));
            if (random.nextInt(5) == 0) {
              started.get(random.nextInt(started.size())).cancel();
            }
            if (random.nextInt(10) == 0) {
              assertSameAsTrace(calls);
            }
          }
          for (Task<?> call : started) {
            call.join(Time.NEVER);
          }
          assertSameAsTrace(calls);
        });
  }

  private static void assertSameAsTrace(Calls calls) {
    long now = calls.time.nanos();
    List<CallEvent> edges =
        calls.events.stream()
            .filter(event -> !(event instanceof CallEvent.Queued))
            .filter(event -> !(event instanceof CallEvent.Ended))
            .sorted(Comparator.comparingLong(CallEvent::nanos))
            .toList();
    long slot = Duration.ofSeconds(5).toNanos();
    long running = now / slot * slot;
    long firstOfPeak = Math.max(0, running - 120 * slot);
    int level = 0;
    int peak = 0;
    long at = 0;
    double area = 0;
    double areaOfSlot = 0;
    for (CallEvent edge : edges) {
      area += level * (double) (edge.nanos() - at);
      areaOfSlot += level * (double) overlap(at, edge.nanos(), running - slot, running);
      if (edge.nanos() > firstOfPeak) {
        peak = Math.max(peak, level);
      }
      level += edge instanceof CallEvent.Sent ? 1 : -1;
      if (edge.nanos() >= firstOfPeak) {
        peak = Math.max(peak, level);
      }
      at = edge.nanos();
    }
    area += level * (double) (now - at);
    areaOfSlot += level * (double) overlap(at, now, running - slot, running);
    peak = Math.max(peak, level);
    String labels = "{model_engine=\"openai\",model_name=\"gpt-4o\"}";
    assertThat(calls.value("model_inferences_in_flight" + labels)).isEqualTo(level);
    assertThat(calls.value("model_inferences_in_flight_peak" + labels)).isEqualTo(peak);
    assertThat(calls.value("model_inferences_in_flight_seconds_total" + labels))
        .isCloseTo(area / 1e9, within(1e-6));
    Point point = point(calls, Resource.CONCURRENCY);
    assertThat(point.peakShare()).isEqualTo(Math.min(1, peak / 10.0));
    if (running > 0) {
      assertThat(point.use()).isCloseTo(areaOfSlot / slot, within(1e-6));
    }
  }

  private static long overlap(long from, long to, long begin, long end) {
    return Math.max(0, Math.min(to, end) - Math.max(from, begin));
  }

  @Test
  void tokensOfTheLastMinuteCountAgainstTheirLimit() throws Exception {
    var calls = new Calls();
    calls.telemetry.limitTo(
        limits(
            new Ceiling(
                OptionalInt.empty(),
                new RateCeiling(
                    OptionalDouble.empty(),
                    OptionalDouble.of(1_000),
                    OptionalDouble.of(600),
                    OptionalDouble.of(100)))));
    Model model = calls.model("openai/gpt-4o", Calls::reply);
    calls.time.run(
        () -> {
          for (int i = 0; i < 9; i++) {
            calls.call(model);
          }
          assertThat(point(calls, Resource.TOKENS).share()).isEqualTo(0.36);
          assertThat(point(calls, Resource.INPUT_TOKENS).share()).isEqualTo(0.45);
          assertThat(point(calls, Resource.OUTPUT_TOKENS).level()).isEqualTo(Level.HARD);
          calls.time.sleep(Duration.ofSeconds(61));
          assertThat(point(calls, Resource.TOKENS).share()).isZero();
          assertThat(point(calls, Resource.TOKENS).peakShare()).isEqualTo(0.36);
          calls.time.sleep(Duration.ofMinutes(11));
          assertThat(point(calls, Resource.TOKENS).peakShare()).isZero();
        });
  }

  @Test
  void withoutConfigurationWhatRefusalsTaughtCounts() throws Exception {
    var calls = new Calls();
    Lane lane = calls.lane("openai/gpt-4o", new Mode.Aimd(AimdSettings.defaults()));
    var working = new AtomicInteger();
    Model model =
        calls.model(
            "openai/gpt-4o",
            lane,
            name -> {
              boolean isTooMany = working.incrementAndGet() > 12;
              calls.time.sleep(Duration.ofSeconds(1));
              working.decrementAndGet();
              return isTooMany
                  ? new Response.RateLimited("429", ResponseFacts.NONE, Origin.of(name))
                  : Calls.reply(name);
            });
    assertThat(calls.telemetry.saturation().points()).isEmpty();
    calls.time.run(
        () -> {
          List<Task<?>> started = new ArrayList<>();
          for (int i = 0; i < 60; i++) {
            started.add(calls.start(model));
          }
          for (Task<?> call : started) {
            call.join(Time.NEVER);
          }
        });
    Point point = point(calls, Resource.CONCURRENCY);
    assertThat(point.source()).isEqualTo(LimitSource.LEARNED);
    assertThat(point.limit()).isEqualTo(lane.status().window());
    assertThat(calls.lines())
        .contains(
            "model_concurrency_limit{model_engine=\"openai\",model_name=\"gpt-4o\","
                + "source=\"learned\"} "
                + (double) lane.status().window())
        .noneMatch(line -> line.startsWith("model_inferences_max_concurrent"))
        .anyMatch(
            line ->
                line.startsWith("model_inferences_limit_changes_total{direction=\"down\"")
                    && line.contains("rate_limit"));
    calls.telemetry.limitTo(limits(concurrency(40)));
    assertThat(point(calls, Resource.CONCURRENCY).source()).isEqualTo(LimitSource.CONFIGURED);
  }

  @Test
  void advertisedRatesCountWhereNoneIsConfigured() throws Exception {
    var calls = new Calls();
    Lane lane = calls.lane("openai/gpt-4o", new Mode.Static(10));
    var quota =
        new QuotaSnapshot(
            Dimension.REQUESTS,
            "requests",
            OptionalDouble.of(120),
            OptionalDouble.of(100),
            Optional.empty(),
            Optional.of(Duration.ofMinutes(1)),
            1,
            "test");
    calls.time.run(
        () -> {
          var permit = lane.acquire(Demand.of("test", Cost.ONE_REQUEST));
          permit.observe(new ResponseFacts(List.of(quota), Optional.empty(), Optional.empty()));
          permit.close();
          for (int i = 0; i < 30; i++) {
            calls.call(calls.model("openai/gpt-4o", lane, Calls::reply));
          }
        });
    Point point = point(calls, Resource.REQUESTS);
    assertThat(point.source()).isEqualTo(LimitSource.ADVERTISED);
    assertThat(point.share()).isEqualTo(0.25);
    assertThat(calls.lines())
        .contains(
            "model_rate_limit_per_minute{model_engine=\"openai\",model_name=\"gpt-4o\","
                + "resource=\"requests\",source=\"advertised\"} 120.0");
  }

  @Test
  void aRisingUseHasATimeUntilFull() {
    var rising = new double[120];
    // From 20 to 40 of 100 in ten minutes.
    Arrays.setAll(rising, i -> 20 + 20 * i / 119.0);
    Trend trend = Shares.trend(rising, 100, 40);
    assertThat(trend.perMinute()).isCloseTo(0.0202, within(1e-4));
    assertThat(trend.untilFull().orElseThrow().toMinutes()).isEqualTo(29);
    Arrays.setAll(rising, i -> 40.0);
    assertThat(Shares.trend(rising, 100, 40).untilFull()).isEmpty();
    assertThat(Shares.trend(new double[5], 100, 40).untilFull()).isEmpty();
  }

  @Test
  void anHourOfHistoryIsKept() throws Exception {
    var calls = new Calls();
    calls.telemetry.limitTo(limits(concurrency(4)));
    Model model = calls.model("openai/gpt-4o", calls.after(Duration.ofSeconds(30)));
    calls.time.run(
        () -> {
          calls.time.sleep(Duration.ofMinutes(200));
          calls.call(model);
          calls.time.sleep(Duration.ofSeconds(30));
        });
    List<Double> shares =
        calls
            .telemetry
            .history("openai", Optional.of("gpt-4o"), Resource.CONCURRENCY)
            .orElseThrow()
            .shares();
    assertThat(shares).hasSize(720);
    assertThat(shares.subList(0, 700)).containsOnly(0.0);
    assertThat(shares.subList(700, 720).stream().filter(share -> share == 0.25)).hasSize(7);
    assertThat(calls.telemetry.history("openai", Optional.empty(), Resource.CONCURRENCY))
        .isPresent();
    assertThat(calls.telemetry.history("openai", Optional.of("gpt-4o"), Resource.TOKENS)).isEmpty();
    assertThat(calls.telemetry.history("nobody", Optional.empty(), Resource.CONCURRENCY)).isEmpty();
  }
}
