package dev.weir.eval.run;

import dev.weir.limits.Lane;
import dev.weir.limits.Mode;
import dev.weir.limits.RateCeiling;
import dev.weir.limits.Waiting;
import dev.weir.limits.event.Constraint;
import dev.weir.limits.header.Dimension;
import dev.weir.model.Adapter;
import dev.weir.model.ExchangeListener;
import dev.weir.model.ModelName;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.Usage;
import dev.weir.model.price.Spend;
import dev.weir.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Watches the calls to one model: what is used of its quotas, what was refused, what it cost.
 *
 * <p>In mode {@code pace} the quotas are those that the lane goes by, in other modes those that
 * headers advertise. Thread-safe.
 */
public final class ModelMeter {

  private final Time time;
  private final ModelName name;
  private final Lane lane;
  private final List<String> scopes;

  // All guarded by this.
  private @Nullable LastMinute requests;
  private @Nullable LastMinute inputTokens;
  private @Nullable LastMinute outputTokens;
  private final Map<Dimension, Double> learned = new EnumMap<>(Dimension.class);
  private long refusals;
  private @Nullable String lastFailure;
  private Spend spend = Spend.NONE;

  ModelMeter(Time time, ModelName name, Lane lane) {
    this.time = time;
    this.name = name;
    this.lane = lane;
    this.scopes = lane.key().scopes();
  }

  /** The same adapter, watched. */
  public Adapter metered(Adapter adapter) {
    return new WatchedAdapter(adapter) {
      @Override
      public Response exchange(Request request, ExchangeListener listener)
          throws InterruptedException {
        sent();
        Response response = adapter.exchange(request, listener);
        ended(response);
        return response;
      }
    };
  }

  private synchronized void sent() {
    long now = time.nanos();
    if (requests == null) {
      requests = new LastMinute(now);
      inputTokens = new LastMinute(now);
      outputTokens = new LastMinute(now);
    }
    requests.add(now, 1);
  }

  private synchronized void ended(Response response) {
    switch (response) {
      case Response.Reply reply -> {
        Usage usage = reply.usage();
        long now = time.nanos();
        if (inputTokens != null && outputTokens != null) {
          // What a provider has in its cache does not count against most limits.
          inputTokens.add(now, (double) Math.max(0, usage.inputTokens() - usage.cacheReadTokens()));
          outputTokens.add(now, (double) usage.outputTokens());
        }
      }
      case Response.RateLimited _, Response.Overloaded _ -> {
        refusals++;
        failed(response);
      }
      case Response.Failure _ -> failed(response);
    }
  }

  private void failed(Response response) {
    OptionalInt status = response.origin().status();
    lastFailure = status.isPresent() ? String.valueOf(status.getAsInt()) : response.word();
  }

  /** A rate that has become known in a scope; of interest if the scope is one of this model's. */
  synchronized void learned(String scope, Dimension dimension, double perSecond) {
    if (scopes.contains(scope)) {
      learned.put(dimension, perSecond * 60);
    }
  }

  synchronized void cost(Spend of) {
    spend = spend.plus(of);
  }

  /** How many requests per minute the provider allows, if that is known. */
  synchronized OptionalDouble requestQuota() {
    return quota(Dimension.REQUESTS);
  }

  private OptionalDouble quota(Dimension dimension) {
    OptionalDouble given = given(dimension);
    if (isGiven(dimension)) {
      return given;
    }
    Double perMinute = learned.get(dimension);
    return perMinute == null ? OptionalDouble.empty() : OptionalDouble.of(perMinute);
  }

  /** Whether an option allows less than the provider does, as far as that is known. */
  private boolean isGiven(Dimension dimension) {
    double given = given(dimension).orElse(Double.POSITIVE_INFINITY);
    // A rate that was computed may differ in the last digit.
    return given < Double.POSITIVE_INFINITY
        && given <= learned.getOrDefault(dimension, given) * (1 + 1e-9);
  }

  private OptionalDouble given(Dimension dimension) {
    RateCeiling ceiling =
        lane.mode() instanceof Mode.Pace(var settings)
            ? new RateCeiling(settings.requestsPerMinute(), settings.tokensPerMinute())
            : lane.ceiling();
    return switch (dimension) {
      case REQUESTS -> ceiling.requestsPerMinute();
      case TOKENS -> ceiling.tokensPerMinute();
      case INPUT_TOKENS, OUTPUT_TOKENS -> OptionalDouble.empty();
    };
  }

  ModelProgress progress() {
    Lane.Status status = lane.status();
    Waiting waiting = lane.waitingFor();
    long now = time.nanos();
    OptionalLong until = waiting.untilNanos();
    synchronized (this) {
      return new ModelProgress(
          name.toString(),
          status,
          waiting,
          until.isPresent()
              ? Optional.of(Duration.ofNanos(Math.max(0, until.getAsLong() - now)))
              : Optional.empty(),
          refusals,
          Optional.ofNullable(lastFailure),
          rates(now, waiting),
          spend);
    }
  }

  /**
   * Whether a call waits for an option. In mode {@code pace} the pace may be that of the provider,
   * too; the other modes have none but the ceiling that was given.
   */
  private boolean isHeldByOption(Dimension dimension, Waiting waiting) {
    return !(lane.mode() instanceof Mode.Pace)
        && waiting.constraint() == Constraint.PACE
        && waiting.dimension().filter(dimension::equals).isPresent()
        && given(dimension).isPresent();
  }

  private List<ModelProgress.Rate> rates(long now, Waiting waiting) {
    double input = perMinute(inputTokens, now);
    double output = perMinute(outputTokens, now);
    ToDoubleFunction<Dimension> used =
        dimension ->
            switch (dimension) {
              case REQUESTS -> perMinute(requests, now);
              case TOKENS -> input + output;
              case INPUT_TOKENS -> input;
              case OUTPUT_TOKENS -> output;
            };
    List<ModelProgress.Rate> rates = new ArrayList<>();
    boolean hasParts =
        quota(Dimension.INPUT_TOKENS).isPresent() || quota(Dimension.OUTPUT_TOKENS).isPresent();
    for (Dimension dimension : Dimension.values()) {
      boolean isHeld = isHeldByOption(dimension, waiting);
      OptionalDouble quota = isHeld ? given(dimension) : quota(dimension);
      boolean isShown =
          dimension == Dimension.REQUESTS || (dimension == Dimension.TOKENS && !hasParts);
      if (isShown || quota.isPresent()) {
        rates.add(
            new ModelProgress.Rate(
                dimension, used.applyAsDouble(dimension), quota, isHeld || isGiven(dimension)));
      }
    }
    return rates;
  }

  private static double perMinute(@Nullable LastMinute amount, long now) {
    return amount == null ? 0 : amount.perMinute(now);
  }
}
