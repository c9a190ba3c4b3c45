package dev.weir.log;

/**
 * Where time went, in seconds. Waiting is never part of {@code called} or {@code working}.
 *
 * @param queued waiting for calls of others to end
 * @param paced waiting for the time that the pace allows
 * @param backedOff waiting between attempts
 * @param failed in attempts that failed
 * @param called in attempts that were answered
 * @param shared waiting for sandboxes and processes of others
 * @param working the total without waiting and failed attempts, overlaps counted once
 * @param total from start to end
 */
public record Times(
    double queued,
    double paced,
    double backedOff,
    double failed,
    double called,
    double shared,
    double working,
    double total) {

  public static final Times NONE = new Times(0, 0, 0, 0, 0, 0, 0, 0);

  public Times plus(Times other) {
    return new Times(
        queued + other.queued,
        paced + other.paced,
        backedOff + other.backedOff,
        failed + other.failed,
        called + other.called,
        shared + other.shared,
        working + other.working,
        total + other.total);
  }
}
