package dev.weir.limits;

import dev.weir.limits.retry.Outcome.Contact;
import dev.weir.time.Time;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/**
 * The time for which every attempt of a lane has failed without an answer. Waits of consecutive
 * requests add up, so a bound on each of them would bound nothing.
 *
 * <p>Guarded by the lock of the regulator.
 */
final class Outage {

  /** One failure may be the fault of its request. */
  private static final int FEWEST_FAILURES = 2;

  /** A provider that names a longer wait has said when to come back. */
  private static final long SHORTEST_HOLD_NANOS = Duration.ofMinutes(1).toNanos();

  // Whether the provider has ever answered is known for the account as a whole.
  private final Scope account;
  private OutageBounds bounds = OutageBounds.NONE;
  private int failures;
  // Of the first failure, moved by each period that does not count.
  private long since;
  private long heldUntil = Long.MIN_VALUE;
  // Until the provider is reached, oldest first: one that lasts is a slow answer, not a failure.
  private final Set<Permit> inFlight = new LinkedHashSet<>();

  Outage(Scope account) {
    this.account = account;
  }

  void bound(OutageBounds newBounds) {
    bounds = newBounds;
  }

  boolean isBounded() {
    return !bounds.equals(OutageBounds.NONE);
  }

  void sent(Permit permit, long now) {
    if (bounds.unreached().isPresent() && !account.isReached()) {
      permit.sentAt = now;
      inFlight.add(permit);
    }
  }

  /** An attempt ended, in any way. */
  void ended(Permit permit) {
    inFlight.remove(permit);
  }

  /**
   * An attempt ended without an answer.
   *
   * @param serverWait how long the provider asks to wait
   */
  void failed(long now, Contact contact, Optional<Duration> serverWait) {
    if (contact != Contact.UNREACHED) {
      reached();
    }
    if (failures++ == 0) {
      since = now;
    }
    serverWait
        .map(Duration::toNanos)
        .filter(wait -> wait > SHORTEST_HOLD_NANOS)
        .ifPresent(
            wait -> {
              long until = now + wait;
              since += Math.max(0, until - Math.max(now, heldUntil));
              heldUntil = Math.max(heldUntil, until);
            });
  }

  /** The provider answered: a refusal is an answer. */
  void answered() {
    reached();
    end();
  }

  /** It is over, or nothing was asked for a while; the next failure begins another one. */
  void end() {
    failures = 0;
    heldUntil = Long.MIN_VALUE;
  }

  private void reached() {
    account.reach();
    inFlight.clear();
  }

  /** No call could leave for so long. */
  void exclude(long nanos) {
    since += nanos;
  }

  boolean isTooLong(long now) {
    return failures >= FEWEST_FAILURES && now >= endOf(now);
  }

  /** When it will have lasted too long, unless something happens before. */
  long endsAt(long now) {
    return failures < FEWEST_FAILURES ? Time.NEVER : Math.max(now, endOf(now));
  }

  private long endOf(long now) {
    Optional<Duration> bound = bound();
    if (bound.isEmpty()) {
      return Time.NEVER;
    }
    long end = since + bound.get().toNanos();
    return isUnreached() && lasts(now, bound.get()) ? Time.NEVER : end;
  }

  private boolean lasts(long now, Duration bound) {
    return !inFlight.isEmpty() && now - inFlight.iterator().next().sentAt >= bound.toNanos();
  }

  /** The shorter one holds where both do. */
  private Optional<Duration> bound() {
    Optional<Duration> unanswered = bounds.unanswered();
    return isUnreached()
        ? bounds
            .unreached()
            .map(first -> unanswered.filter(bound -> bound.compareTo(first) < 0).orElse(first))
        : unanswered;
  }

  private boolean isUnreached() {
    return bounds.unreached().isPresent() && !account.isReached();
  }

  String reason(long now) {
    long seconds = Duration.ofNanos(now - since).toSeconds();
    return isUnreached()
        ? "it has never answered; every attempt failed for %d s".formatted(seconds)
        : "no answer for %d s".formatted(seconds);
  }
}
