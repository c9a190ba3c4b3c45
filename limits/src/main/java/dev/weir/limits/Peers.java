package dev.weir.limits;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How the requests of a lane fare: what a request that fails is compared with. Guarded by the lock
 * of the regulator, except where a method says otherwise.
 */
final class Peers {

  /** Of all that succeeded, so small a part is left at the end. */
  private static final int PERCENT_LEFT_AT_THE_END = 1;

  static final int FEWEST_SUCCESSES = 5;

  private final AtomicInteger unfinished = new AtomicInteger();
  private long successes;
  private long failures;
  private int failing;
  private int suspects;

  /** Needs no lock. */
  void begin() {
    unfinished.incrementAndGet();
  }

  /**
   * A request ended, in any way. Needs no lock if it never failed.
   *
   * @param record of the request
   */
  void end(FailureRecord record) {
    unfinished.decrementAndGet();
    if (record.hasFailed()) {
      failing--;
      suspects -= record.isSuspect() ? 1 : 0;
    }
  }

  boolean areThere() {
    return unfinished.get() > 0;
  }

  void succeeded() {
    successes++;
  }

  /**
   * An attempt failed.
   *
   * @param record of its request, which decides whether that makes it poisoned
   */
  void failed(FailureRecord record, long now) {
    failing += record.hasFailed() ? 0 : 1;
    boolean wasSuspect = record.isSuspect();
    record.failed(now, this);
    suspects += (record.isSuspect() ? 1 : 0) - (wasSuspect ? 1 : 0);
    if (!record.isSuspect()) {
      // Of those who keep failing while others succeed, nothing is learned about the provider.
      failures++;
      record.skipOwnFailure();
    }
  }

  long successes() {
    return successes;
  }

  long failures() {
    return failures;
  }

  /** Whether all requests that are left fail, so that there are no others to compare with. */
  boolean areAllFailing() {
    return unfinished.get() <= failing && successes >= FEWEST_SUCCESSES;
  }

  /**
   * Whether those that are left fail for reasons of their own: they are few, or have failed before
   * while others succeeded.
   */
  boolean areAllSuspicious() {
    int left = unfinished.get();
    return areAllFailing()
        && (left <= suspects || left <= Math.max(1, successes * PERCENT_LEFT_AT_THE_END / 100));
  }
}
