package dev.weir.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.EngineLimits;
import dev.weir.limits.EngineLimits.Ceiling;
import dev.weir.limits.EngineLimits.Engine;
import dev.weir.limits.Mode;
import dev.weir.limits.RateCeiling;
import dev.weir.model.Message;
import dev.weir.model.Model;
import dev.weir.model.Origin;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.Usage;
import dev.weir.model.price.PriceTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Saturation does not depend on how often it is read: the same calls, in two telemetries, of which
 * one is scraped each second and the other each minute.
 */
class ScrapeTest {

  private static final int SECONDS = 1_500;
  private static final int LIMIT = 8;
  private static final List<String> NAMES = List.of("openai/one", "openai/two");

  /** What both scrapers saw at each full minute, and the highest gauge that each of them saw. */
  private record Seen(
      List<String> oftenAtMinutes,
      List<String> seldomAtMinutes,
      double oftenHighest,
      double seldomHighest,
      double peak) {}

  private static EngineLimits limits() {
    var rates =
        new RateCeiling(
            OptionalDouble.of(200),
            OptionalDouble.of(9_000),
            OptionalDouble.of(8_000),
            OptionalDouble.of(2_500));
    return new EngineLimits(
        Map.of(
            "openai",
            new Engine(
                Map.of(
                    "one", new Ceiling(OptionalInt.of(LIMIT), rates),
                    "two", new Ceiling(OptionalInt.of(5), rates)))),
        false);
  }

  private static Seen seen(long seed) throws Exception {
    var random = new SplittableRandom(seed);
    var calls = new Calls();
    // The one of `calls` is scraped each second.
    var seldom = new Telemetry(calls.time, PriceTable.builtIn()::priceOf);
    calls.telemetry.limitTo(limits());
    seldom.limitTo(limits());
    List<Model> models = new ArrayList<>();
    for (String name : NAMES) {
      Model model =
          calls.model(name, calls.lane(name, new Mode.Static(100)), engine(calls, random));
      seldom.watch(model.lane());
      models.add(model.with(calls.telemetry.and(seldom)));
    }
    List<String> oftenAtMinutes = new ArrayList<>();
    List<String> seldomAtMinutes = new ArrayList<>();
    var highest = new double[3];
    calls.time.run(
        () -> {
          for (int second = 0; second <= SECONDS; second++) {
            Snapshot often = Snapshot.of(calls.telemetry);
            highest[0] = Math.max(highest[0], often.inFlight());
            highest[2] = Math.max(highest[2], often.peak());
            if (second % 60 == 0) {
              Snapshot each = Snapshot.of(seldom);
              highest[1] = Math.max(highest[1], each.inFlight());
              oftenAtMinutes.add(often.text());
              seldomAtMinutes.add(each.text());
            }
            // Waves, with bursts that end before the next scrape.
            double wave = 1 + Math.sin(second / 90.0);
            for (int i = random.nextInt(1 + (int) (2 * wave)); i > 0; i--) {
              var _ = calls.start(models.get(random.nextInt(models.size())));
            }
            if (second % 97 == 31) {
              for (int i = 0; i < 2 * LIMIT; i++) {
                var _ = calls.start(models.getFirst());
              }
            }
            calls.time.sleep(Duration.ofSeconds(1));
          }
        });
    return new Seen(oftenAtMinutes, seldomAtMinutes, highest[0], highest[1], highest[2]);
  }

  /** What a scraper and a reader of the page get at a moment. */
  private record Snapshot(String text, double inFlight, double peak) {

    static Snapshot of(Telemetry telemetry) {
      String metrics = telemetry.expose(Optional.empty()).text();
      Saturation saturation = telemetry.saturation();
      var text = new StringBuilder(metrics);
      saturation
          .points()
          .forEach(
              point ->
                  text.append(point)
                      .append(' ')
                      .append(point.use())
                      .append(' ')
                      .append(point.peak())
                      .append(' ')
                      .append(point.trend())
                      .append('\n'));
      return new Snapshot(
          text.toString(),
          value(metrics, "model_inferences_in_flight"),
          value(metrics, "model_inferences_in_flight_peak"));
    }

    private static double value(String metrics, String name) {
      String series = name + "{model_engine=\"openai\",model_name=\"one\"} ";
      return metrics
          .lines()
          .filter(line -> line.startsWith(series))
          .mapToDouble(line -> Double.parseDouble(line.substring(series.length())))
          .findFirst()
          .orElseThrow();
    }
  }

  private static Calls.Engine engine(Calls calls, SplittableRandom random) {
    return name -> {
      calls.time.sleep(Duration.ofMillis(100 + random.nextInt(900)));
      return random.nextInt(10) == 0
          ? new Response.Transient("500", Origin.of(name))
          : new Response.Reply(
              Message.assistant("yes"),
              StopReason.STOP,
              new Usage(random.nextInt(100), random.nextInt(30)),
              Origin.of(name));
    };
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void aScrapeEachSecondSeesWhatAScrapeEachMinuteSees(long seed) throws Exception {
    Seen seen = seen(seed);
    assertThat(seen.oftenAtMinutes()).hasSize(1 + SECONDS / 60);
    // All of it: peaks, in-flight and at-limit seconds, counters, and shares of rates per minute.
    assertThat(seen.seldomAtMinutes()).isEqualTo(seen.oftenAtMinutes());
  }

  /** Else the test above would prove less than it says. */
  @Test
  void theGaugeAloneWouldDependOnTheScrape() throws Exception {
    Seen seen = seen(1);
    assertThat(seen.peak()).isGreaterThanOrEqualTo(2.0 * LIMIT);
    assertThat(seen.seldomHighest()).isLessThan(0.6 * seen.peak());
    assertThat(seen.oftenHighest()).isGreaterThan(seen.seldomHighest());
    assertThat(seen.oftenAtMinutes().getLast())
        .contains("model_inferences_at_limit_seconds_total", "Point[openai/one output_tokens ");
  }
}
