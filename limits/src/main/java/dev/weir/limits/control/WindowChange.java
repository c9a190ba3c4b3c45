package dev.weir.limits.control;

/**
 * One move of a window.
 *
 * @param nanos when, on the clock of the caller
 * @param from the window before
 * @param to the window after, never the same
 */
public record WindowChange(long nanos, int from, int to, Reason reason) {

  public WindowChange {
    if (from < 1) {
      throw new IllegalArgumentException("`from` must be >= 1, was " + from);
    }
    if (to < 1 || to == from) {
      throw new IllegalArgumentException(
          "`to` must be >= 1 and differ from `from` (" + from + "), was " + to);
    }
  }

  /** Why a window moved; logs carry the {@link #wireName()}. */
  public enum Reason {
    /** Doubled: a clean round before the first refusal. */
    SLOW_START("slow_start"),
    /** Grown by a few percent: a clean round after the first refusal. */
    STEADY_STATE_UP("steady_state_up"),
    /** Cut: the provider refused. */
    RATE_LIMIT("rate_limit"),
    /** Moved by hand, while calls were in flight. */
    MANUAL("manual"),
    /** Grown by one: sustained success in mode {@code halving}. */
    RECOVERED("recovered"),
    /** Cut before a refusal: headers said that little of the quota remains. */
    HEADER("header"),
    /** A cap on requests in flight was recognised, or withdrawn. */
    CAP("cap"),
    /** One more than the cap is tried. */
    PROBE("probe"),
    /** Latency rose and throughput did not, or the reverse. */
    LATENCY("latency");

    private final String wireName;

    Reason(String wireName) {
      this.wireName = wireName;
    }

    public String wireName() {
      return wireName;
    }
  }
}
