package dev.weir.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.EngineLimits;
import dev.weir.limits.EngineLimits.Ceiling;
import dev.weir.limits.EngineLimits.Engine;
import dev.weir.limits.Lane;
import dev.weir.limits.LimitKey;
import dev.weir.limits.Mode;
import dev.weir.limits.RateCeiling;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.retry.RetryBounds;
import dev.weir.model.Message;
import dev.weir.model.Model;
import dev.weir.model.Origin;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.Usage;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TelemetryTest {

  private static final String GPT = "{model_engine=\"openai\",model_name=\"gpt-4o\"}";
  private static final String ANSWERED =
      "{error=\"no\",error_type=\"none\",feature_category=\"unknown\",finish_reason=\"stop\","
          + "model_engine=\"openai\",model_name=\"gpt-4o\",streaming=\"no\",unit_primitive=\"unknown\"}";

  private static EngineLimits concurrency(String engine, String model, int limit) {
    return new EngineLimits(
        Map.of(
            engine,
            new Engine(Map.of(model, new Ceiling(OptionalInt.of(limit), RateCeiling.NONE)))));
  }

  @Test
  void anAnswerIsCountedUnderTheNamesOfGitLab() throws Exception {
    var calls = new Calls();
    Model model = calls.model("openai/gpt-4o", calls.after(Duration.ofSeconds(2)));
    calls.time.run(() -> calls.call(model));
    assertThat(calls.lines())
        .contains(
            "model_inferences_in_flight" + GPT + " 0.0",
            "model_inferences_total" + ANSWERED + " 1.0",
            "inference_input_tokens_total" + ANSWERED + " 30.0",
            "inference_output_tokens_total" + ANSWERED + " 10.0",
            "inference_total_tokens_total" + ANSWERED + " 40.0",
            "inference_request_duration_seconds_count" + ANSWERED + " 1",
            "inference_request_duration_seconds_sum" + ANSWERED + " 2.0",
            "model_inferences_in_flight_seconds_total" + GPT + " 2.0",
            "model_engine_inferences_in_flight_seconds_total{model_engine=\"openai\"} 2.0");
    // $2.50 and $10 for a million.
    assertThat(calls.value("inference_cost_usd_total" + GPT)).isEqualTo(0.000175);
  }

  @Test
  void limitsArePublishedFromTheStartAndRemovedWithTheirConfiguration() {
    var calls = new Calls();
    var ceiling =
        new Ceiling(
            OptionalInt.of(15),
            new RateCeiling(
                OptionalDouble.of(50),
                OptionalDouble.of(90_000),
                OptionalDouble.of(40_000),
                OptionalDouble.of(8_000)));
    calls.telemetry.limitTo(
        new EngineLimits(
            Map.of("anthropic", new Engine(Map.of("claude", ceiling), OptionalInt.of(20)))));
    String claude = "{model_engine=\"anthropic\",model_name=\"claude\"}";
    assertThat(calls.lines())
        .contains(
            "model_inferences_in_flight" + claude + " 0.0",
            "model_rate_used_per_minute_peak" + claude.replace("}", ",resource=\"requests\"} 0.0"),
            "model_inferences_max_concurrent" + claude + " 15.0",
            "model_max_input_tokens" + claude + " 40000.0",
            "model_max_output_tokens" + claude + " 8000.0",
            "model_max_total_tokens" + claude + " 90000.0",
            "model_engine_inferences_max_concurrent{model_engine=\"anthropic\"} 20.0",
            "model_concurrency_limit{model_engine=\"anthropic\",model_name=\"claude\","
                + "source=\"configured\"} 15.0",
            "model_rate_limit_per_minute{model_engine=\"anthropic\",model_name=\"claude\","
                + "resource=\"requests\",source=\"configured\"} 50.0");
    calls.telemetry.limitTo(EngineLimits.NONE);
    assertThat(calls.lines()).noneMatch(line -> line.contains("max_") || line.contains("_limit{"));
  }

  @Test
  void aRefusalForTooManyRequestsIsAnErrorOfItsOwn() throws Exception {
    var calls = new Calls();
    var attempts = new AtomicInteger();
    Model model =
        calls.model(
            "openai/gpt-4o",
            name ->
                attempts.incrementAndGet() < 3
                    ? new Response.RateLimited(
                        "429",
                        new ResponseFacts(List.of(), Optional.empty(), Optional.of("input-tokens")),
                        Origin.of(name))
                    : Calls.reply(name));
    calls.time.run(() -> calls.call(model));
    assertThat(calls.lines())
        .contains(
            "model_inferences_total"
                + ANSWERED
                    .replace("\"no\",error_type=\"none\"", "\"yes\",error_type=\"rate_limited\"")
                    .replace("\"stop\"", "\"unknown\"")
                + " 2.0",
            "model_inferences_total" + ANSWERED + " 1.0",
            "model_inference_refusals_total{model_engine=\"openai\",model_name=\"gpt-4o\","
                + "reason=\"input_tokens\"} 2.0");
  }

  @Test
  void aCancelledCallLeavesNothingInFlightAndIsNoError() throws Exception {
    var calls = new Calls();
    Model model = calls.model("openai/gpt-4o", calls.after(Duration.ofHours(1)));
    calls.time.run(
        () -> {
          Task<?> call = calls.start(model);
          calls.time.sleep(Duration.ofSeconds(3));
          assertThat(calls.value("model_inferences_in_flight" + GPT)).isEqualTo(1);
          call.cancel();
          call.join(Time.NEVER);
          calls.time.sleep(Duration.ofSeconds(60));
        });
    assertThat(calls.lines())
        .contains(
            "model_inferences_in_flight" + GPT + " 0.0",
            "model_engine_inferences_in_flight{model_engine=\"openai\"} 0.0",
            "model_inferences_in_flight_seconds_total" + GPT + " 3.0",
            "model_inferences_total" + ANSWERED.replace("\"stop\"", "\"cancelled\"") + " 1.0");
  }

  @Test
  void queueingIsNotInFlight() throws Exception {
    var calls = new Calls();
    Lane lane = calls.lane("openai/gpt-4o", new Mode.Static(2));
    Model model = calls.model("openai/gpt-4o", lane, calls.after(Duration.ofSeconds(10)));
    calls.time.run(
        () -> {
          List<Task<?>> started = new ArrayList<>();
          for (int i = 0; i < 5; i++) {
            started.add(calls.start(model));
          }
          calls.time.sleep(Duration.ofSeconds(1));
          assertThat(calls.lines())
              .contains(
                  "model_inferences_in_flight" + GPT + " 2.0",
                  "model_inferences_queue_depth" + GPT + " 3.0",
                  "model_inferences_adaptive_limit" + GPT + " 2.0");
          for (Task<?> call : started) {
            call.join(Time.NEVER);
          }
        });
    // Two waited for nothing, two for the first, one for the second.
    assertThat(calls.value("model_inference_queue_wait_seconds_sum" + GPT)).isEqualTo(40);
    assertThat(calls.value("model_inference_queue_wait_seconds_count" + GPT)).isEqualTo(5);
    assertThat(calls.value("model_inferences_in_flight_seconds_total" + GPT)).isEqualTo(50);
  }

  @Test
  void timeAtTheLimitIsCounted() throws Exception {
    var calls = new Calls();
    calls.telemetry.limitTo(concurrency("openai", "gpt-4o", 2));
    Model model = calls.model("openai/gpt-4o", calls.after(Duration.ofSeconds(10)));
    calls.time.run(
        () -> {
          Task<?> first = calls.start(model);
          calls.time.sleep(Duration.ofSeconds(4));
          Task<?> second = calls.start(model);
          first.join(Time.NEVER);
          second.join(Time.NEVER);
        });
    assertThat(calls.value("model_inferences_at_limit_seconds_total" + GPT)).isEqualTo(6);
    assertThat(
            calls.value("model_engine_inferences_at_limit_seconds_total{model_engine=\"openai\"}"))
        .isEqualTo(6);
  }

  @Test
  void thePeakIsThatOfTenMinutesHoweverOftenItIsRead() throws Exception {
    var scrapedOften = new Calls();
    var scrapedSeldom = new Calls();
    assertThat(peaks(scrapedOften, 1)).isEqualTo(peaks(scrapedSeldom, 60));
  }

  /** The peak at each full minute, when it is scraped every so many seconds. */
  private static List<Double> peaks(Calls calls, int seconds) throws Exception {
    Model model = calls.model("openai/gpt-4o", calls.after(Duration.ofSeconds(3)));
    List<Double> peaks = new ArrayList<>();
    calls.time.run(
        () -> {
          for (int second = 0; second < 900; second++) {
            if (second == 10) {
              for (int i = 0; i < 7; i++) {
                var _ = calls.start(model);
              }
            }
            if (second % seconds == 0) {
              double peak = calls.value("model_inferences_in_flight_peak" + GPT);
              if (second % 60 == 0) {
                peaks.add(peak);
              }
            }
            calls.time.sleep(Duration.ofSeconds(1));
          }
        });
    assertThat(peaks).startsWith(0.0, 7.0).endsWith(7.0, 0.0, 0.0, 0.0, 0.0);
    return peaks;
  }

  @Test
  void theFullestMinuteIsThatOfFiveMinutesHoweverOftenItIsRead() throws Exception {
    List<Double> often = fullestMinutes(new Calls(), 1);
    assertThat(often).isEqualTo(fullestMinutes(new Calls(), 60));
    // Of the nine calls of the first seconds, six are in the minute that ended at 65 s.
    assertThat(often).containsExactly(0.0, 9.0, 9.0, 9.0, 9.0, 9.0, 6.0, 4.0, 0.0, 0.0);
  }

  /** The requests of the fullest minute, at each full minute, if it is read so often. */
  private static List<Double> fullestMinutes(Calls calls, int seconds) throws Exception {
    Model model = calls.model("openai/gpt-4o", calls.after(Duration.ofMillis(10)));
    String series = "model_rate_used_per_minute_peak" + GPT.replace("}", ",resource=\"requests\"}");
    List<Double> fullest = new ArrayList<>();
    calls.time.run(
        () -> {
          for (int second = 0; second < 600; second++) {
            if (second % seconds == 0) {
              double value = calls.value(series);
              if (second % 60 == 0) {
                fullest.add(value);
              }
            }
            if ((second >= 2 && second < 11) || (second >= 92 && second < 96)) {
              var _ = calls.start(model);
            }
            calls.time.sleep(Duration.ofSeconds(1));
          }
        });
    return fullest;
  }

  @Test
  void tokensFromACacheDoNotCountAgainstALimit() throws Exception {
    var calls = new Calls();
    Model model =
        calls.model(
            "openai/gpt-4o",
            name ->
                new Response.Reply(
                    Message.assistant("yes"),
                    StopReason.STOP,
                    new Usage(30, 10, 20, 0, 0),
                    Origin.of(name)));
    calls.time.run(() -> calls.call(model));
    String peak = "model_rate_used_per_minute_peak" + GPT.replace("}", ",resource=\"%s\"}");
    assertThat(calls.value(peak.formatted("input_tokens"))).isEqualTo(10);
    assertThat(calls.value(peak.formatted("output_tokens"))).isEqualTo(10);
    assertThat(calls.value(peak.formatted("tokens"))).isEqualTo(20);
    assertThat(calls.value(peak.formatted("requests"))).isEqualTo(1);
  }

  @Test
  void tooManyNamesBecomeOther() throws Exception {
    var calls = new Calls(2);
    calls.telemetry.limitTo(concurrency("openai", "configured", 5));
    calls.time.run(
        () -> {
          for (String name : List.of("one", "two", "three", "four", "configured")) {
            // A gateway opens lanes under names that clients make up.
            calls.call(calls.model("openai/" + name, Calls::reply));
          }
        });
    assertThat(calls.lines().stream().filter(line -> line.startsWith("model_inferences_total")))
        .extracting(line -> line.replaceAll(".*model_name=\"(\\w+)\".* ", "$1 "))
        .containsExactlyInAnyOrder("one 1.0", "two 1.0", "other 2.0", "configured 1.0");
  }

  @Test
  void tooManyEnginesBecomeOther() throws Exception {
    var calls = new Calls(2);
    calls.telemetry.limitTo(concurrency("configured", "a", 5));
    calls.time.run(
        () -> {
          for (String name : List.of("one/a", "two/a", "three/a", "three/b", "configured/a")) {
            calls.call(calls.model(name, calls.after(Duration.ofSeconds(1))));
          }
        });
    String seconds = "model_engine_inferences_in_flight_seconds_total";
    assertThat(calls.lines().stream().filter(line -> line.startsWith(seconds)))
        .containsExactlyInAnyOrder(
            seconds + "{model_engine=\"configured\"} 1.0",
            seconds + "{model_engine=\"one\"} 1.0",
            seconds + "{model_engine=\"other\"} 3.0");
    assertThat(calls.lines().stream().filter(line -> line.startsWith("model_inferences_total")))
        .extracting(
            line -> line.replaceAll(".*model_engine=\"(\\w+)\",model_name=\"(\\w+)\".* ", "$1 $2 "))
        .containsExactlyInAnyOrder("configured a 1.0", "one a 1.0", "other other 3.0");
  }

  @Test
  void anEngineThatIsConfiguredMeanwhileLosesNoCall() throws Exception {
    var calls = new Calls(1);
    calls.time.run(
        () -> {
          calls.call(calls.model("known/a", Calls::reply));
          Task<?> call =
              calls.start(calls.model("openai/gpt-4o", calls.after(Duration.ofSeconds(5))));
          calls.time.sleep(Duration.ofSeconds(1));
          calls.telemetry.limitTo(concurrency("openai", "gpt-4o", 5));
          call.join(Time.NEVER);
        });
    assertThat(calls.lines())
        .contains(
            "model_engine_inferences_in_flight{model_engine=\"openai\"} 0.0",
            "model_engine_inferences_in_flight{model_engine=\"other\"} 0.0",
            "model_engine_inferences_in_flight_seconds_total{model_engine=\"other\"} 5.0");
  }

  @Test
  void lanesBeyondABoundAreNotWatched() throws Exception {
    var calls = new Calls();
    calls.time.run(
        () -> {
          for (int i = 0; i < Telemetry.MOST_LANES + 100; i++) {
            var _ = calls.lane("openai/made-up-" + i, new Mode.Static(1));
          }
          calls.call(calls.model("openai/made-up-" + (Telemetry.MOST_LANES + 1), Calls::reply));
        });
    // One for each lane, under `other` but for the first names.
    assertThat(
            calls.lines().stream()
                .filter(line -> line.startsWith("model_inferences_adaptive_limit"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum())
        .isEqualTo(Telemetry.MOST_LANES);
    assertThat(calls.lines().stream().filter(line -> line.startsWith("model_inferences_total")))
        .singleElement()
        .asString()
        .endsWith(" 1.0");
  }

  @Test
  void aCallEndsWhereItBeganAlsoWhenItsNameIsConfiguredMeanwhile() throws Exception {
    var calls = new Calls(1);
    calls.time.run(
        () -> {
          calls.call(calls.model("openai/known", Calls::reply));
          Task<?> call =
              calls.start(calls.model("openai/gpt-4o", calls.after(Duration.ofSeconds(5))));
          calls.time.sleep(Duration.ofSeconds(1));
          calls.telemetry.limitTo(concurrency("openai", "gpt-4o", 5));
          call.join(Time.NEVER);
        });
    assertThat(calls.lines())
        .contains(
            "model_inferences_in_flight" + GPT + " 0.0",
            "model_inferences_in_flight" + GPT.replace("gpt-4o", "other") + " 0.0");
  }

  @Test
  void batchesAreInferencesButNotInFlight() throws Exception {
    var calls = new Calls();
    Lane lane =
        calls.regulator.batchLane(
            LimitKey.of("openai", "", "gpt-4o (batch)"), new Mode.Static(1_000), RetryBounds.NONE);
    calls.telemetry.watch(lane);
    Model model = calls.model("openai/gpt-4o", lane, calls.after(Duration.ofHours(2)));
    calls.time.run(
        () -> {
          Task<?> call = calls.start(model);
          calls.time.sleep(Duration.ofHours(1));
          assertThat(calls.lines())
              .noneMatch(line -> line.startsWith("model_engine_inferences_in_flight"));
          call.join(Time.NEVER);
        });
    assertThat(calls.lines())
        .contains(
            "model_inferences_total" + ANSWERED + " 1.0",
            "model_inferences_in_flight_peak" + GPT + " 0.0")
        .noneMatch(line -> line.startsWith("inference_request_duration_seconds"));
    // Half of the usual price.
    assertThat(calls.value("inference_cost_usd_total" + GPT)).isEqualTo(0.0000875);
  }

  @Test
  void anUnknownPriceIsNotAPriceOfZero() throws Exception {
    var calls = new Calls();
    calls.time.run(() -> calls.call(calls.model("vllm/mine", Calls::reply)));
    String mine = "{model_engine=\"vllm\",model_name=\"mine\"}";
    assertThat(calls.lines())
        .contains("inference_unpriced_total" + mine + " 1.0")
        .noneMatch(line -> line.startsWith("inference_cost_usd_total" + mine));
  }

  @Test
  void aScraperThatAsksForOpenMetricsGetsThem() throws Exception {
    var calls = new Calls();
    calls.time.run(() -> calls.call(calls.model("openai/gpt-4o", Calls::reply)));
    Exposition usual = calls.telemetry.expose(Optional.empty());
    assertThat(usual.contentType()).startsWith("text/plain; version=0.0.4");
    assertThat(usual.text()).contains("# TYPE model_inferences_total counter");
    Exposition open =
        calls.telemetry.expose(
            Optional.of("application/openmetrics-text;version=1.0.0,text/plain;q=0.5"));
    assertThat(open.contentType()).startsWith("application/openmetrics-text");
    assertThat(open.text()).contains("# TYPE model_inferences counter").endsWith("# EOF\n");
  }
}
