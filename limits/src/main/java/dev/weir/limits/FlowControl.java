package dev.weir.limits;

import dev.weir.limits.control.Aimd;
import dev.weir.limits.control.Halving;
import dev.weir.limits.control.StaticWindow;
import dev.weir.limits.control.WindowChange;
import dev.weir.limits.event.Constraint;
import dev.weir.limits.event.LimitEvent;
import dev.weir.limits.header.Dimension;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.pace.PaceMemory;
import dev.weir.limits.retry.Decision;
import dev.weir.limits.retry.Outcome;
import dev.weir.limits.retry.RetryBounds;
import dev.weir.limits.retry.RetryPolicy;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.random.RandomGenerator;

/**
 * Lets the requests of one scope through, in whatever mode.
 *
 * <p>A plain object, for shells with threads and for event loops alike: not thread-safe, no clock,
 * no lock. Times are nanoseconds from any origin.
 */
public sealed interface FlowControl permits WindowFlow, PaceFlow {

  /** Returned by {@link #waitNanos} when only the end of another attempt can make room. */
  long UNTIL_ANSWERED = Long.MAX_VALUE;

  /** The attempt is being made; belongs to the flow that issued it. */
  interface Ticket {}

  static FlowControl of(Mode mode, RandomGenerator random, long now) {
    return switch (mode) {
      case Mode.Static(int window) ->
          new WindowFlow(
              new StaticWindow(window), RetryPolicy.documented(OptionalInt.empty(), random), false);
      case Mode.Aimd(var settings) ->
          new WindowFlow(
              new Aimd(settings), RetryPolicy.documented(OptionalInt.empty(), random), true);
      case Mode.Halving(int max, int min) ->
          new WindowFlow(new Halving(max, min), RetryPolicy.threeTimes(random), false);
      case Mode.Pace(var settings) -> new PaceFlow(settings, random, now);
    };
  }

  /**
   * Nanoseconds until a request of this cost, which waits for it, may leave; 0 for at once. That
   * somebody waits is itself something to learn from.
   */
  long waitNanos(long now, Cost cost);

  /** As {@link #waitNanos}, for somebody who only wants to know: nothing is learned. */
  long outlookNanos(long now, Cost cost);

  /**
   * An attempt leaves now.
   *
   * @param attempt its number within its request, from 1
   */
  Ticket send(long now, Cost cost, int attempt);

  /** Headers have arrived. */
  void observe(long now, Ticket ticket, ResponseFacts facts);

  /**
   * The attempt has ended. A second settlement of the same ticket has no effect.
   *
   * @param used what it really cost
   * @param bounds what its lane says about retries
   */
  Decision settle(long now, Ticket ticket, Outcome outcome, Cost used, RetryBounds bounds);

  /** The same where nobody says anything about retries. */
  default Decision settle(long now, Ticket ticket, Outcome outcome, Cost used) {
    return settle(now, ticket, outcome, used, RetryBounds.NONE);
  }

  /** The attempt was never made: as if it had not been sent. */
  default void withdraw(long now, Ticket ticket) {
    settle(now, ticket, new Outcome.Nothing(), Cost.ONE_REQUEST);
  }

  /** Whether failures say that the provider is away, and not that a request is at fault. */
  default boolean isProviderAway() {
    return false;
  }

  /**
   * Whether a request that was refused because a quota was empty may come again before its time, as
   * soon as another response says that the quota is back.
   */
  default boolean mayRetryEarly() {
    return false;
  }

  /**
   * Whether a request that is to come again stays in flight while it waits: then it needs no new
   * place, and ends its wait with {@link #sendAgain} or {@link #abandon}.
   */
  boolean keepsPlace(Ticket ticket);

  /** The next attempt of a request that kept its place. */
  Ticket sendAgain(long now, Ticket kept, Cost cost);

  /** A request that kept its place does not come back. */
  void abandon(Ticket kept);

  int window();

  int inFlight();

  /** Whether anything it decides depends on the time. */
  boolean isTimed();

  /** What a request of this cost would wait for at this moment, as far as this flow decides. */
  Constraint binding(long now, Cost cost);

  /** What the rate or quota counts that such a request would wait for, if it is one of those. */
  default Optional<Dimension> bindingDimension(long now, Cost cost) {
    return Optional.empty();
  }

  /**
   * Takes over other bounds while calls are in flight. Lowering never pre-empts.
   *
   * @return false if the mode is of another kind, and nothing has changed
   */
  boolean retune(long now, Mode mode);

  /** What has become known about the limits since it was last asked, oldest first. */
  List<LimitEvent> drainEvents();

  /** The latest moves of the window, oldest first. */
  default List<WindowChange> history() {
    return List.of();
  }

  /**
   * What the next run can start from.
   *
   * @param epochMillis the time, for whoever reads it later
   */
  default Optional<PaceMemory> memory(long epochMillis) {
    return Optional.empty();
  }
}
