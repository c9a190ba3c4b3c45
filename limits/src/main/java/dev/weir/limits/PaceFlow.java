package dev.weir.limits;

import dev.weir.limits.event.Constraint;
import dev.weir.limits.event.LimitEvent;
import dev.weir.limits.header.Dimension;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.pace.PaceController;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.limits.retry.Decision;
import dev.weir.limits.retry.Outcome;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** Mode {@code pace}: the controller decides both when to send and when to come again. */
final class PaceFlow implements FlowControl {

  private final PaceController controller;

  PaceFlow(PaceSettings settings, RandomGenerator random, long now) {
    this.controller = new PaceController(settings, random, now);
  }

  private record Paced(PaceController.Sent sent, int attempt) implements Ticket {}

  @Override
  public long waitNanos(long now, Cost cost) {
    return controller.waitNanos(now, cost);
  }

  @Override
  public Ticket send(long now, Cost cost, int attempt) {
    return new Paced(controller.send(now, cost), attempt);
  }

  @Override
  public void observe(long now, Ticket ticket, ResponseFacts facts) {
    controller.observe(now, ((Paced) ticket).sent, facts);
  }

  @Override
  public Decision settle(long now, Ticket ticket, Outcome outcome, Cost used) {
    var paced = (Paced) ticket;
    return switch (outcome) {
      case Outcome.Clean() -> {
        controller.answered(now, paced.sent, used);
        yield new Decision.Done();
      }
      case Outcome.RateLimited(var facts) ->
          again(controller.refused(now, paced.sent, facts, dimension(facts)));
      case Outcome.Overloaded(var facts) ->
          again(controller.overloaded(now, paced.sent, facts, paced.attempt));
      case Outcome.Transient() -> again(controller.failed(now, paced.sent, paced.attempt));
      case Outcome.Terminal _, Outcome.Nothing _ -> {
        controller.cancelled(paced.sent);
        yield new Decision.Done();
      }
    };
  }

  @Override
  public boolean keepsPlace(Ticket ticket) {
    return false;
  }

  @Override
  public Ticket sendAgain(long now, Ticket kept, Cost cost) {
    throw new IllegalStateException("cannot send again: no place is kept in this mode");
  }

  @Override
  public void abandon(Ticket kept) {
    // No place is kept in this mode, so there is none to give up.
  }

  @Override
  public int window() {
    return controller.window();
  }

  @Override
  public int inFlight() {
    return controller.inFlight();
  }

  @Override
  public Constraint binding(long now, Cost cost) {
    return Constraint.PACE;
  }

  @Override
  public boolean retune(long now, Mode mode) {
    return false;
  }

  @Override
  public List<LimitEvent> drainEvents() {
    return List.of();
  }

  private static Decision again(long nanos) {
    return new Decision.Again(Duration.ofNanos(nanos));
  }

  /** What ran out, if the refusal says so. */
  private static Optional<Dimension> dimension(ResponseFacts facts) {
    return facts
        .limitKind()
        .flatMap(
            kind ->
                Arrays.stream(Dimension.values())
                    .filter(dimension -> dimension.word().equals(kind))
                    .findFirst());
  }
}
