package dev.weir.telemetry;

import dev.weir.limits.EngineLimits.Ceiling;
import dev.weir.model.Usage;
import dev.weir.telemetry.Saturation.Point;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.Set;

/** What is used of the limits of one model, and which are known. Thread-safe. */
final class ModelUse {

  private final ModelLabels labels;

  // All guarded by this.
  private final InFlight inFlight;
  private final AmountRing requests;
  private final AmountRing inputTokens;
  private final AmountRing outputTokens;
  private Ceiling configured = Ceiling.NONE;
  private final OutOfDate outOfDate = new OutOfDate();
  private boolean isUsed;
  // By scope, since several accounts add up.
  private final Map<String, Integer> windows = new LinkedHashMap<>();
  private final Map<String, Map<Resource, Known>> rates = new LinkedHashMap<>();

  ModelUse(ModelLabels labels, long now) {
    this.labels = labels;
    this.inFlight = new InFlight(now);
    this.requests = new AmountRing(now);
    this.inputTokens = new AmountRing(now);
    this.outputTokens = new AmountRing(now);
  }

  /** A limit and how it is known. */
  record Known(double limit, LimitSource source) {

    private Known plus(Known other) {
      return new Known(
          limit + other.limit, source.compareTo(other.source) > 0 ? source : other.source);
    }
  }

  ModelLabels labels() {
    return labels;
  }

  // What happens.

  synchronized void sent(long now) {
    isUsed = true;
    inFlight.sent(now);
    requests.add(now, 1);
  }

  synchronized void ended(long now, Duration took) {
    inFlight.ended(now, took);
  }

  synchronized void used(long now, Usage usage) {
    // What a provider has in its cache does not count against most limits.
    inputTokens.add(now, Math.max(0, usage.inputTokens() - usage.cacheReadTokens()));
    outputTokens.add(now, usage.outputTokens());
  }

  /**
   * An attempt was refused for a limit after so long.
   *
   * @param kind of the limit, if the engine named it: others say nothing of this refusal
   */
  synchronized void refused(long now, Duration took, Optional<Resource> kind, EngineUse engine) {
    shares(now, took, engine).entrySet().stream()
        .filter(share -> kind.isEmpty() || share.getKey() == kind.get())
        .mapToDouble(Map.Entry::getValue)
        .max()
        .ifPresent(fullest -> outOfDate.refused(now, fullest));
  }

  /** Of each configured limit, the highest share that was used within that time. */
  private Map<Resource, Double> shares(long now, Duration within, EngineUse engine) {
    Map<Resource, Double> shares = new EnumMap<>(Resource.class);
    if (engine.isLimited()) {
      shares.put(Resource.CONCURRENCY, engine.fullest(now, within));
    }
    if (configured.concurrency().isPresent()) {
      double share =
          (double) inFlight.ring().peak(now, within) / configured.concurrency().getAsInt();
      shares.merge(Resource.CONCURRENCY, share, Math::max);
    }
    for (Resource resource : Resource.PER_MINUTE) {
      OptionalDouble limit = configured.rates().perMinute(resource.dimension());
      if (limit.isPresent()) {
        shares.put(resource, perMinute(resource, now) / limit.getAsDouble());
      }
    }
    return shares;
  }

  /** Whether it ought to have a limit, and has none. */
  synchronized void require(boolean limit) {
    outOfDate.require(limit);
  }

  /** Why what is configured seems not to be what the engine allows. */
  synchronized Set<OutOfDate.Reason> outOfDate(long now, boolean isEngineLimited) {
    Map<Resource, Map<LimitSource, Double>> limits = new EnumMap<>(Resource.class);
    Resource.PER_MINUTE.forEach(resource -> limits.put(resource, rateLimits(resource)));
    boolean isLimitKnown =
        isEngineLimited
            || !concurrencyLimits().isEmpty()
            || limits.values().stream().anyMatch(of -> !of.isEmpty());
    return outOfDate.reasons(now, isUsed, isLimitKnown, limits);
  }

  synchronized void limitTo(long now, Ceiling ceiling) {
    if (!ceiling.equals(configured)) {
      outOfDate.forget();
    }
    configured = ceiling;
    inFlight.limitTo(now, inFlightLimit());
  }

  /**
   * A window that refusals have cut, or that follows one.
   *
   * @param window empty if it is no longer what refusals allow
   */
  synchronized void learned(long now, String scope, OptionalInt window) {
    if (window.isPresent()) {
      windows.put(scope, window.getAsInt());
    } else {
      windows.remove(scope);
    }
    inFlight.limitTo(now, inFlightLimit());
  }

  synchronized boolean hasLearned(String scope) {
    return windows.containsKey(scope);
  }

  synchronized void learned(String scope, Resource resource, Known rate) {
    rates.computeIfAbsent(scope, _ -> new EnumMap<>(Resource.class)).put(resource, rate);
  }

  // What is known.

  /** All limits on calls in flight that are known, by their source. */
  synchronized Map<LimitSource, Double> concurrencyLimits() {
    Map<LimitSource, Double> known = new EnumMap<>(LimitSource.class);
    configured.concurrency().ifPresent(limit -> known.put(LimitSource.CONFIGURED, (double) limit));
    if (!windows.isEmpty()) {
      known.put(LimitSource.LEARNED, (double) learnedWindow());
    }
    return known;
  }

  /** All limits on a rate that are known, by their source; per minute. */
  synchronized Map<LimitSource, Double> rateLimits(Resource resource) {
    Map<LimitSource, Double> known = new EnumMap<>(LimitSource.class);
    believed(resource).ifPresent(rate -> known.put(rate.source, rate.limit));
    // A configured limit hides a stated one: it is what counts.
    configured
        .rates()
        .perMinute(resource.dimension())
        .ifPresent(limit -> known.put(LimitSource.CONFIGURED, limit));
    return known;
  }

  synchronized Ceiling configured() {
    return configured;
  }

  synchronized Reading read(long now) {
    return Reading.of(inFlight, inFlightLimit(), now);
  }

  synchronized List<Point> points(long now) {
    List<Point> points = new ArrayList<>();
    first(concurrencyLimits())
        .ifPresent(
            known ->
                points.add(
                    Shares.concurrency(
                        labels.engine(),
                        Optional.of(labels.model()),
                        known.source,
                        known.limit,
                        inFlight,
                        now)));
    for (Resource resource : Resource.PER_MINUTE) {
      first(rateLimits(resource)).ifPresent(known -> points.add(point(resource, known, now)));
    }
    return points;
  }

  /** The most used within a minute, of those that ended within {@link Shares#RATE_PEAK}. */
  synchronized double peakPerMinute(Resource resource, long now) {
    return highest(perMinute(resource, now), minutes(resource, now, Shares.RATE_PEAK_SLOTS));
  }

  synchronized Optional<Saturation.History> history(Resource resource, long now) {
    boolean isRate = resource != Resource.CONCURRENCY;
    return first(isRate ? rateLimits(resource) : concurrencyLimits())
        .map(
            known ->
                Shares.history(
                    isRate
                        ? minutes(resource, now, LevelRing.SLOTS)
                        : inFlight.ring().peaks(now, LevelRing.SLOTS),
                    known.limit));
  }

  private Point point(Resource resource, Known known, long now) {
    double use = perMinute(resource, now);
    double[] minutes = minutes(resource, now, Shares.PEAK_SLOTS);
    return new Point(
        labels.engine(),
        Optional.of(labels.model()),
        resource,
        known.source,
        known.limit,
        use,
        highest(use, minutes),
        Shares.trend(minutes, known.limit, use));
  }

  private static double highest(double use, double[] minutes) {
    return Math.max(use, Arrays.stream(minutes).max().orElse(0));
  }

  private double perMinute(Resource resource, long now) {
    return switch (resource) {
      case REQUESTS -> requests.perMinute(now);
      case TOKENS -> inputTokens.perMinute(now) + outputTokens.perMinute(now);
      case INPUT_TOKENS -> inputTokens.perMinute(now);
      case OUTPUT_TOKENS -> outputTokens.perMinute(now);
      case CONCURRENCY -> throw new IllegalArgumentException("`resource` must be a rate");
    };
  }

  private double[] minutes(Resource resource, long now, int most) {
    return switch (resource) {
      case REQUESTS -> requests.minutes(now, most);
      case TOKENS -> sum(inputTokens.minutes(now, most), outputTokens.minutes(now, most));
      case INPUT_TOKENS -> inputTokens.minutes(now, most);
      case OUTPUT_TOKENS -> outputTokens.minutes(now, most);
      case CONCURRENCY -> throw new IllegalArgumentException("`resource` must be a rate");
    };
  }

  private static double[] sum(double[] some, double[] others) {
    var sum = new double[some.length];
    for (int i = 0; i < sum.length; i++) {
      sum[i] = some[i] + others[i];
    }
    return sum;
  }

  private OptionalInt inFlightLimit() {
    return configured.concurrency().isPresent() || windows.isEmpty()
        ? configured.concurrency()
        : OptionalInt.of(learnedWindow());
  }

  private int learnedWindow() {
    return windows.values().stream().mapToInt(Integer::intValue).sum();
  }

  private Optional<Known> believed(Resource resource) {
    return rates.values().stream()
        .map(ofScope -> Optional.ofNullable(ofScope.get(resource)))
        .flatMap(Optional::stream)
        .reduce(Known::plus);
  }

  private static Optional<Known> first(Map<LimitSource, Double> limits) {
    return limits.entrySet().stream()
        .findFirst()
        .map(known -> new Known(known.getValue(), known.getKey()));
  }
}
