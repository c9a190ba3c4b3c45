package dev.weir.otel;

import dev.weir.model.Message;
import dev.weir.model.Request;
import dev.weir.model.Response;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.Value;
import io.opentelemetry.api.logs.Logger;
import io.opentelemetry.api.logs.LoggerProvider;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import java.time.Instant;

/** Where what is asked and answered goes, if it is asked for. */
sealed interface CapturedContent {

  /** Nowhere, as long as nobody asks for it. */
  CapturedContent NONE = new Nothing();

  void asked(Span span, Instant at, String provider, Request request);

  void answered(Span span, Instant at, String provider, Response.Reply reply);

  static CapturedContent of(GenAiNames names, LoggerProvider logs) {
    return switch (names) {
      case LATEST -> new InSpans(names);
      case BASELINE -> new InEvents(names, logs.get(CallSpans.SCOPE));
    };
  }

  /** Content is not captured. */
  record Nothing() implements CapturedContent {

    @Override
    public void asked(Span span, Instant at, String provider, Request request) {}

    @Override
    public void answered(Span span, Instant at, String provider, Response.Reply reply) {}
  }

  /** As attributes of the span of the call, in JSON. */
  record InSpans(GenAiNames names) implements CapturedContent {

    @Override
    public void asked(Span span, Instant at, String provider, Request request) {
      if (span.isRecording()) {
        var _ =
            span.setAttribute(
                GenAiNames.INPUT_MESSAGES, new MessageContent().input(request.messages()));
      }
    }

    @Override
    public void answered(Span span, Instant at, String provider, Response.Reply reply) {
      if (span.isRecording()) {
        var _ =
            span.setAttribute(
                GenAiNames.OUTPUT_MESSAGES,
                new MessageContent().output(reply, names.finishReason(reply.stopReason())));
      }
    }
  }

  /** As events that belong to the span of the call: log records, one for each message. */
  record InEvents(GenAiNames names, Logger logger) implements CapturedContent {

    @Override
    public void asked(Span span, Instant at, String provider, Request request) {
      var content = new MessageContent();
      for (Message message : request.messages()) {
        emit(span, at, provider, MessageContent.event(message), content.body(message));
      }
    }

    @Override
    public void answered(Span span, Instant at, String provider, Response.Reply reply) {
      emit(
          span,
          at,
          provider,
          GenAiNames.CHOICE_EVENT,
          new MessageContent().choice(reply, names.finishReason(reply.stopReason())));
    }

    private void emit(Span span, Instant at, String provider, String event, Value<?> body) {
      logger
          .logRecordBuilder()
          .setContext(Context.root().with(span))
          .setTimestamp(at)
          .setEventName(event)
          .setAllAttributes(Attributes.of(names.provider(), provider))
          .setBody(body)
          .emit();
    }
  }
}
