package dev.weir.limits.control;

import dev.weir.limits.control.WindowChange.Reason;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Mode {@code aimd}: the adaptive connections that Inspect documents [1].
 *
 * <pre>
 *   SLOW START ──refusal: cut──> COOLDOWN ──time──> STEADY ──┐
 *   ×2 per round                    ^               +5 %     │
 *                                   └──────refusal: cut──────┘
 * </pre>
 *
 * <ul>
 *   <li>A round is {@code max(window, 4)} clean answers. They need not follow each other: transient
 *       failures, and answers from a cache or after a retry, neither count nor start it anew.
 *   <li>At the end of a round the window grows if it was used: at some acquire of the round at
 *       least {@code 0.8 × window} were in flight. It doubles until the first refusal ever, after
 *       that it grows by {@code max(1, round(5 %))}, ties to even, up to the ceiling.
 *   <li>A refusal cuts to {@code floor(0.8 × window)}, not below the floor, starts the round anew
 *       and begins a cooldown of 15 s or, if longer, of the refusal's Retry-After or, without one,
 *       of its reset. In the cooldown no refusal cuts and no answer or acquire counts: they belong
 *       to requests sent before the cut, or to the same burst.
 * </ul>
 *
 * <p>Only the refusal that cuts sets the cooldown. If those that follow could extend it, a provider
 * that names a wait of more than a few seconds in each refusal would keep the cooldown from ever
 * ending: one cut, and then neither a cut nor growth for the rest of the run [2].
 *
 * <p>Factors are doubles and products are rounded as such, which is what the original does.
 *
 * <p>Not thread-safe.
 *
 * <p>[1] https://inspect.aisi.org.uk/models-concurrency.html; round, saturation and rounding, which
 * it leaves open, follow its source. [2] https://github.com/UKGovernmentBEIS/inspect_ai/issues/5137
 */
public final class Aimd implements WindowControl {

  /** Keeps a tiny window from growing on one or two answers. */
  private static final int SMALLEST_ROUND = 4;

  private static final double SATURATION = 0.8;
  private static final int ROUNDED_FROM = 10;

  private AimdSettings settings;
  private int floor;
  private int ceiling;
  private final Window window;

  private boolean slowStart = true;
  private int cleanAnswers;
  private int peakInFlight;

  private long cooldownBegin;
  private long cooldownNanos;

  public Aimd(AimdSettings settings) {
    this.settings = settings;
    this.floor = settings.min();
    this.ceiling = settings.max();
    this.window = new Window(settings.start());
  }

  @Override
  public int window() {
    return window.size();
  }

  // Sampled here and not when a permit comes back: by then one is missing, and of a window of 4
  // at most 3 would be seen in flight, which is below 0.8 and would end growth for ever.
  @Override
  public void acquired(long now, int inFlight) {
    if (inFlight < 1) {
      throw new IllegalArgumentException("`inFlight` must be >= 1, was " + inFlight);
    }
    if (!cooling(now)) {
      peakInFlight = Math.max(peakInFlight, inFlight);
    }
  }

  @Override
  public void succeeded(long now, boolean neutral) {
    if (neutral || cooling(now)) {
      return;
    }
    cleanAnswers++;
    if (cleanAnswers < Math.max(window.size(), SMALLEST_ROUND)) {
      return;
    }
    boolean saturated = peakInFlight >= SATURATION * window.size();
    beginRound();
    if (saturated) {
      grow(now);
    }
  }

  @Override
  public void rateLimited(long now, Optional<Duration> retryAfter, Optional<Duration> reset) {
    beginRound();
    slowStart = false;
    if (cooling(now)) {
      return; // and the cooldown stays as it is, see above
    }
    cooldownBegin = now;
    cooldownNanos = nanos(longer(settings.cooldown(), retryAfter.or(() -> reset)));
    window.moveTo(Math.max(cut(), floor), now, Reason.RATE_LIMIT);
  }

  /** Does nothing: fewer requests would not mend it, and its later answer comes as neutral. */
  @Override
  public void transientFailure(long now) {}

  /** Does nothing: this mode learns from refusals only. */
  @Override
  public void quotaSeen(long now, double remainingShare) {}

  /**
   * {@inheritDoc}
   *
   * <p>A ceiling below the floor lowers the floor with it, until the ceiling is raised again. The
   * window moves only as far as the bounds demand. (In the original a window that was pushed below
   * the floor stays there when the ceiling is raised, and the next refusal raises it.)
   */
  @Override
  public void retune(long now, int max) {
    Window.checkMax(max);
    ceiling = max;
    floor = Math.min(settings.min(), max);
    window.moveTo(Math.clamp(window.size(), floor, ceiling), now, Reason.MANUAL);
  }

  /**
   * Changes all settings but the start while calls are in flight. What was learned stays: the
   * window, as far as the bounds allow, the round, and a cooldown that has begun.
   */
  public void retune(long now, AimdSettings settings) {
    this.settings = settings;
    retune(now, settings.max());
  }

  @Override
  public long moves() {
    return window.moves();
  }

  @Override
  public List<WindowChange> history() {
    return window.history();
  }

  private void grow(long now) {
    if (slowStart) {
      window.moveTo((int) Math.min(2L * window.size(), ceiling), now, Reason.SLOW_START);
    } else {
      window.moveTo((int) Math.min(grown(), ceiling), now, Reason.STEADY_STATE_UP);
    }
  }

  private long grown() {
    long size = window.size();
    size += Math.max(1, (long) Math.rint(size * settings.scaleUpPercent()));
    return rounds(size) ? Math.ceilDiv(size, 5) * 5 : size;
  }

  private int cut() {
    int size = (int) (window.size() * settings.decreaseFactor());
    return rounds(size) ? size / 5 * 5 : size;
  }

  private boolean rounds(long size) {
    return settings.roundToFives() && size >= ROUNDED_FROM;
  }

  private void beginRound() {
    cleanAnswers = 0;
    peakInFlight = 0;
  }

  /** Compares a difference, since a monotonic clock may start anywhere and run over. */
  private boolean cooling(long now) {
    return cooldownNanos > 0 && now - cooldownBegin < cooldownNanos;
  }

  private static Duration longer(Duration cooldown, Optional<Duration> hint) {
    return hint.filter(wait -> wait.compareTo(cooldown) > 0).orElse(cooldown);
  }

  /** A wait beyond the range of a long, 292 years, is as good as the longest within it. */
  private static long nanos(Duration duration) {
    return duration.compareTo(Duration.ofNanos(Long.MAX_VALUE)) < 0
        ? duration.toNanos()
        : Long.MAX_VALUE;
  }
}
