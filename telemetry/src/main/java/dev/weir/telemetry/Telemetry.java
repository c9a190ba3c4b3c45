package dev.weir.telemetry;

import dev.weir.limits.EngineLimits;
import dev.weir.limits.Lane;
import dev.weir.limits.control.WindowChange;
import dev.weir.limits.event.LimitEvent;
import dev.weir.limits.event.Notice;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.model.CallEvent;
import dev.weir.model.CallListener;
import dev.weir.model.ModelName;
import dev.weir.model.Response;
import dev.weir.model.Usage;
import dev.weir.model.price.Price;
import dev.weir.model.price.Spend;
import dev.weir.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What calls do and how full limits are: the metrics of docs/metrics.md, and {@link Saturation}.
 *
 * <p>It listens to the calls of models ({@link dev.weir.model.Model#with(CallListener)}) and to the
 * notices of a regulator ({@link dev.weir.limits.Regulator#subscribe}). Calls in batches count as
 * inferences, with tokens and cost, but not as in flight: limits on calls in flight are not for
 * them. Thread-safe.
 */
public final class Telemetry implements CallListener {

  /**
   * So many names of models, and of engines, have labels of their own, beside those that are
   * configured.
   */
  public static final int MOST_MODEL_NAMES = 100;

  /** Lanes are opened for each account, model and name that a client makes up. */
  static final int MOST_LANES = 1_000;

  /** Clients of a gateway may make up names. */
  private static final int MOST_PRICES = 1_000;

  private final Time time;
  private final Function<ModelName, Optional<Price>> prices;
  private final Map<ModelName, Optional<Price>> knownPrices = new ConcurrentHashMap<>();
  private final ModelUses uses;
  private final Metrics metrics;
  private volatile boolean isConfigurationRead = true;
  // By the scope that notices name; a family has several lanes.
  private final Map<String, List<Lane>> lanesByScope = new ConcurrentHashMap<>();
  // Guarded by itself.
  private final Set<Lane> lanes = new LinkedHashSet<>();

  /**
   * @param prices what models cost, where it is known
   */
  public Telemetry(Time time, Function<ModelName, Optional<Price>> prices) {
    this(time, prices, MOST_MODEL_NAMES);
  }

  /**
   * @param mostModelNames from then on, new names count as {@code other}
   */
  public Telemetry(Time time, Function<ModelName, Optional<Price>> prices, int mostModelNames) {
    if (mostModelNames < 1) {
      throw new IllegalArgumentException("`mostModelNames` must be >= 1, was " + mostModelNames);
    }
    this.time = time;
    this.prices = prices;
    this.uses = new ModelUses(mostModelNames);
    this.metrics = new Metrics(uses, () -> new LinkedHashMap<>(lanesByLabels()), time::nanos);
  }

  // What it listens to.

  /**
   * Publishes configured limits, in place of all that were configured before. They are there from
   * then on, before the first call, and gone as soon as they are configured no more.
   */
  public void limitTo(EngineLimits limits) {
    uses.limitTo(limits, time.nanos());
  }

  /**
   * Publishes whether the configuration could be read when it was last looked at.
   *
   * @param at when it was last read
   */
  public void configured(boolean isRead, Instant at) {
    isConfigurationRead = isRead;
    metrics.configured(isRead, at);
  }

  /**
   * Publishes queue and window of a lane, of the first 1,000; to be called when it is opened. Calls
   * of further lanes count all the same.
   */
  public void watch(Lane lane) {
    if (!lane.isLive()) {
      return;
    }
    long now = time.nanos();
    var _ = uses.engine(uses.model(ModelLabels.of(lane.key()), now), now);
    synchronized (lanes) {
      if (lanes.size() == MOST_LANES || !lanes.add(lane)) {
        return;
      }
    }
    lane.key()
        .scopes()
        .forEach(
            scope ->
                lanesByScope.merge(
                    scope,
                    List.of(lane),
                    (some, more) -> {
                      List<Lane> all = new ArrayList<>(some);
                      all.addAll(more);
                      return List.copyOf(all);
                    }));
  }

  @Override
  public void on(CallEvent event) {
    long now = event.nanos();
    boolean isLive = !event.call().isBatched();
    switch (event) {
      case CallEvent.Queued queued -> uses.begin(queued.call(), now);
      case CallEvent.Sent sent -> {
        if (isLive) {
          ModelUse use = uses.of(sent.call(), now);
          use.sent(now);
          uses.engine(use, now).sent(now);
        }
      }
      case CallEvent.Answered answered -> {
        AttemptLabels labels = AttemptLabels.of(event.call(), answered.response());
        Usage usage = answered.response() instanceof Response.Reply reply ? reply.usage() : null;
        answered(answered, ended(event, labels, answered.took(), usage), isLive);
      }
      case CallEvent.Abandoned abandoned -> {
        AttemptLabels labels = AttemptLabels.of(event.call(), abandoned.cause());
        var _ = ended(event, labels, abandoned.took(), null);
      }
      case CallEvent.Ended ended -> {
        if (isLive && ended.result() != CallEvent.Result.DEFECT) {
          metrics.waited(uses.of(ended.call(), now).labels(), ended.times());
        }
        uses.end(ended.call());
      }
    }
  }

  private ModelUse ended(
      CallEvent event, AttemptLabels labels, Duration took, @Nullable Usage usage) {
    ModelUse use = uses.of(event.call(), event.nanos());
    boolean isLive = !event.call().isBatched();
    if (isLive) {
      use.ended(event.nanos(), took);
      uses.engine(use, event.nanos()).ended(event.nanos(), took);
    }
    metrics.attempt(use.labels(), labels, isLive ? took : null, usage);
    return use;
  }

  private void answered(CallEvent.Answered answered, ModelUse use, boolean isLive) {
    AttemptLabels.refusal(answered.response())
        .ifPresent(reason -> metrics.refused(use.labels(), reason));
    if (answered.response() instanceof Response.RateLimited(_, ResponseFacts facts, _) && isLive) {
      use.refused(
          answered.nanos(),
          answered.took(),
          facts.limitKind().flatMap(Resource::named),
          uses.engine(use, answered.nanos()));
    }
    if (answered.response() instanceof Response.Reply reply) {
      metrics.cost(use.labels(), cost(answered, reply));
      if (isLive) {
        use.used(answered.nanos(), reply.usage());
      }
    }
  }

  /** Without reported usage the cost is unknown, which is not zero. */
  private OptionalDouble cost(CallEvent.Answered answered, Response.Reply reply) {
    if (!reply.usage().isTold()) {
      return OptionalDouble.empty();
    }
    ModelName model = answered.call().model();
    Optional<Price> price =
        knownPrices.size() < MOST_PRICES
            ? knownPrices.computeIfAbsent(model, prices)
            : prices.apply(model);
    Spend spend =
        answered.call().isBatched() ? Spend.ofBatched(price, reply) : Spend.of(price, reply);
    return spend.total().isPresent()
        ? OptionalDouble.of(spend.known().doubleValue())
        : OptionalDouble.empty();
  }

  /** Takes what happens to limits. */
  public void noted(Notice notice) {
    switch (notice.event()) {
      case LimitEvent.WindowChanged(int before, int after, WindowChange.Reason reason) ->
          lanes(notice).forEach(lane -> windowChanged(notice, lane, before, after, reason));
      case LimitEvent.LimitLearned(var dimension, double perSecond, var source) -> {
        var rate = new ModelUse.Known(perSecond * 60, LimitSource.of(source));
        lanes(notice)
            .forEach(lane -> use(lane).learned(notice.scope(), Resource.of(dimension), rate));
      }
      default -> {
        // Refusals and retries come with the events of calls.
      }
    }
  }

  private List<Lane> lanes(Notice notice) {
    return lanesByScope.getOrDefault(notice.scope(), List.of());
  }

  private void windowChanged(
      Notice notice, Lane lane, int before, int after, WindowChange.Reason reason) {
    ModelUse use = use(lane);
    metrics.limitChanged(use.labels(), after > before, reason.wireName());
    boolean isCut =
        after < before
            && switch (reason) {
              case RATE_LIMIT, HEADER, CAP -> true;
              case SLOW_START, STEADY_STATE_UP, MANUAL, RECOVERED, PROBE, LATENCY -> false;
            };
    if (isCut || use.hasLearned(notice.scope())) {
      // A window that is as wide as it may be was withdrawn: nothing is known of a limit then.
      use.learned(
          notice.nanos(),
          notice.scope(),
          after < lane.mode().mostInFlight() ? OptionalInt.of(after) : OptionalInt.empty());
    }
  }

  private ModelUse use(Lane lane) {
    return uses.model(ModelLabels.of(lane.key()), time.nanos());
  }

  private Map<ModelLabels, List<Lane>> lanesByLabels() {
    Map<ModelLabels, List<Lane>> byLabels = new LinkedHashMap<>();
    List<Lane> all;
    synchronized (lanes) {
      all = List.copyOf(lanes);
    }
    all.forEach(
        lane -> byLabels.computeIfAbsent(use(lane).labels(), _ -> new ArrayList<>()).add(lane));
    return byLabels;
  }

  // What it knows.

  /**
   * All metrics at this moment.
   *
   * @param accept which formats the scraper takes, as its header says: OpenMetrics if it asks for
   *     that, else Prometheus' text format
   */
  public Exposition expose(Optional<String> accept) {
    return metrics.expose(accept.orElse(null));
  }

  /** Whether the configuration could be read when it was last looked at. */
  public boolean isConfigurationRead() {
    return isConfigurationRead;
  }

  /** Calls to a model that wait for their turn or for the time of their next attempt. */
  public int waiting(String engine, String model) {
    int waiting = 0;
    for (Lane lane : lanesByLabels().getOrDefault(new ModelLabels(engine, model), List.of())) {
      Lane.Status status = lane.status();
      waiting += status.waiting() + status.backingOff();
    }
    return waiting;
  }

  /**
   * The limits that contradict what is observed.
   *
   * @return why, by the name of the model
   */
  public Map<String, Set<OutOfDate.Reason>> outOfDate() {
    long now = time.nanos();
    Map<String, Set<OutOfDate.Reason>> found = new LinkedHashMap<>();
    for (ModelUse use : uses.models()) {
      Set<OutOfDate.Reason> reasons = uses.outOfDate(use, now);
      if (!reasons.isEmpty()) {
        found.put(use.labels().engine() + "/" + use.labels().model(), reasons);
      }
    }
    return found;
  }

  /** How full each known limit is at this moment. */
  public Saturation saturation() {
    long now = time.nanos();
    List<Saturation.Point> points = new ArrayList<>();
    for (EngineUse engine : uses.engines()) {
      points.addAll(engine.points(now));
      uses.models().stream()
          .filter(use -> use.labels().engine().equals(engine.engine()))
          .forEach(use -> points.addAll(use.points(now)));
    }
    return new Saturation(points);
  }

  /**
   * How full a limit was within the last hour: in flight the highest in each step, else the use of
   * the minute that ended with it.
   *
   * @param model absent for the limit of a whole engine
   * @return absent if no such limit is known
   */
  public Optional<Saturation.History> history(
      String engine, Optional<String> model, Resource resource) {
    long now = time.nanos();
    if (model.isPresent()) {
      return Optional.ofNullable(uses.find(new ModelLabels(engine, model.get())))
          .flatMap(use -> use.history(resource, now));
    }
    return resource == Resource.CONCURRENCY
        ? uses.engines().stream()
            .filter(use -> use.engine().equals(engine))
            .findFirst()
            .flatMap(use -> use.history(now))
        : Optional.empty();
  }
}
