package dev.weir.otel;

import dev.weir.limits.Call;
import dev.weir.model.CallEvent;
import dev.weir.model.GenerationSettings;
import dev.weir.model.ModelCall;
import dev.weir.model.Response;
import dev.weir.model.Usage;
import dev.weir.otel.CalledModels.CalledModel;
import dev.weir.telemetry.AttemptLabels;
import dev.weir.telemetry.Telemetry;
import dev.weir.time.Time;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.TracerBuilder;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.context.Context;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * A span for each call, from when it is made to its end, and within it one for each attempt, from
 * when it is sent to its end: what no attempt covers is waiting.
 *
 * <pre>
 *   chat gpt-4o   |--------------------------------------------------|
 *   attempt 1             |------| 429
 *   attempt 2                                      |-----------------|
 *                  queue            backoff, queue
 * </pre>
 *
 * <p>Thread-safe.
 */
final class CallSpans {

  static final String SCOPE = "dev.weir";

  private static final double NANOS = 1e9;
  private static final String OTHER_ERROR = "_OTHER";

  private final Time time;
  private final GenAiNames names;
  private final Tracer tracer;
  private final CallMetrics metrics;
  private final CapturedContent content;
  private final CalledModels models;
  private final Map<ModelCall, OpenCall> open = new ConcurrentHashMap<>();
  private final LongAdder ended = new LongAdder();

  CallSpans(
      Time time,
      GenAiNames names,
      TracerProvider provider,
      CallMetrics metrics,
      CapturedContent content) {
    this.time = time;
    this.names = names;
    this.metrics = metrics;
    this.content = content;
    this.models = new CalledModels(names, Telemetry.MOST_MODEL_NAMES);
    TracerBuilder builder = provider.tracerBuilder(SCOPE);
    names.schemaUrl().ifPresent(builder::setSchemaUrl);
    this.tracer = builder.build();
  }

  /** How many spans have ended that are to be sent. */
  long ended() {
    return ended.sum();
  }

  /** A call in progress. Its events come one at a time. */
  private static final class OpenCall {

    private final CalledModel model;
    private final Span span;
    // The clock of events began here. Wall time may jump, so it is read once.
    private final Instant zero;
    private Span attempt = Span.getInvalid();

    OpenCall(CalledModel model, Span span, Instant zero) {
      this.model = model;
      this.span = span;
      this.zero = zero;
    }

    Instant at(CallEvent event) {
      return zero.plusNanos(event.nanos());
    }
  }

  void on(CallEvent event) {
    if (event instanceof CallEvent.Queued queued) {
      open.put(queued.call(), begin(queued));
      return;
    }
    OpenCall call = open.get(event.call());
    if (call == null) {
      return;
    }
    switch (event) {
      case CallEvent.Queued _ -> throw new IllegalStateException("a call is queued once");
      case CallEvent.Sent sent -> call.attempt = attempt(call, sent);
      case CallEvent.Answered answered -> answered(call, answered);
      case CallEvent.Abandoned abandoned -> {
        Optional<String> error = Optional.of(error(abandoned.cause()));
        end(call.attempt, error, call.at(abandoned));
        took(call, abandoned, abandoned.took(), error);
      }
      case CallEvent.Ended ended -> {
        open.remove(ended.call());
        end(call, ended);
      }
    }
  }

  private OpenCall begin(CallEvent.Queued queued) {
    CalledModel model = models.of(queued.call());
    Instant zero = time.instant().minusNanos(time.nanos());
    Instant at = zero.plusNanos(queued.nanos());
    SpanBuilder builder =
        tracer
            .spanBuilder(GenAiNames.CHAT + " " + model.model())
            .setNoParent()
            .setSpanKind(SpanKind.CLIENT)
            .setStartTimestamp(at)
            .setAllAttributes(model.attributes());
    if (names == GenAiNames.LATEST && queued.call().isStreamed()) {
      builder.setAttribute(GenAiNames.STREAM, true);
    }
    if (queued.call().isBatched()) {
      builder.setAttribute(GenAiNames.BATCHED, true);
    }
    putSettings(queued.call().request().settings(), builder);
    Span span = builder.startSpan();
    content.asked(span, at, model.provider(), queued.call().request());
    return new OpenCall(model, span, zero);
  }

  private static void putSettings(GenerationSettings settings, SpanBuilder builder) {
    settings
        .temperature()
        .ifPresent(value -> builder.setAttribute(GenAiNames.TEMPERATURE, (Double) value));
    settings.topP().ifPresent(value -> builder.setAttribute(GenAiNames.TOP_P, (Double) value));
    settings
        .maxTokens()
        .ifPresent(value -> builder.setAttribute(GenAiNames.MAX_TOKENS, (Long) (long) value));
    settings.seed().ifPresent(value -> builder.setAttribute(GenAiNames.SEED, (Long) value));
  }

  private Span attempt(OpenCall call, CallEvent.Sent sent) {
    SpanBuilder builder =
        tracer
            .spanBuilder("attempt " + call.model.model())
            .setParent(Context.root().with(call.span))
            .setSpanKind(SpanKind.CLIENT)
            .setStartTimestamp(call.at(sent));
    if (sent.attempt() > 1) {
      builder.setAttribute(GenAiNames.RESENDS, sent.attempt() - 1L);
    }
    call.model
        .attributes()
        .forEach(
            (key, value) -> {
              // Not those of generative AI: a sum over spans would count the call twice.
              if (key.equals(GenAiNames.SERVER_ADDRESS)) {
                builder.setAttribute(GenAiNames.SERVER_ADDRESS, (String) value);
              } else if (key.equals(GenAiNames.SERVER_PORT)) {
                builder.setAttribute(GenAiNames.SERVER_PORT, (Long) value);
              }
            });
    return builder.startSpan();
  }

  private void answered(OpenCall call, CallEvent.Answered answered) {
    Response response = answered.response();
    response
        .origin()
        .status()
        .ifPresent(status -> call.attempt.setAttribute(GenAiNames.STATUS, (Long) (long) status));
    Optional<String> error = error(response);
    end(call.attempt, error, call.at(answered));
    took(call, answered, answered.took(), error);
    if (response instanceof Response.Reply reply) {
      metrics.used(call.model.attributes(), call.span, reply.usage());
    }
  }

  /** A batch takes hours, of which nobody knows when the request was worked on. */
  private void took(OpenCall call, CallEvent event, Duration took, Optional<String> error) {
    if (!event.call().isBatched()) {
      metrics.took(call.model.attributes(), call.span, took, error);
    }
  }

  private void end(OpenCall call, CallEvent.Ended ended) {
    Call.Times times = ended.times();
    Span span = call.span;
    span.setAttribute(GenAiNames.ATTEMPTS, (long) ended.attempts());
    if (!times.equals(Call.Times.NONE)) {
      span.setAttribute(GenAiNames.QUEUED, times.queued().plus(times.paced()).toNanos() / NANOS);
      span.setAttribute(GenAiNames.BACKED_OFF, times.backedOff().toNanos() / NANOS);
    }
    @Nullable Response response = ended.response().orElse(null);
    if (response instanceof Response.Reply reply) {
      span.setAttribute(GenAiNames.FINISH_REASONS, List.of(names.finishReason(reply.stopReason())));
      putUsage(reply.usage(), span);
      content.answered(span, call.at(ended), call.model.provider(), reply);
    }
    end(span, error(ended), call.at(ended));
  }

  private void putUsage(Usage usage, Span span) {
    if (!usage.isTold()) {
      return;
    }
    span.setAttribute(GenAiNames.INPUT_TOKENS, usage.inputTokens());
    span.setAttribute(GenAiNames.OUTPUT_TOKENS, usage.outputTokens());
    if (names == GenAiNames.LATEST) {
      span.setAttribute(GenAiNames.CACHE_READ_TOKENS, usage.cacheReadTokens());
      span.setAttribute(GenAiNames.CACHE_WRITE_TOKENS, usage.cacheWriteTokens());
      span.setAttribute(GenAiNames.REASONING_TOKENS, usage.reasoningTokens());
    }
  }

  /** What a provider says of a failure stays here: it may quote what was asked. */
  private void end(Span span, Optional<String> error, Instant at) {
    error.ifPresent(
        word -> {
          span.setAttribute(GenAiNames.ERROR_TYPE, word);
          span.setStatus(StatusCode.ERROR);
        });
    span.end(at);
    if (span.getSpanContext().isSampled()) {
      ended.increment();
    }
  }

  private static Optional<String> error(CallEvent.Ended ended) {
    return switch (ended.result()) {
      case ANSWERED -> Optional.empty();
      case FAILED -> ended.response().flatMap(CallSpans::error);
      case CANCELLED, DEADLINE, STOPPED ->
          Optional.of(ended.result().name().toLowerCase(Locale.ROOT));
      case DEFECT -> Optional.of(OTHER_ERROR);
    };
  }

  private static Optional<String> error(Response response) {
    return switch (response) {
      case Response.Reply _ -> Optional.empty();
      case Response.Cancelled _ -> Optional.of(error(CallEvent.Cause.CANCELLED));
      default -> {
        String word = AttemptLabels.errorType(response);
        yield Optional.of(word.equals(AttemptLabels.OTHER) ? status(response) : word);
      }
    };
  }

  private static String status(Response response) {
    OptionalInt status = response.origin().status();
    return status.isPresent() ? String.valueOf(status.getAsInt()) : OTHER_ERROR;
  }

  private static String error(CallEvent.Cause cause) {
    return switch (cause) {
      case CANCELLED, DEADLINE, STOPPED -> cause.name().toLowerCase(Locale.ROOT);
      case HUNG, TIMED_OUT -> "timeout";
      case DEFECT -> OTHER_ERROR;
    };
  }
}
