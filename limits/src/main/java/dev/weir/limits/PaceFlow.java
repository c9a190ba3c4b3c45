package dev.weir.limits;

import dev.weir.limits.event.Constraint;
import dev.weir.limits.event.LimitEvent;
import dev.weir.limits.exchange.Exchange;
import dev.weir.limits.exchange.LocalExchange;
import dev.weir.limits.header.Dimension;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.pace.Observation;
import dev.weir.limits.pace.PaceController;
import dev.weir.limits.pace.PaceMemory;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.limits.pace.Slice;
import dev.weir.limits.retry.Decision;
import dev.weir.limits.retry.Outcome;
import dev.weir.limits.retry.RetryBounds;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Mode {@code pace}: enforces the slice that the exchange leases, and hands in what happens.
 *
 * <p>What it decides itself is when a request comes again: after the wait that the server asks for,
 * or a backoff; and at once while the circuit is open, since then it waits for the provider, not
 * for a turn of its own.
 */
public final class PaceFlow implements FlowControl {

  private static final double LONGEST_BACKOFF_NANOS = 60e9;
  private static final double FIRST_BACKOFF_NANOS = 1e9;
  private static final int MOST_DOUBLINGS = 10;

  private final Exchange exchange;
  private final RandomGenerator random;
  private Slice slice;
  private long lastId;

  PaceFlow(PaceSettings settings, RandomGenerator random, long now) {
    this(new LocalExchange(settings, random.nextLong(), now), random, now);
  }

  /**
   * @param random spreads waits, so that processes do not return together
   */
  public PaceFlow(Exchange exchange, RandomGenerator random, long now) {
    this.exchange = exchange;
    this.random = random;
    this.slice = exchange.exchange(now, List.of());
  }

  /**
   * Begins where an earlier run was.
   *
   * @param epochMillis the time by the clock of the memory
   */
  public static PaceFlow remembering(
      PaceSettings settings,
      Optional<PaceMemory> memory,
      long epochMillis,
      RandomGenerator random,
      long now) {
    var controller = new PaceController(settings, memory, epochMillis, random.nextLong(), now);
    return new PaceFlow(new LocalExchange(controller), random, now);
  }

  private static final class Paced implements Ticket {
    private final long id;
    private final int attempt;
    private boolean settled;

    Paced(long id, int attempt) {
      this.id = id;
      this.attempt = attempt;
    }
  }

  @Override
  public long waitNanos(long now, Cost cost) {
    happened(now, new Observation.Waiting(now, cost));
    return slice.waitNanos(now, cost);
  }

  @Override
  public long outlookNanos(long now, Cost cost) {
    return slice.waitNanos(now, cost);
  }

  @Override
  public Constraint binding(long now, Cost cost) {
    return slice.binding(now, cost);
  }

  @Override
  public Optional<Dimension> bindingDimension(long now, Cost cost) {
    return slice.bindingDimension(now, cost);
  }

  @Override
  public Ticket send(long now, Cost cost, int attempt) {
    long id = ++lastId;
    happened(now, new Observation.Sent(now, id, cost));
    return new Paced(id, attempt);
  }

  @Override
  public void observe(long now, Ticket ticket, ResponseFacts facts) {
    happened(now, new Observation.Headers(now, ((Paced) ticket).id, facts));
  }

  @Override
  public Decision settle(long now, Ticket ticket, Outcome outcome, Cost used, RetryBounds bounds) {
    var paced = (Paced) ticket;
    if (paced.settled) {
      return new Decision.Done();
    }
    paced.settled = true;
    return switch (outcome) {
      case Outcome.Clean() -> {
        happened(now, new Observation.Answered(now, paced.id, used));
        yield new Decision.Done();
      }
      case Outcome.RateLimited(var facts) -> {
        happened(now, new Observation.Refused(now, paced.id, facts));
        yield again(serverWait(facts) * random.nextDouble(1, 1.1));
      }
      case Outcome.Overloaded(var facts, _) -> {
        happened(now, new Observation.Overloaded(now, paced.id, facts));
        yield again(Math.max(backoff(FIRST_BACKOFF_NANOS, paced.attempt), serverWait(facts)));
      }
      case Outcome.Transient _ -> {
        happened(now, new Observation.Failed(now, paced.id));
        double first =
            bounds
                .requestBackoff()
                .map(wait -> (double) wait.toNanos())
                .orElse(FIRST_BACKOFF_NANOS);
        yield again(slice.probing() ? 0 : backoff(first, paced.attempt));
      }
      case Outcome.Terminal _, Outcome.Nothing _ -> {
        happened(now, new Observation.Cancelled(now, paced.id));
        yield new Decision.Done();
      }
    };
  }

  @Override
  public void withdraw(long now, Ticket ticket) {
    var paced = (Paced) ticket;
    if (!paced.settled) {
      paced.settled = true;
      happened(now, new Observation.Unsent(now, paced.id));
    }
  }

  @Override
  public boolean retune(long now, Mode mode) {
    if (!(mode instanceof Mode.Pace(PaceSettings settings))) {
      return false;
    }
    happened(now, new Observation.Retuned(now, settings));
    return true;
  }

  /** What has become known about the limits since it was last asked, oldest first. */
  @Override
  public List<LimitEvent> drainEvents() {
    return exchange.drainEvents();
  }

  /** What the next run can start from. */
  @Override
  public Optional<PaceMemory> memory(long epochMillis) {
    return exchange.memory(epochMillis);
  }

  /** Asks to be woken when more is allowed than {@link #waitNanos} last said. */
  public void whenBetter(Runnable wake) {
    exchange.whenBetter(wake);
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

  /** The pace keeps those that come early from coming all at once; a documented wait is kept. */
  @Override
  public boolean mayRetryEarly() {
    return true;
  }

  @Override
  public boolean isProviderAway() {
    return slice.probing();
  }

  @Override
  public boolean isTimed() {
    return true;
  }

  @Override
  public int window() {
    return slice.window();
  }

  @Override
  public int inFlight() {
    return slice.inFlight();
  }

  private void happened(long now, Observation observation) {
    slice = exchange.exchange(now, List.of(observation));
  }

  private static double serverWait(ResponseFacts facts) {
    return facts.serverWait().map(wait -> (double) wait.toNanos()).orElse(0.0);
  }

  /** A first wait that is longer than the longest is what was asked for. */
  private double backoff(double first, int attempt) {
    double doubled = first * (1 << Math.min(attempt - 1, MOST_DOUBLINGS));
    return Math.min(Math.max(LONGEST_BACKOFF_NANOS, first), random.nextDouble(0.5, 1.5) * doubled);
  }

  private static Decision again(double nanos) {
    return new Decision.Again(Duration.ofNanos((long) Math.ceil(nanos)));
  }
}
