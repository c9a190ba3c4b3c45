package dev.weir.limits.pace;

import dev.weir.limits.pace.PaceState.WindowState;

/**
 * Recognises a quota that comes all at once at the end of a window, and when that is.
 *
 * <p>In a window, what remains falls by exactly what is sent, and the moment of the reset stands
 * still. In a bucket, something comes back all the time. Both are tried against each response.
 */
final class FixedWindow {

  private static final int WINS_NEEDED = 2;

  /** After a contradiction it takes this many more to believe in windows again. */
  private static final int MOST_LOSSES = 3;

  private double endsFrom = Double.NaN;
  private double endsUntil = Double.NaN;
  private double firstAt;
  private double firstSum;
  private double firstUsed;
  private double seconds = Double.NaN;
  private int wins;
  private int losses;

  FixedWindow() {}

  FixedWindow(WindowState state) {
    endsFrom = state.endsFrom();
    endsUntil = state.endsUntil();
    firstAt = state.firstAt();
    firstSum = state.firstSum();
    firstUsed = state.firstUsed();
    seconds = state.seconds();
    wins = state.wins();
    losses = state.losses();
  }

  WindowState state() {
    return new WindowState(
        endsFrom, endsUntil, firstAt, firstSum, firstUsed, seconds, wins, losses);
  }

  boolean isRecognized() {
    return wins >= WINS_NEEDED + losses;
  }

  /** When the window that is open at a moment began, as far as is known; else its end is. */
  double lastBoundary(double now) {
    if (Double.isNaN(endsUntil) || now < endsUntil) {
      return Double.NaN;
    }
    return Double.isNaN(seconds)
        ? endsUntil
        : endsUntil + Math.floor((now - endsUntil) / seconds) * seconds;
  }

  /** When the quota comes next; NaN if unknown. */
  double nextBoundary(double now) {
    if (Double.isNaN(endsUntil)) {
      return Double.NaN;
    }
    if (now < endsUntil) {
      return endsUntil;
    }
    return Double.isNaN(seconds) ? Double.NaN : lastBoundary(now) + seconds;
  }

  /** What a window of this size brings in a second; 0 while its length is not known. */
  double average(double quota) {
    return Double.isNaN(seconds) ? 0 : quota / seconds;
  }

  /**
   * @param sum what remained at that moment, and what had been taken until then
   * @param resetFrom and {@code resetUntil}: the moment of the reset lies between them
   * @param used what is missing in it; NaN if only the reset counts, since its response has been
   *     overtaken
   * @param noise by how many units a response may be off
   * @param refused whether the request was refused, perhaps with others that still count as taken:
   *     the sum may be too large
   */
  void read(
      double at,
      double sum,
      double resetFrom,
      double resetUntil,
      double used,
      double noise,
      boolean refused) {
    if (Double.isNaN(endsFrom)) {
      if (refused || Double.isNaN(used)) {
        return;
      }
      begin(at, sum, used, resetFrom, resetUntil);
      return;
    }
    if (resetUntil < endsFrom && at < firstAt) {
      // It is late, and speaks of the window before.
      return;
    }
    if (at >= endsFrom) {
      // The window is over, or about to be.
      if (resetFrom > endsUntil) {
        double passed = 0.5 * (resetFrom + resetUntil - endsFrom - endsUntil);
        if (passed > resetUntil - resetFrom) {
          seconds = Double.isNaN(seconds) ? passed : Math.min(seconds, passed);
        }
        begin(at, sum, refused ? Double.NaN : used, resetFrom, resetUntil);
      }
      return;
    }
    if (Double.isNaN(used)) {
      return;
    }
    double grown = sum - firstSum;
    boolean sameEnd = resetFrom <= endsUntil && resetUntil >= endsFrom;
    if (refused && (!sameEnd || Double.isNaN(firstUsed) || grown > noise + 1)) {
      return;
    }
    if (!sameEnd || grown > noise + 1) {
      losses = Math.min(losses + 1, MOST_LOSSES);
      wins = 0;
      seconds = Double.NaN;
      begin(at, sum, used, resetFrom, resetUntil);
      return;
    }
    endsFrom = Math.max(endsFrom, resetFrom);
    endsUntil = Math.min(endsUntil, resetUntil);
    double until = Math.max(resetUntil - at, 1e-3);
    double bucketRate = Math.max(0, used - noise) / until;
    boolean wouldRefill = bucketRate * (at - firstAt) > 2 * noise + 1;
    // What was used since would take this long to come back, so the reset would be later.
    double later = (used - firstUsed) * until / Math.max(used, 1);
    boolean wouldMove = later > 2 * (resetUntil - resetFrom) + 0.02;
    if (wouldRefill || wouldMove) {
      wins++;
      losses = wins > MOST_LOSSES ? 0 : losses;
      firstAt = at;
      firstSum = sum;
      firstUsed = used;
    }
  }

  private void begin(double at, double sum, double used, double resetFrom, double resetUntil) {
    firstAt = at;
    firstUsed = used;
    firstSum = sum;
    endsFrom = resetFrom;
    endsUntil = resetUntil;
  }

  /** A send took less than was thought. */
  void giveBack(double sentAt, double amount) {
    if (sentAt <= firstAt) {
      firstSum -= amount;
    }
  }

  @Override
  public String toString() {
    return isRecognized()
        ? "window of %.2f s, ends %.2f-%.2f".formatted(seconds, endsFrom, endsUntil)
        : "no window";
  }
}
