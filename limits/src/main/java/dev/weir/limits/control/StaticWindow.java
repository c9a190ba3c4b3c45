package dev.weir.limits.control;

import dev.weir.limits.control.WindowChange.Reason;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Mode {@code static}: the window is what was asked for, whatever the provider says.
 *
 * <p>Not thread-safe.
 */
public final class StaticWindow implements WindowControl {

  /** The window when nobody asked for another. */
  public static final int DEFAULT = 10;

  private final Window window;

  /**
   * @param window at least 1
   */
  public StaticWindow(int window) {
    if (window < 1) {
      throw new IllegalArgumentException("`window` must be >= 1, was " + window);
    }
    this.window = new Window(window);
  }

  @Override
  public int window() {
    return window.size();
  }

  @Override
  public void acquired(long now, int inFlight) {}

  @Override
  public void succeeded(long now, boolean neutral) {}

  @Override
  public void rateLimited(long now, Optional<Duration> retryAfter, Optional<Duration> reset) {}

  @Override
  public void transientFailure(long now) {}

  @Override
  public void quotaSeen(long now, double remainingShare) {}

  /** Sets the window itself, up or down. */
  @Override
  public void retune(long now, int max) {
    Window.checkMax(max);
    window.moveTo(max, now, Reason.MANUAL);
  }

  @Override
  public long moves() {
    return window.moves();
  }

  @Override
  public List<WindowChange> history() {
    return window.history();
  }
}
