package dev.weir.limits;

/**
 * What was reserved for the requests of a lane, in tokens, and what became of it: {@code reserved =
 * settled + returned + outstanding}.
 *
 * @param reserved on estimates, and for what went beyond them
 * @param settled really used
 * @param returned reserved, but not used
 * @param outstanding reserved for attempts being made
 */
public record Ledger(double reserved, double settled, double returned, double outstanding) {

  /** Keeps it. Guarded by the lock of the regulator. */
  static final class Book {
    private double reserved;
    private double settled;
    private double returned;
    private double outstanding;

    void reserve(double estimate) {
      reserved += estimate;
      outstanding += estimate;
    }

    void settle(double estimate, double used) {
      double beyond = Math.max(0, used - estimate);
      reserved += beyond;
      settled += used;
      returned += estimate + beyond - used;
      outstanding -= estimate;
    }

    Ledger ledger() {
      return new Ledger(reserved, settled, returned, outstanding);
    }
  }
}
