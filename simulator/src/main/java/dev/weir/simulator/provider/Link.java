package dev.weir.simulator.provider;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * A provider behind a network, on an event loop.
 *
 * <p>A request takes the one-way delay ± 30 %, so requests may overtake each other; a response
 * takes the delay. With 30 ms, a refusal is back after 0.1 s, a failure after 0.2 s.
 */
final class Link {

  private static final double JITTER = 0.3;

  private final EventLoop loop;
  private final ProviderModel model;
  private final long delayNanos;
  private final RandomGenerator random;
  private final Map<Work, Consumer<Response>> queued = new HashMap<>();
  private final List<Attempt> attempts = new ArrayList<>();

  Link(EventLoop loop, ProviderModel model, long delayNanos, RandomGenerator random) {
    this.loop = loop;
    this.model = model;
    this.delayNanos = delayNanos;
    this.random = random;
  }

  /** All attempts so far, in the order of their arrival. */
  List<Attempt> attempts() {
    return attempts;
  }

  void send(Request request, Consumer<Response> callback) {
    double jitter = 1 - JITTER + 2 * JITTER * random.nextDouble();
    long sentAt = loop.now();
    loop.after(Math.round(delayNanos * jitter), () -> arrive(request, sentAt, callback));
  }

  private void arrive(Request request, long sentAt, Consumer<Response> callback) {
    Admission admission = model.admit(loop.now(), request);
    int index = attempts.size();
    attempts.add(
        new Attempt(
            request.id(),
            sentAt,
            loop.now(),
            status(admission),
            admission instanceof Admission.Refused ? model.lastRefusal() : Optional.empty(),
            Attempt.NEVER));
    answer(
        admission,
        response -> {
          attempts.set(index, attempts.get(index).receivedAt(loop.now()));
          callback.accept(response);
        });
  }

  private static int status(Admission admission) {
    return switch (admission) {
      case Admission.Refused(Response.Refusal refusal, _) -> refusal.status();
      case Admission.Failed(Response.Failure failure, _) -> failure.status();
      case Admission.Accepted _, Admission.Queued _, Admission.Hung _ -> Attempt.ADMITTED;
    };
  }

  private void answer(Admission admission, Consumer<Response> callback) {
    switch (admission) {
      case Admission.Accepted(Work work) -> serve(work, callback);
      case Admission.Queued(Work work) -> queued.put(work, callback);
      case Admission.Hung _ -> {
        // The client waits for ever, or until it gives up.
      }
      case Admission.Refused(Response.Refusal refusal, long after) ->
          reply(refusal, after, callback);
      case Admission.Failed(Response.Failure failure, long after) ->
          reply(failure, after, callback);
    }
  }

  private void serve(Work work, Consumer<Response> callback) {
    loop.after(
        work.request().latencyNanos(),
        () -> {
          Optional<Work> next = model.finished(loop.now(), work);
          reply(work.answer(), 0, callback);
          next.ifPresent(this::serveQueued);
        });
  }

  private void serveQueued(Work work) {
    Consumer<Response> callback = queued.remove(work);
    if (callback == null) {
      throw new IllegalStateException(
          "cannot start request %d: it was not queued here".formatted(work.request().id()));
    }
    serve(work, callback);
  }

  private void reply(Response response, long afterNanos, Consumer<Response> callback) {
    loop.after(afterNanos + delayNanos, () -> callback.accept(response));
  }
}
