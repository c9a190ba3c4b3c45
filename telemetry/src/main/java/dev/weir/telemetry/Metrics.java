package dev.weir.telemetry;

import dev.weir.limits.Call;
import dev.weir.limits.Lane;
import dev.weir.limits.RateCeiling;
import dev.weir.model.Usage;
import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of docs/metrics.md. What GitLab's AI gateway has as well has its name and labels, so
 * that its rules and dashboards work. Thread-safe.
 */
final class Metrics {

  private static final String ENGINE = "model_engine";
  private static final String MODEL = "model_name";

  /** Labels of GitLab's that Weir knows nothing of, which its rules aggregate by. */
  private static final String[] UNKNOWN_LABELS = {"feature_category", "unit_primitive"};

  private static final String[] ATTEMPT = {
    ENGINE,
    MODEL,
    "error",
    "error_type",
    "streaming",
    "finish_reason",
    UNKNOWN_LABELS[0],
    UNKNOWN_LABELS[1]
  };

  /** GitLab's, and more for models that reason. */
  private static final double[] SECONDS = {0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_200};

  private static final double[] WAIT_SECONDS = {
    0.01, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600, 1_800, 3_600
  };

  private final Map<ModelLabels, Map<AttemptLabels, Series>> series = new ConcurrentHashMap<>();
  private final Map<ModelLabels, DistributionDataPoint> waits = new ConcurrentHashMap<>();
  private final Map<ModelLabels, CounterDataPoint> costs = new ConcurrentHashMap<>();
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final ExpositionFormats formats = ExpositionFormats.init();

  private final Counter inferences =
      counter("model_inferences", "Attempts that have ended.", ATTEMPT);
  private final Counter inputTokens =
      counter("inference_input_tokens", "Input tokens of answers.", ATTEMPT);
  private final Counter outputTokens =
      counter("inference_output_tokens", "Output tokens of answers.", ATTEMPT);
  private final Counter totalTokens =
      counter("inference_total_tokens", "Input and output tokens of answers.", ATTEMPT);
  private final Histogram duration =
      histogram(
          "inference_request_duration_seconds",
          "How long attempts took, from the first byte sent to the last one received.",
          SECONDS,
          ATTEMPT);
  private final Histogram queueWait =
      histogram(
          "model_inference_queue_wait_seconds",
          "How long calls waited for their turn, without backoff after failed attempts.",
          WAIT_SECONDS,
          ENGINE,
          MODEL);
  private final Counter refusals =
      counter(
          "model_inference_refusals",
          "Attempts that the engine refused, by what for.",
          ENGINE,
          MODEL,
          "reason");
  private final Counter limitChanges =
      counter(
          "model_inferences_limit_changes",
          "Moves of the adaptive limit.",
          ENGINE,
          MODEL,
          "direction",
          "reason");
  private final Counter cost =
      counter("inference_cost_usd", "What answers cost, where prices are known.", ENGINE, MODEL);
  private final Counter unpriced =
      counter("inference_unpriced", "Answers whose cost is not known.", ENGINE, MODEL);

  private final Gauge configRead =
      Gauge.builder()
          .name("weir_config_reload_success")
          .help("Whether the configuration could be read when it was last looked at.")
          .register(registry);
  private final Gauge configReadAt =
      Gauge.builder()
          .name("weir_config_last_reload_success_timestamp_seconds")
          .help("When the configuration was last read.")
          .register(registry);

  /**
   * @param lanes those that are watched, by their labels
   */
  Metrics(ModelUses uses, Supplier<Map<ModelLabels, Iterable<Lane>>> lanes, LongSupplier clock) {
    gauge("model_inferences_in_flight", "Attempts in flight.", uses, clock, Reading::inFlight);
    gauge(
        "model_inferences_in_flight_peak",
        "The most attempts in flight at once within the last 10 minutes.",
        uses,
        clock,
        Reading::peak);
    total(
        "model_inferences_in_flight_seconds",
        "Attempts in flight, integrated over time.",
        uses,
        clock,
        Reading::seconds);
    total(
        "model_inferences_at_limit_seconds",
        "How long as many attempts were in flight as the limit allows, or more.",
        uses,
        clock,
        Reading::atLimitSeconds);
    limits(uses);
    rates(uses, clock);
    outOfDate(uses, clock);
    lanes(lanes);
    engines(uses, clock);
  }

  // What has happened.

  void configured(boolean isRead, Instant at) {
    configRead.set(isRead ? 1 : 0);
    configReadAt.set((double) at.getEpochSecond());
  }

  /**
   * @param took absent for a batch
   * @param usage absent without an answer
   */
  void attempt(
      ModelLabels model, AttemptLabels attempt, @Nullable Duration took, @Nullable Usage usage) {
    Series counted = series(model, attempt);
    counted.inferences.inc();
    if (took != null) {
      counted.duration().observe(seconds(took));
    }
    if (usage != null) {
      Tokens tokens = counted.tokens();
      tokens.input.inc(usage.inputTokens());
      tokens.output.inc(usage.outputTokens());
      tokens.total.inc(usage.totalTokens());
    }
  }

  /** Finding them by eight labels each time would be most of what an attempt costs. */
  private Series series(ModelLabels model, AttemptLabels attempt) {
    return series
        .computeIfAbsent(model, _ -> new ConcurrentHashMap<>())
        .computeIfAbsent(attempt, _ -> new Series(values(model, attempt)));
  }

  private record Tokens(CounterDataPoint input, CounterDataPoint output, CounterDataPoint total) {}

  /**
   * The series of attempts that end alike. They begin to exist when there is something to count.
   */
  private final class Series {

    private final String[] labels;
    private final CounterDataPoint inferences;
    private volatile @Nullable DistributionDataPoint durations;
    private volatile @Nullable Tokens tokens;

    Series(String[] labels) {
      this.labels = labels;
      this.inferences = Metrics.this.inferences.labelValues(labels);
    }

    DistributionDataPoint duration() {
      DistributionDataPoint known = durations;
      if (known == null) {
        known = duration.labelValues(labels);
        durations = known;
      }
      return known;
    }

    Tokens tokens() {
      Tokens known = tokens;
      if (known == null) {
        known =
            new Tokens(
                inputTokens.labelValues(labels),
                outputTokens.labelValues(labels),
                totalTokens.labelValues(labels));
        tokens = known;
      }
      return known;
    }
  }

  void cost(ModelLabels model, OptionalDouble usd) {
    if (usd.isPresent()) {
      costs
          .computeIfAbsent(model, _ -> cost.labelValues(model.engine(), model.model()))
          .inc(usd.getAsDouble());
    } else {
      unpriced.labelValues(model.engine(), model.model()).inc();
    }
  }

  void refused(ModelLabels model, String reason) {
    refusals.labelValues(model.engine(), model.model(), reason).inc();
  }

  void waited(ModelLabels model, Call.Times times) {
    waits
        .computeIfAbsent(model, _ -> queueWait.labelValues(model.engine(), model.model()))
        .observe(seconds(times.queued()) + seconds(times.paced()));
  }

  void limitChanged(ModelLabels model, boolean isUp, String reason) {
    limitChanges.labelValues(model.engine(), model.model(), isUp ? "up" : "down", reason).inc();
  }

  Exposition expose(@Nullable String accept) {
    ExpositionFormatWriter writer = formats.findWriter(accept);
    var out = new ByteArrayOutputStream();
    try {
      writer.write(out, registry.scrape(), EscapingScheme.fromAcceptHeader(accept));
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return new Exposition(writer.getContentType(), out.toString(StandardCharsets.UTF_8));
  }

  // What is.

  private void limits(ModelUses uses) {
    configured(
        "model_inferences_max_concurrent",
        "The configured limit on attempts in flight.",
        uses,
        use -> of(use.configured().concurrency()));
    configured(
        "model_max_input_tokens",
        "The configured limit on input tokens per minute.",
        uses,
        use -> rates(use).inputTokensPerMinute());
    configured(
        "model_max_output_tokens",
        "The configured limit on output tokens per minute.",
        uses,
        use -> rates(use).outputTokensPerMinute());
    configured(
        "model_max_total_tokens",
        "The configured limit on tokens per minute, input and output together.",
        uses,
        use -> rates(use).tokensPerMinute());
    var _ =
        GaugeWithCallback.builder()
            .name("model_concurrency_limit")
            .help("Limits on attempts in flight, by how they are known.")
            .labelNames(ENGINE, MODEL, "source")
            .callback(
                to ->
                    uses.models()
                        .forEach(
                            use ->
                                use.concurrencyLimits()
                                    .forEach(
                                        (source, limit) ->
                                            to.call(
                                                limit,
                                                use.labels().engine(),
                                                use.labels().model(),
                                                source.word()))))
            .register(registry);
    var _ =
        GaugeWithCallback.builder()
            .name("model_rate_limit_per_minute")
            .help("What may be used per minute, by how it is known.")
            .labelNames(ENGINE, MODEL, "resource", "source")
            .callback(
                to -> {
                  for (ModelUse use : uses.models()) {
                    for (Resource resource : Resource.PER_MINUTE) {
                      use.rateLimits(resource)
                          .forEach(
                              (source, limit) ->
                                  to.call(
                                      limit,
                                      use.labels().engine(),
                                      use.labels().model(),
                                      resource.word(),
                                      source.word()));
                    }
                  }
                })
            .register(registry);
  }

  private void rates(ModelUses uses, LongSupplier clock) {
    var _ =
        GaugeWithCallback.builder()
            .name("model_rate_used_per_minute_peak")
            .help("The most used within a minute, of those that ended in the last 5 minutes.")
            .labelNames(ENGINE, MODEL, "resource")
            .callback(
                to -> {
                  long now = clock.getAsLong();
                  for (ModelUse use : uses.models()) {
                    for (Resource resource : Resource.PER_MINUTE) {
                      to.call(
                          use.peakPerMinute(resource, now),
                          use.labels().engine(),
                          use.labels().model(),
                          resource.word());
                    }
                  }
                })
            .register(registry);
  }

  private void outOfDate(ModelUses uses, LongSupplier clock) {
    var _ =
        GaugeWithCallback.builder()
            .name("model_limits_out_of_date")
            .help("1 while the configured limit seems not to be what the engine allows.")
            .labelNames(ENGINE, MODEL, "reason")
            .callback(
                to -> {
                  long now = clock.getAsLong();
                  for (ModelUse use : uses.models()) {
                    for (OutOfDate.Reason reason : uses.outOfDate(use, now)) {
                      to.call(1, use.labels().engine(), use.labels().model(), reason.word());
                    }
                  }
                })
            .register(registry);
  }

  private static RateCeiling rates(ModelUse use) {
    return use.configured().rates();
  }

  private static OptionalDouble of(OptionalInt number) {
    return number.isPresent() ? OptionalDouble.of(number.getAsInt()) : OptionalDouble.empty();
  }

  private void lanes(Supplier<Map<ModelLabels, Iterable<Lane>>> lanes) {
    laneGauge(
        "model_inferences_adaptive_limit",
        "How many attempts may be in flight: the window of the mode of regulation.",
        lanes,
        Lane.Status::window);
    laneGauge(
        "model_inferences_queue_depth",
        "Calls that wait for their turn.",
        lanes,
        Lane.Status::waiting);
    laneGauge(
        "model_inferences_backing_off",
        "Calls that wait for the time of their next attempt.",
        lanes,
        Lane.Status::backingOff);
  }

  private void engines(ModelUses uses, LongSupplier clock) {
    engineGauge(
        "model_engine_inferences_in_flight",
        "Attempts in flight to all models of the engine.",
        uses,
        clock,
        reading -> OptionalDouble.of(reading.inFlight()));
    engineGauge(
        "model_engine_inferences_in_flight_peak",
        "The most attempts in flight to the engine at once within the last 10 minutes.",
        uses,
        clock,
        reading -> OptionalDouble.of(reading.peak()));
    engineGauge(
        "model_engine_inferences_max_concurrent",
        "The limit on attempts in flight to the engine: the highest of its models, unless set.",
        uses,
        clock,
        reading -> of(reading.limit()));
    engineTotal(
        "model_engine_inferences_in_flight_seconds",
        "Attempts in flight to the engine, integrated over time.",
        uses,
        clock,
        Reading::seconds);
    engineTotal(
        "model_engine_inferences_at_limit_seconds",
        "How long as many attempts were in flight to the engine as its limit allows, or more.",
        uses,
        clock,
        Reading::atLimitSeconds);
  }

  // How metrics are made.

  private Counter counter(String name, String help, String... labels) {
    return Counter.builder()
        .name(name)
        .help(help)
        .labelNames(labels)
        .withoutExemplars()
        .register(registry);
  }

  private Histogram histogram(String name, String help, double[] buckets, String... labels) {
    return Histogram.builder()
        .name(name)
        .help(help)
        .labelNames(labels)
        .classicOnly()
        .classicUpperBounds(buckets)
        .withoutExemplars()
        .register(registry);
  }

  private void gauge(
      String name,
      String help,
      ModelUses uses,
      LongSupplier clock,
      ToDoubleFunction<Reading> value) {
    var _ =
        GaugeWithCallback.builder()
            .name(name)
            .help(help)
            .labelNames(ENGINE, MODEL)
            .callback(
                to -> {
                  long now = clock.getAsLong();
                  uses.models()
                      .forEach(
                          use ->
                              to.call(
                                  value.applyAsDouble(use.read(now)),
                                  use.labels().engine(),
                                  use.labels().model()));
                })
            .register(registry);
  }

  private void total(
      String name,
      String help,
      ModelUses uses,
      LongSupplier clock,
      ToDoubleFunction<Reading> value) {
    var _ =
        CounterWithCallback.builder()
            .name(name)
            .help(help)
            .labelNames(ENGINE, MODEL)
            .callback(
                to -> {
                  long now = clock.getAsLong();
                  uses.models()
                      .forEach(
                          use ->
                              to.call(
                                  value.applyAsDouble(use.read(now)),
                                  use.labels().engine(),
                                  use.labels().model()));
                })
            .register(registry);
  }

  private interface Configured {
    OptionalDouble limit(ModelUse use);
  }

  private void configured(String name, String help, ModelUses uses, Configured limit) {
    var _ =
        GaugeWithCallback.builder()
            .name(name)
            .help(help)
            .labelNames(ENGINE, MODEL)
            .callback(
                to ->
                    uses.models()
                        .forEach(
                            use ->
                                limit
                                    .limit(use)
                                    .ifPresent(
                                        value ->
                                            to.call(
                                                value,
                                                use.labels().engine(),
                                                use.labels().model()))))
            .register(registry);
  }

  private void laneGauge(
      String name,
      String help,
      Supplier<Map<ModelLabels, Iterable<Lane>>> lanes,
      ToIntFunction<Lane.Status> value) {
    var _ =
        GaugeWithCallback.builder()
            .name(name)
            .help(help)
            .labelNames(ENGINE, MODEL)
            .callback(
                to ->
                    new TreeMap<>(lanes.get())
                        .forEach(
                            (labels, ofModel) -> {
                              double sum = 0;
                              for (Lane lane : ofModel) {
                                sum += value.applyAsInt(lane.status());
                              }
                              to.call(sum, labels.engine(), labels.model());
                            }))
            .register(registry);
  }

  private interface OfEngine {
    OptionalDouble value(Reading reading);
  }

  private void engineGauge(
      String name, String help, ModelUses uses, LongSupplier clock, OfEngine gauge) {
    var _ =
        GaugeWithCallback.builder()
            .name(name)
            .help(help)
            .labelNames(ENGINE)
            .callback(
                to -> {
                  long now = clock.getAsLong();
                  uses.engines()
                      .forEach(
                          use ->
                              gauge
                                  .value(use.read(now))
                                  .ifPresent(value -> to.call(value, use.engine())));
                })
            .register(registry);
  }

  private void engineTotal(
      String name,
      String help,
      ModelUses uses,
      LongSupplier clock,
      ToDoubleFunction<Reading> value) {
    var _ =
        CounterWithCallback.builder()
            .name(name)
            .help(help)
            .labelNames(ENGINE)
            .callback(
                to -> {
                  long now = clock.getAsLong();
                  uses.engines()
                      .forEach(use -> to.call(value.applyAsDouble(use.read(now)), use.engine()));
                })
            .register(registry);
  }

  private static String[] values(ModelLabels model, AttemptLabels attempt) {
    return new String[] {
      model.engine(),
      model.model(),
      attempt.isError() ? "yes" : "no",
      attempt.errorType(),
      attempt.isStreamed() ? "yes" : "no",
      attempt.finishReason(),
      AttemptLabels.UNKNOWN,
      AttemptLabels.UNKNOWN
    };
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }
}
