package dev.weir.simulator.provider;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The limits and faults of a simulated provider, and what it tells about them.
 *
 * <p>All times count from the start of the provider.
 *
 * @param requests the request quota
 * @param hiddenRequests a second request quota that is enforced and never advertised
 * @param tokens the token quota: reserved at admission, settled when the request is finished
 * @param inputTokens a quota of prompts alone
 * @param outputTokens a quota of answers alone: reserved by what the client allows, at most all of
 *     it, and settled when the request is finished
 * @param calendar the quotas are filled at the boundaries of fixed windows, not continuously
 * @param cap how many requests are served at once
 * @param refusalCost what a refused request takes from the quota that refused it
 * @param acceleration the limit on growth
 * @param otherTraffic what others take from the quotas
 * @param schedule changes of the quotas over time, in order
 * @param faults what goes wrong
 * @param advertising what responses tell about the quotas
 * @param oneWayDelay the median time of a message between client and provider
 */
public record ProviderSettings(
    Optional<Quota> requests,
    Optional<Quota> hiddenRequests,
    Optional<Quota> tokens,
    Optional<Quota> inputTokens,
    Optional<Quota> outputTokens,
    Optional<CalendarWindow> calendar,
    Optional<Cap> cap,
    double refusalCost,
    Optional<Acceleration> acceleration,
    OtherTraffic otherTraffic,
    List<LimitChange> schedule,
    Faults faults,
    Advertising advertising,
    Duration oneWayDelay) {

  public ProviderSettings {
    if (!(refusalCost >= 0)) {
      throw new IllegalArgumentException("`refusalCost` must be >= 0, was " + refusalCost);
    }
    if (oneWayDelay.isNegative()) {
      throw new IllegalArgumentException("`oneWayDelay` must be >= 0, was " + oneWayDelay);
    }
    schedule = List.copyOf(schedule);
    for (int i = 1; i < schedule.size(); i++) {
      if (schedule.get(i).at().compareTo(schedule.get(i - 1).at()) < 0) {
        throw new IllegalArgumentException("`schedule` must be in order of time, was " + schedule);
      }
    }
  }

  /** A provider without limits and faults, 30 ms away, that tells nothing. */
  public static ProviderSettingsBuilder builder() {
    return new ProviderSettingsBuilder();
  }

  /** The same provider without what happens by chance; outages stay. */
  ProviderSettings withoutChance() {
    return with(new Faults(faults.outages(), Optional.empty(), 0, 0, 0), oneWayDelay);
  }

  /** The same provider next door. */
  ProviderSettings withoutDelay() {
    return with(faults, Duration.ZERO);
  }

  private ProviderSettings with(Faults otherFaults, Duration delay) {
    return new ProviderSettings(
        requests,
        hiddenRequests,
        tokens,
        inputTokens,
        outputTokens,
        calendar,
        cap,
        refusalCost,
        acceleration,
        otherTraffic,
        schedule,
        otherFaults,
        advertising,
        delay);
  }

  /**
   * @param perSecond what comes back per second; without meaning in calendar windows
   * @param burst what the quota holds when it is full; in calendar windows, per window
   */
  public record Quota(double perSecond, double burst) {

    public Quota {
      requirePositive("perSecond", perSecond);
      requirePositive("burst", burst);
    }

    public static Quota perMinute(double amount, double burst) {
      return new Quota(amount / 60, burst);
    }
  }

  /**
   * @param phase how much of the first window has passed at the start
   */
  public record CalendarWindow(Duration length, Duration phase) {

    public CalendarWindow {
      if (!length.isPositive() || phase.isNegative()) {
        throw new IllegalArgumentException(
            "`length` must be > 0 and `phase` >= 0, were " + length + " and " + phase);
      }
    }
  }

  /**
   * @param queues whether a request above the cap waits at the provider instead of being refused
   */
  public record Cap(int slots, boolean queues) {

    public Cap {
      if (slots < 1) {
        throw new IllegalArgumentException("`slots` must be >= 1, was " + slots);
      }
    }
  }

  /**
   * A limit on growth: the requests accepted per second over the last 10 s may not exceed {@code
   * factor} times those of the minute before, but always {@code floorPerSecond}.
   *
   * <p>Providers document that such a limit exists and not its rule; this one is ours.
   */
  public record Acceleration(double factor, double floorPerSecond) {

    public Acceleration {
      requirePositive("factor", factor);
      // Less than one request in ten seconds would let nothing begin.
      if (!(floorPerSecond >= 0.1)) {
        throw new IllegalArgumentException(
            "`floorPerSecond` must be >= 0.1, was " + floorPerSecond);
      }
    }
  }

  /** A steady flow that nobody refuses. */
  public record OtherTraffic(double requestsPerSecond, double tokensPerSecond) {

    static final OtherTraffic NONE = new OtherTraffic(0, 0);

    public OtherTraffic {
      if (!(requestsPerSecond >= 0) || !(tokensPerSecond >= 0)) {
        throw new IllegalArgumentException(
            "`requestsPerSecond` and `tokensPerSecond` must be >= 0, were %s and %s"
                .formatted(requestsPerSecond, tokensPerSecond));
      }
    }

    double perSecond(RefusalKind kind) {
      return switch (kind) {
        case REQUESTS -> requestsPerSecond;
        case TOKENS -> tokensPerSecond;
        // Nobody said what of their tokens is what.
        case INPUT_TOKENS, OUTPUT_TOKENS -> 0;
      };
    }
  }

  /**
   * @param factor multiplies the refill of all quotas (in calendar windows: what a window holds);
   *     the burst stays
   */
  public record LimitChange(Duration at, double factor) {

    public LimitChange {
      requirePositive("factor", factor);
    }
  }

  /** A part of the run, its end excluded. */
  public record Span(Duration from, Duration until) {

    public Span {
      if (from.isNegative() || until.compareTo(from) <= 0) {
        throw new IllegalArgumentException(
            "`until` must be > `from` >= 0, were " + until + " and " + from);
      }
    }

    boolean contains(long nanos) {
      return nanos >= from.toNanos() && nanos < until.toNanos();
    }
  }

  /**
   * @param rate how often a request within the span fails with 529, from 0 to 1
   */
  public record Overload(Span span, double rate) {

    public Overload {
      requireRate("rate", rate);
    }
  }

  /**
   * What goes wrong, in the order in which it strikes.
   *
   * @param outages every request fails with 503
   * @param errorRate how often a request fails with 500, from 0 to 1
   * @param hangRate how often an admitted request is never answered, from 0 to 1
   * @param strayRate how often a request is refused although no limit is exceeded, from 0 to 1
   */
  public record Faults(
      List<Span> outages,
      Optional<Overload> overload,
      double errorRate,
      double hangRate,
      double strayRate) {

    public Faults {
      outages = List.copyOf(outages);
      requireRate("errorRate", errorRate);
      requireRate("hangRate", hangRate);
      requireRate("strayRate", strayRate);
    }
  }

  /**
   * @param quota whether responses carry {@link QuotaHeaders}
   * @param kind whether a refusal names the quota that was exceeded
   * @param as how it is written; empty for a client that is handed the numbers themselves
   */
  public record Advertising(
      boolean quota, RetryAfter retryAfter, boolean kind, Optional<Advertisement> as) {}

  /** How a refusal says when to come back. */
  public enum RetryAfter {
    ABSENT,
    /** Rounded up, at least one. */
    WHOLE_SECONDS,
    EXACT
  }

  private static void requirePositive(String name, double value) {
    if (!(value > 0)) {
      throw new IllegalArgumentException("`%s` must be > 0, was %s".formatted(name, value));
    }
  }

  private static void requireRate(String name, double value) {
    if (!(value >= 0 && value <= 1)) {
      throw new IllegalArgumentException("`%s` must be from 0 to 1, was %s".formatted(name, value));
    }
  }
}
