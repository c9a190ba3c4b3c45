package dev.weir.otel;

import dev.weir.model.Usage;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.LongHistogram;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.MeterBuilder;
import io.opentelemetry.api.metrics.MeterProvider;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import java.time.Duration;
import java.util.Optional;

/**
 * The metrics of clients of generative AI. Each attempt is an operation: what counts is the time at
 * the engine, as in {@link dev.weir.telemetry.Telemetry}. Thread-safe.
 */
final class CallMetrics {

  private static final double NANOS = 1e9;

  private final DoubleHistogram durations;
  private final LongHistogram tokens;

  CallMetrics(GenAiNames names, MeterProvider provider) {
    MeterBuilder builder = provider.meterBuilder(CallSpans.SCOPE);
    names.schemaUrl().ifPresent(builder::setSchemaUrl);
    Meter meter = builder.build();
    durations =
        meter
            .histogramBuilder(GenAiNames.DURATION)
            .setUnit(GenAiNames.DURATION_UNIT)
            .setDescription("Time of an attempt at the engine, without waiting.")
            .setExplicitBucketBoundariesAdvice(GenAiNames.DURATION_BUCKETS)
            .build();
    tokens =
        meter
            .histogramBuilder(GenAiNames.TOKENS)
            .ofLongs()
            .setUnit(GenAiNames.TOKENS_UNIT)
            .setDescription("Number of input and output tokens used.")
            .setExplicitBucketBoundariesAdvice(GenAiNames.TOKEN_BUCKETS)
            .build();
  }

  /**
   * An attempt has ended.
   *
   * @param span an example of it
   * @param error in a word; absent if it was answered
   */
  void took(Attributes model, Span span, Duration took, Optional<String> error) {
    Attributes attributes =
        error.map(word -> model.toBuilder().put(GenAiNames.ERROR_TYPE, word).build()).orElse(model);
    durations.record(took.toNanos() / NANOS, attributes, Context.root().with(span));
  }

  void used(Attributes model, Span span, Usage usage) {
    if (usage.isTold()) {
      Context context = Context.root().with(span);
      tokens.record(usage.inputTokens(), typed(model, GenAiNames.INPUT), context);
      tokens.record(usage.outputTokens(), typed(model, GenAiNames.OUTPUT), context);
    }
  }

  private static Attributes typed(Attributes model, String type) {
    return model.toBuilder().put(GenAiNames.TOKEN_TYPE, type).build();
  }
}
