package dev.weir.limits.control;

import dev.weir.limits.control.WindowChange.Reason;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Mode {@code halving}: the adaptive concurrency that promptfoo documents [1].
 *
 * <p>The page gives three rules and two bounds. When a rate limit is hit, concurrency is reduced by
 * 50 %. After sustained successful requests it increases by 1. When the remaining quota, known from
 * headers, drops below 10 %, it is proactively reduced. It starts at the configured maximum, never
 * exceeds it, and has a floor of 1 unless another is set. The program itself grows by half and cuts
 * at every response; this follows the page, and where the page leaves a choice, chooses:
 *
 * <ul>
 *   <li>Each refusal halves, also within one burst: the page knows no episodes. Half of an odd
 *       window is rounded down. The owner passes on no refusal of a request that was sent before a
 *       proactive reduction, since that was made for it.
 *   <li>Sustained means 5 answers in a row. A refusal or a transient failure breaks the row, a
 *       proactive reduction does not. An answer from a cache or after a retry neither counts nor
 *       breaks it. After a step the row begins anew.
 *   <li>The proactive reduction is by half too, the only amount the page names. It happens once
 *       when the share drops below 10 %, and again only after it was back at 10 % or more. Applied
 *       to each response it would drive the window to 1 with not a single refusal: the responses
 *       still on their way when it is cut all tell of the same low quota.
 *   <li>The waits that a refusal names do not matter here; they only say when to try again.
 * </ul>
 *
 * <p>Not thread-safe.
 *
 * <p>[1] https://www.promptfoo.dev/docs/configuration/rate-limits/
 */
public final class Halving implements WindowControl {

  /** The largest window when nobody asked for another. */
  public static final int DEFAULT_MAX = 4;

  private static final int SUSTAINED = 5;
  private static final double LOW_SHARE = 0.1;

  private int ceiling;
  // As asked for; a lower ceiling holds it down for as long as it is there.
  private int floor;
  private final Window window;

  private int answersInARow;
  private boolean quotaLow;

  /**
   * @param max the first and the largest window, at least 1
   */
  public Halving(int max) {
    this(max, 1);
  }

  /**
   * @param max the first and the largest window, at least 1
   * @param min the smallest window, from 1 to {@code max}
   */
  public Halving(int max, int min) {
    checkBounds(max, min);
    this.ceiling = max;
    this.floor = min;
    this.window = new Window(max);
  }

  @Override
  public int window() {
    return window.size();
  }

  /** Does nothing: success counts whether or not the window was used. */
  @Override
  public void acquired(long now, int inFlight) {}

  @Override
  public void succeeded(long now, boolean neutral) {
    if (neutral) {
      return;
    }
    answersInARow++;
    if (answersInARow == SUSTAINED) {
      answersInARow = 0;
      if (window.size() < ceiling) {
        window.moveTo(window.size() + 1, now, Reason.RECOVERED);
      }
    }
  }

  @Override
  public void rateLimited(long now, Optional<Duration> retryAfter, Optional<Duration> reset) {
    answersInARow = 0;
    halve(now, Reason.RATE_LIMIT);
  }

  @Override
  public void transientFailure(long now) {
    answersInARow = 0;
  }

  @Override
  public void quotaSeen(long now, double remainingShare) {
    if (!(remainingShare >= 0)) {
      throw new IllegalArgumentException("`remainingShare` must be >= 0, was " + remainingShare);
    }
    boolean wasLow = quotaLow;
    quotaLow = remainingShare < LOW_SHARE;
    if (quotaLow && !wasLow) {
      halve(now, Reason.HEADER);
    }
  }

  /** {@inheritDoc} A higher one only makes room for growth. */
  @Override
  public void retune(long now, int max) {
    Window.checkMax(max);
    ceiling = max;
    window.moveTo(Math.clamp(window.size(), lowest(), ceiling), now, Reason.MANUAL);
  }

  /** Changes both bounds: the window moves only as far as they make it. */
  public void retune(long now, int max, int min) {
    checkBounds(max, min);
    floor = min;
    retune(now, max);
  }

  @Override
  public long moves() {
    return window.moves();
  }

  @Override
  public List<WindowChange> history() {
    return window.history();
  }

  private void halve(long now, Reason reason) {
    window.moveTo(Math.max(window.size() / 2, lowest()), now, reason);
  }

  private int lowest() {
    return Math.min(floor, ceiling);
  }

  private static void checkBounds(int max, int min) {
    Window.checkMax(max);
    if (min < 1 || min > max) {
      throw new IllegalArgumentException(
          "`min` must be from 1 to `max` (%d), was %d".formatted(max, min));
    }
  }
}
