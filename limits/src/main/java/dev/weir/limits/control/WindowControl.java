package dev.weir.limits.control;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Decides how many requests may be in flight, from what their attempts came to.
 *
 * <p>The window says how many permits may be granted. Lowering it takes no permit back: more may be
 * in flight than the window says until enough of them have ended.
 *
 * <p>A {@code now} is in nanoseconds of a monotonic clock with any origin; only differences count,
 * and it does not go back from call to call.
 *
 * <p>Not thread-safe: the owner calls it under its own lock.
 */
public sealed interface WindowControl permits StaticWindow, Aimd, Halving {

  /** How many requests may be in flight, at least 1. */
  int window();

  /**
   * A permit was granted.
   *
   * @param inFlight how many are out now, this one included
   */
  void acquired(long now, int inFlight);

  /**
   * A request was answered.
   *
   * @param neutral whether the answer says nothing about the provider's capacity: it came from a
   *     cache, or only after a retry of any kind
   */
  void succeeded(long now, boolean neutral);

  /**
   * An attempt was refused because too much was asked for.
   *
   * @param retryAfter the wait the refusal names
   * @param reset when its headers say that the quota is full again
   */
  void rateLimited(long now, Optional<Duration> retryAfter, Optional<Duration> reset);

  /** An attempt failed for a reason that has nothing to do with the load. */
  void transientFailure(long now);

  /**
   * A response told how much of a quota is left.
   *
   * @param remainingShare remaining divided by limit, of the scarcest quota; at least 0
   */
  void quotaSeen(long now, double remainingShare);

  /**
   * Changes the largest window while calls are in flight.
   *
   * @param max at least 1
   */
  void retune(long now, int max);

  /** How often the window has moved. */
  long moves();

  /** The latest 200 moves of the window, oldest first. */
  List<WindowChange> history();
}
