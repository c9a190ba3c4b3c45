package dev.weir.benchmarks.limits;

import dev.weir.limits.FlowControl;
import dev.weir.limits.Mode;
import dev.weir.limits.PaceFlow;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.retry.Decision;
import dev.weir.limits.retry.Outcome;
import dev.weir.simulator.provider.Client;
import dev.weir.simulator.provider.Request;
import dev.weir.simulator.provider.Response;
import dev.weir.simulator.provider.Session;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Function;

/** A mode of the limiter on the event loop: its decisions, without the shell around them. */
public final class FlowClient implements Client {

  /** The wall clock of the client, which is hours away from the provider's. */
  private static final Instant WRONG_CLOCK = Instant.parse("2026-01-05T13:07:11.820Z");

  private final Function<Session, FlowControl> flows;

  public FlowClient(Mode mode) {
    this(session -> FlowControl.of(mode, session.random(), session.loop().now()));
  }

  /**
   * @param flows makes the flow control of one process
   */
  public FlowClient(Function<Session, FlowControl> flows) {
    this.flows = flows;
  }

  @Override
  public void start(Session session) {
    FlowControl flow = flows.apply(session);
    var worker = new Worker(session, flow);
    if (flow instanceof PaceFlow pace) {
      pace.whenBetter(() -> session.loop().after(0, worker::dispatch));
    }
    worker.dispatch();
  }

  /** What the client believes that a request costs. */
  public static Cost cost(Request request) {
    return new Cost(
        request.promptTokens(), Math.max(0, request.estimatedTokens() - request.promptTokens()));
  }

  /** A request and the number of its next attempt. */
  private record Pending(Request request, int attempt) {

    Cost cost() {
      return FlowClient.cost(request);
    }

    Pending next() {
      return new Pending(request, attempt + 1);
    }
  }

  private static final class Worker {

    private final Session session;
    private final FlowControl flow;
    // Requests that come again go to the head.
    private final Deque<Pending> queue = new ArrayDeque<>();
    private long wakeAt = -1;

    Worker(Session session, FlowControl flow) {
      this.session = session;
      this.flow = flow;
      session.requests().forEach(request -> queue.add(new Pending(request, 1)));
    }

    void dispatch() {
      while (!queue.isEmpty()) {
        Pending head = queue.getFirst();
        long comesIn = head.request().notBeforeNanos() - session.loop().now();
        if (comesIn > 0) {
          wakeIn(comesIn);
          return;
        }
        long wait = flow.waitNanos(session.loop().now(), head.cost());
        if (wait == FlowControl.UNTIL_ANSWERED) {
          return;
        }
        if (wait > 0) {
          wakeIn(wait);
          return;
        }
        queue.removeFirst();
        send(head, flow.send(session.loop().now(), head.cost(), head.attempt()));
      }
    }

    /** One wake-up at a time: the earliest. */
    private void wakeIn(long wait) {
      long now = session.loop().now();
      long at = now + wait;
      if (wakeAt > now && wakeAt <= at) {
        return;
      }
      wakeAt = at;
      session
          .loop()
          .at(
              at,
              () -> {
                if (wakeAt == at) {
                  wakeAt = -1;
                }
                dispatch();
              });
    }

    private void send(Pending pending, FlowControl.Ticket ticket) {
      session.send(
          pending.request(),
          response -> {
            settle(pending, ticket, response);
            dispatch();
          });
    }

    private void settle(Pending pending, FlowControl.Ticket ticket, Response response) {
      long now = session.loop().now();
      ResponseFacts facts = facts(response, now);
      if (response instanceof Response.Answer) {
        flow.observe(now, ticket, facts);
      }
      switch (flow.settle(now, ticket, outcome(response, facts), used(pending.request()))) {
        case Decision.Done() -> session.done(pending.request());
        case Decision.GiveUp _ -> session.giveUp(pending.request());
        case Decision.Again(var after) when flow.keepsPlace(ticket) ->
            session
                .loop()
                .after(
                    after,
                    () -> {
                      long then = session.loop().now();
                      Pending next = pending.next();
                      send(next, flow.sendAgain(then, ticket, next.cost()));
                    });
        case Decision.Again(var after) -> again(pending.next(), after.toNanos());
      }
    }

    private void again(Pending pending, long wait) {
      if (wait == 0) {
        queue.addFirst(pending);
        return;
      }
      session
          .loop()
          .after(
              wait,
              () -> {
                queue.addFirst(pending);
                dispatch();
              });
    }

    private ResponseFacts facts(Response response, long now) {
      return session
          .headers(response)
          .map(headers -> Facts.read(response, headers, WRONG_CLOCK.plusNanos(now)))
          .orElseGet(() -> Facts.of(response));
    }

    private static Outcome outcome(Response response, ResponseFacts facts) {
      return switch (response) {
        case Response.Answer _ -> new Outcome.Clean();
        case Response.Refusal _ -> new Outcome.RateLimited(facts);
        case Response.Failure(int status) ->
            status == Response.Failure.OVERLOAD
                ? new Outcome.Overloaded(facts)
                : new Outcome.Transient();
      };
    }

    private static Cost used(Request request) {
      return new Cost(request.promptTokens(), request.outputTokens());
    }
  }
}
