package dev.weir.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.EngineLimits;
import dev.weir.limits.EngineLimits.Ceiling;
import dev.weir.limits.EngineLimits.Engine;
import dev.weir.limits.Mode;
import dev.weir.limits.RateCeiling;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.model.Model;
import dev.weir.model.Origin;
import dev.weir.model.Response;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class OutOfDateTest {

  private final Calls calls = new Calls();

  private static EngineLimits limits(String model, int concurrency) {
    return new EngineLimits(
        Map.of(
            "openai",
            new Engine(Map.of(model, new Ceiling(OptionalInt.of(concurrency), RateCeiling.NONE)))));
  }

  private static EngineLimits ofEngine(int concurrency) {
    return new EngineLimits(Map.of("openai", new Engine(Map.of(), OptionalInt.of(concurrency))));
  }

  private double isOutOfDate(String model, String reason) {
    return calls.value(
        "model_limits_out_of_date{model_engine=\"openai\",model_name=\"%s\",reason=\"%s\"}"
            .formatted(model, reason));
  }

  /** Six calls at once to an engine that refuses what is above so many. */
  private void run(int allowed) throws Exception {
    run(allowed, ResponseFacts.NONE);
  }

  private void run(int allowed, ResponseFacts facts) throws Exception {
    calls.time.run(
        () -> {
          var open = new AtomicInteger();
          Model model =
              calls.model(
                  "openai/gpt-4o",
                  calls.lane("openai/gpt-4o", new Mode.Static(6)),
                  name -> {
                    try {
                      int now = open.incrementAndGet();
                      calls.time.sleep(Duration.ofSeconds(2));
                      return now > allowed
                          ? new Response.RateLimited("429", facts, Origin.of(name))
                          : Calls.reply(name);
                    } finally {
                      open.decrementAndGet();
                    }
                  });
          List<Task<?>> started = new ArrayList<>();
          for (int i = 0; i < 6; i++) {
            started.add(calls.start(model));
          }
          for (Task<?> one : started) {
            one.join(Time.NEVER);
          }
          return null;
        });
  }

  @ParameterizedTest
  @CsvSource({"20, 3, true", "6, 3, false", "20, 6, false"})
  void refusalsWellBelowALimitContradictIt(int configured, int allowed, boolean expected)
      throws Exception {
    calls.telemetry.limitTo(limits("gpt-4o", configured));
    run(allowed);
    assertThat(isOutOfDate("gpt-4o", "refused_below_limit") == 1).isEqualTo(expected);
  }

  /** An engine that is full explains refusals of a model that is not. */
  @ParameterizedTest
  @CsvSource({"20, 3, true", "6, 3, false"})
  void theLimitOfTheEngineCountsToo(int configured, int allowed, boolean expected)
      throws Exception {
    calls.telemetry.limitTo(ofEngine(configured));
    run(allowed);
    assertThat(isOutOfDate("gpt-4o", "refused_below_limit") == 1).isEqualTo(expected);
    calls.telemetry.limitTo(
        new EngineLimits(
            Map.of(
                "openai",
                new Engine(
                    Map.of("gpt-4o", new Ceiling(OptionalInt.of(100), RateCeiling.NONE)),
                    OptionalInt.of(configured)))));
    run(allowed);
    assertThat(isOutOfDate("gpt-4o", "refused_below_limit") == 1).isEqualTo(expected);
  }

  /** Evaluations fill what they may have in flight: that does not explain a refusal for a rate. */
  @ParameterizedTest
  @CsvSource({
    "concurrency, 20, 100000, true",
    "requests,    20, 100000, true",
    "requests,     3, 100000, true",
    "concurrency,  3, 100000, false",
    "requests,    20,      5, false",
    "concurrency, 20,      5, true",
    "tokens,      20, 100000, false"
  })
  void aRefusalIsComparedWithTheLimitThatItNames(
      String kind, int concurrency, double requests, boolean expected) throws Exception {
    calls.telemetry.limitTo(
        new EngineLimits(
            Map.of(
                "openai",
                new Engine(
                    Map.of(
                        "gpt-4o",
                        new Ceiling(
                            OptionalInt.of(concurrency),
                            new RateCeiling(
                                OptionalDouble.of(requests), OptionalDouble.empty())))))));
    run(2, new ResponseFacts(List.of(), Optional.empty(), Optional.of(kind)));
    assertThat(isOutOfDate("gpt-4o", "refused_below_limit") == 1).isEqualTo(expected);
  }

  @Test
  void anotherLimitIsNotBlamedForEarlierRefusals() throws Exception {
    calls.telemetry.limitTo(limits("gpt-4o", 20));
    run(3);
    calls.telemetry.limitTo(limits("gpt-4o", 3));
    assertThat(isOutOfDate("gpt-4o", "refused_below_limit")).isNaN();
  }

  @Test
  void aModelWithoutALimitIsNoticed() throws Exception {
    run(6);
    assertThat(isOutOfDate("gpt-4o", "no_limit")).as("nothing limits it").isEqualTo(1);
    calls.telemetry.limitTo(ofEngine(20));
    assertThat(isOutOfDate("gpt-4o", "no_limit")).as("its engine is limited").isNaN();
    calls.telemetry.limitTo(limits("gpt-3.5", 20));
    assertThat(isOutOfDate("gpt-4o", "no_limit")).isEqualTo(1);
    assertThat(isOutOfDate("gpt-3.5", "no_limit")).isNaN();
    calls.telemetry.limitTo(limits("gpt-*", 20));
    assertThat(isOutOfDate("gpt-4o", "no_limit")).isNaN();
    assertThat(
            calls.value(
                "model_inferences_max_concurrent{model_engine=\"openai\",model_name=\"gpt-4o\"}"))
        .isEqualTo(20);
    assertThat(calls.lines()).noneMatch(line -> line.contains("gpt-*"));
  }

  @Test
  void theStateOfTheConfigurationIsPublished() {
    calls.telemetry.configured(false, Instant.ofEpochSecond(1_700_000_000));
    assertThat(calls.value("weir_config_reload_success")).isZero();
    assertThat(calls.value("weir_config_last_reload_success_timestamp_seconds"))
        .isEqualTo(1_700_000_000);
  }
}
