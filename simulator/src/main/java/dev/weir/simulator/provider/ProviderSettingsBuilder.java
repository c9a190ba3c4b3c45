package dev.weir.simulator.provider;

import dev.weir.simulator.provider.ProviderSettings.Acceleration;
import dev.weir.simulator.provider.ProviderSettings.Advertising;
import dev.weir.simulator.provider.ProviderSettings.CalendarWindow;
import dev.weir.simulator.provider.ProviderSettings.Cap;
import dev.weir.simulator.provider.ProviderSettings.Faults;
import dev.weir.simulator.provider.ProviderSettings.LimitChange;
import dev.weir.simulator.provider.ProviderSettings.OtherTraffic;
import dev.weir.simulator.provider.ProviderSettings.Overload;
import dev.weir.simulator.provider.ProviderSettings.Quota;
import dev.weir.simulator.provider.ProviderSettings.RetryAfter;
import dev.weir.simulator.provider.ProviderSettings.Span;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Collects {@link ProviderSettings}; what is not called is off. */
public final class ProviderSettingsBuilder {

  private Optional<Quota> requests = Optional.empty();
  private Optional<Quota> hiddenRequests = Optional.empty();
  private Optional<Quota> tokens = Optional.empty();
  private Optional<Quota> inputTokens = Optional.empty();
  private Optional<Quota> outputTokens = Optional.empty();
  private Optional<CalendarWindow> calendar = Optional.empty();
  private Optional<Cap> cap = Optional.empty();
  private double refusalCost;
  private Optional<Acceleration> acceleration = Optional.empty();
  private OtherTraffic otherTraffic = OtherTraffic.NONE;
  private final List<LimitChange> schedule = new ArrayList<>();
  private final List<Span> outages = new ArrayList<>();
  private Optional<Overload> overload = Optional.empty();
  private double errorRate;
  private double hangRate;
  private boolean quotaHeaders;
  private RetryAfter retryAfter = RetryAfter.ABSENT;
  private boolean kind;
  private double strayRate;
  private Optional<Advertisement> as = Optional.empty();
  private Duration oneWayDelay = Duration.ofMillis(30);

  ProviderSettingsBuilder() {}

  public ProviderSettingsBuilder requests(Quota quota) {
    requests = Optional.of(quota);
    return this;
  }

  public ProviderSettingsBuilder hiddenRequests(Quota quota) {
    hiddenRequests = Optional.of(quota);
    return this;
  }

  public ProviderSettingsBuilder tokens(Quota quota) {
    tokens = Optional.of(quota);
    return this;
  }

  public ProviderSettingsBuilder inputTokens(Quota quota) {
    inputTokens = Optional.of(quota);
    return this;
  }

  public ProviderSettingsBuilder outputTokens(Quota quota) {
    outputTokens = Optional.of(quota);
    return this;
  }

  public ProviderSettingsBuilder calendar(Duration window, Duration phase) {
    calendar = Optional.of(new CalendarWindow(window, phase));
    return this;
  }

  public ProviderSettingsBuilder refusesAbove(int slots) {
    cap = Optional.of(new Cap(slots, false));
    return this;
  }

  public ProviderSettingsBuilder queuesAbove(int slots) {
    cap = Optional.of(new Cap(slots, true));
    return this;
  }

  public ProviderSettingsBuilder refusalCost(double amount) {
    refusalCost = amount;
    return this;
  }

  public ProviderSettingsBuilder acceleration(double factor, double floorPerSecond) {
    acceleration = Optional.of(new Acceleration(factor, floorPerSecond));
    return this;
  }

  public ProviderSettingsBuilder otherTraffic(double requestsPerSecond, double tokensPerSecond) {
    otherTraffic = new OtherTraffic(requestsPerSecond, tokensPerSecond);
    return this;
  }

  /** Adds a change of the quotas; they are given in order. */
  public ProviderSettingsBuilder change(Duration at, double factor) {
    schedule.add(new LimitChange(at, factor));
    return this;
  }

  public ProviderSettingsBuilder outage(Duration from, Duration until) {
    outages.add(new Span(from, until));
    return this;
  }

  public ProviderSettingsBuilder overload(Duration from, Duration until, double rate) {
    overload = Optional.of(new Overload(new Span(from, until), rate));
    return this;
  }

  public ProviderSettingsBuilder errorRate(double rate) {
    errorRate = rate;
    return this;
  }

  public ProviderSettingsBuilder hangRate(double rate) {
    hangRate = rate;
    return this;
  }

  public ProviderSettingsBuilder strayRate(double rate) {
    strayRate = rate;
    return this;
  }

  /** Responses carry headers as this writes them, refusals the wait to the millisecond. */
  public ProviderSettingsBuilder advertise(Advertisement how) {
    as = Optional.of(how);
    quotaHeaders = true;
    retryAfter = RetryAfter.EXACT;
    return this;
  }

  public ProviderSettingsBuilder quotaHeaders() {
    quotaHeaders = true;
    return this;
  }

  public ProviderSettingsBuilder retryAfter(RetryAfter form) {
    retryAfter = form;
    return this;
  }

  public ProviderSettingsBuilder tellsKind() {
    kind = true;
    return this;
  }

  public ProviderSettingsBuilder oneWayDelay(Duration delay) {
    oneWayDelay = delay;
    return this;
  }

  public ProviderSettings build() {
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
        new Faults(outages, overload, errorRate, hangRate, strayRate),
        new Advertising(quotaHeaders, retryAfter, kind, as),
        oneWayDelay);
  }
}
