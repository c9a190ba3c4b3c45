package dev.weir.eval.run;

import dev.weir.limits.Call;
import dev.weir.limits.CutOff;
import dev.weir.log.CallTerms;
import dev.weir.log.Cost;
import dev.weir.log.ModelCall;
import dev.weir.log.ModelCall.Span;
import dev.weir.log.Times;
import dev.weir.log.Tokens;
import dev.weir.log.ToolRun;
import dev.weir.model.Message;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.ToolCall;
import dev.weir.model.Usage;
import dev.weir.model.price.Spend;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;

/**
 * What happened in a sample, for its record. An agent shows its whole conversation with each turn:
 * messages are kept once, and calls say which of them they showed. Thread-safe.
 */
final class SampleHistory {

  /** A record is not a trace: what comes after so many calls is in the conversation alone. */
  private static final int MOST = 10_000;

  // Guarded by this: each message that a model was shown or said, by when it was first met.
  private final IdentityHashMap<Message, Integer> places = new IdentityHashMap<>();
  private final List<Message> met = new ArrayList<>();
  private final List<ModelCall> calls = new ArrayList<>();
  private final List<ToolRun> toolRuns = new ArrayList<>();

  /**
   * A call that was begun.
   *
   * @param working how many seconds the sample had worked by then
   */
  record Begun(
      Instant at,
      double working,
      PricedModel model,
      String role,
      Request request,
      CallTerms terms) {}

  /**
   * @param total how long it took
   */
  synchronized void called(Begun begun, Call<Response> call, Spend cost, Duration total) {
    if (calls.size() == MOST) {
      return;
    }
    Optional<Response.Reply> reply =
        call.value() instanceof Response.Reply answered ? Optional.of(answered) : Optional.empty();
    calls.add(
        new ModelCall(
            begun.at(),
            begun.working(),
            begun.model().model().name().toString(),
            begun.role(),
            shown(begun.request()),
            reply.map(Response.Reply::message).map(this::place),
            reply.map(Response.Reply::stopReason).map(StopReason::word),
            begun.terms(),
            Records.tokens(reply.map(Response.Reply::usage).orElse(Usage.NONE)),
            Records.cost(cost),
            call.attempts() - 1,
            times(call.times(), reply.isPresent(), total),
            call.value().origin().fromCache(),
            call.value().origin().requestId(),
            call.value() instanceof Response.Failure failure
                ? Optional.of(failure.message())
                : Optional.empty()));
  }

  /**
   * It ended without an answer, or a refusal of the provider.
   *
   * @param by what ended it, which may tell what was attempted by then
   * @param total how long that took
   */
  synchronized void cutOff(Begun begun, Exception by, String why, Duration total) {
    if (calls.size() == MOST) {
      return;
    }
    calls.add(
        new ModelCall(
            begun.at(),
            begun.working(),
            begun.model().model().name().toString(),
            begun.role(),
            shown(begun.request()),
            Optional.empty(),
            Optional.empty(),
            begun.terms(),
            Tokens.NONE,
            Cost.NONE,
            by instanceof CutOff call ? Math.max(0, call.attempts() - 1) : 0,
            by instanceof CutOff call
                ? times(call.times(), false, total)
                : new Times(0, 0, 0, 0, 0, 0, 0, seconds(total)),
            false,
            Optional.empty(),
            Optional.of(why)));
  }

  private List<Span> shown(Request request) {
    List<Integer> shown = new ArrayList<>(request.messages().size());
    request.messages().forEach(message -> shown.add(place(message)));
    return spans(shown);
  }

  private static Times times(Call.Times times, boolean isAnswered, Duration total) {
    double called = isAnswered ? seconds(times.called()) : 0;
    return new Times(
        seconds(times.queued()),
        seconds(times.paced()),
        seconds(times.backedOff()),
        seconds(times.failed()) + (isAnswered ? 0 : seconds(times.called())),
        called,
        0,
        called,
        seconds(total));
  }

  synchronized void toolRan(
      Instant at, double working, ToolCall call, Message.ToolResult told, Duration took) {
    if (toolRuns.size() < MOST) {
      toolRuns.add(
          new ToolRun(
              at,
              working,
              call.id(),
              call.name(),
              call.arguments(),
              told.text(),
              told.failed(),
              told.timedOut(),
              seconds(took)));
    }
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }

  private int place(Message message) {
    return places.computeIfAbsent(
        message,
        first -> {
          met.add(first);
          return met.size() - 1;
        });
  }

  private static List<Span> spans(List<Integer> places) {
    List<Span> spans = new ArrayList<>();
    for (int place : places) {
      if (!spans.isEmpty() && spans.getLast().to() == place) {
        spans.set(spans.size() - 1, new Span(spans.getLast().from(), place + 1));
      } else {
        spans.add(new Span(place, place + 1));
      }
    }
    return spans;
  }

  /**
   * @param others messages that models were shown or said, but that are not in the conversation
   */
  record Told(List<Message> others, List<ModelCall> calls, List<ToolRun> toolRuns) {}

  /** All of it, with messages counted through the conversation first and the others then. */
  Told told(List<Message> conversation) {
    return told(conversation, 0);
  }

  /**
   * @param othersBefore how many others there are already, which these follow
   */
  synchronized Told told(List<Message> conversation, int othersBefore) {
    var inConversation = new IdentityHashMap<Message, Integer>();
    for (int i = 0; i < conversation.size(); i++) {
      inConversation.putIfAbsent(conversation.get(i), i);
    }
    List<Message> others = new ArrayList<>();
    int[] moved = new int[met.size()];
    boolean isMoved = false;
    for (int i = 0; i < moved.length; i++) {
      Integer place = inConversation.get(met.get(i));
      if (place == null) {
        place = conversation.size() + othersBefore + others.size();
        others.add(met.get(i));
      }
      moved[i] = place;
      isMoved |= place != i;
    }
    return new Told(
        others,
        isMoved ? calls.stream().map(call -> moved(call, moved)).toList() : List.copyOf(calls),
        List.copyOf(toolRuns));
  }

  private static ModelCall moved(ModelCall call, int[] places) {
    List<Integer> input = new ArrayList<>();
    for (Span span : call.input()) {
      for (int i = span.from(); i < span.to(); i++) {
        input.add(places[i]);
      }
    }
    return new ModelCall(
        call.at(),
        call.working(),
        call.model(),
        call.role(),
        spans(input),
        call.answer().map(place -> places[place]),
        call.stopReason(),
        call.terms(),
        call.tokens(),
        call.cost(),
        call.retries(),
        call.times(),
        call.cached(),
        call.requestId(),
        call.error());
  }
}
