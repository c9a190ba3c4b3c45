package dev.weir.model;

import dev.weir.limits.Attempt;
import dev.weir.limits.Call;
import dev.weir.limits.DeadlinePassedException;
import dev.weir.limits.Demand;
import dev.weir.limits.Lane;
import dev.weir.limits.Mode;
import dev.weir.limits.Permit;
import dev.weir.limits.Waiting;
import dev.weir.limits.header.Dimension;
import dev.weir.limits.header.QuotaSnapshot;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.retry.Outcome;
import dev.weir.model.cache.ResponseCache;
import dev.weir.model.tokens.TokenCounter;
import dev.weir.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A model behind its limits. Thread-safe. */
public final class Model {

  private final Time time;
  private final ModelName name;
  private final Adapter adapter;
  private final Lane lane;
  private final Consumer<AttemptRecord> trace;
  private final TokenEstimate estimate;
  // Shared by the same model with and without a cache.
  private final AtomicBoolean isRefining;
  private final @Nullable CachedCalls cached;
  private final @Nullable Recalled recalled;
  private final boolean isTokenTierKnown;

  /** Of the last attempt that ended, of whichever call; empty if it was answered. For people. */
  private volatile String lastProblem = "";

  /**
   * @param trace is told of each attempt when it has ended
   */
  public Model(
      Time time, ModelName name, Adapter adapter, Lane lane, Consumer<AttemptRecord> trace) {
    this(
        time,
        name,
        adapter,
        lane,
        trace,
        new TokenEstimate(
            TokenCounter.of(name.provider(), name.model()),
            OutputCharge.of(adapter.key().engine())),
        new AtomicBoolean(),
        null,
        null);
  }

  private record Recalled(Recollection answers, CacheKeys keys) {}

  private Model(
      Time time,
      ModelName name,
      Adapter adapter,
      Lane lane,
      Consumer<AttemptRecord> trace,
      TokenEstimate estimate,
      AtomicBoolean isRefining,
      @Nullable CachedCalls cached,
      @Nullable Recalled recalled) {
    this.time = time;
    this.name = name;
    this.adapter = adapter;
    this.lane = lane;
    this.trace = trace;
    this.estimate = estimate;
    this.isRefining = isRefining;
    this.cached = cached;
    this.recalled = recalled;
    this.isTokenTierKnown =
        lane.mode() instanceof Mode.Pace(var tier) && tier.tokensPerMinute().isPresent();
  }

  /**
   * The same model, whose answers are kept and found again. Identical calls in progress become one.
   *
   * @param arguments of the model, as far as they shape its answers; never a credential
   */
  public Model with(ResponseCache cache, Map<String, String> arguments) {
    var calls = new CachedCalls(time, name, cache, keys(arguments));
    return new Model(time, name, adapter, lane, trace, estimate, isRefining, calls, recalled);
  }

  /**
   * The same model, whose answers are kept and, to who asks the same again, given again. They wait
   * for no limit then, and for no cache.
   *
   * @param arguments of the model, as far as they shape its answers; never a credential
   */
  public Model with(Recollection answers, Map<String, String> arguments) {
    var again = new Recalled(answers, keys(arguments));
    return new Model(time, name, adapter, lane, trace, estimate, isRefining, cached, again);
  }

  private CacheKeys keys(Map<String, String> arguments) {
    return new CacheKeys(name, adapter.endpoint(), arguments, adapter::shape);
  }

  public ModelName name() {
    return name;
  }

  /**
   * Asks the model, waiting and retrying as its limits say; the value is the last response.
   *
   * <p>An answer from a cache waits for no limit and tells them nothing: its outcome is {@link
   * Outcome.Nothing}, it counts as one attempt, and its origin says where it is from.
   *
   * @param demand its estimate is replaced by that of the request, and its deadline by an earlier
   *     one of the request
   */
  public Call<Response> generate(Request request, Demand demand) throws InterruptedException {
    return generate(request, demand, Reader.NONE);
  }

  /** As {@link #generate(Request, Demand)}, with the pieces of the answer as they arrive. */
  public Call<Response> generate(Request request, Demand demand, Reader reader)
      throws InterruptedException {
    if (recalled != null) {
      Optional<Response.Reply> before =
          recalled
              .answers
              .take(request, recalled.keys.of(request).hex())
              .flatMap(text -> ReplyCodec.decode(text, name))
              .map(reply -> reply.with(reply.origin().asMade()));
      if (before.isPresent()) {
        return CachedCalls.known(before.get(), Duration.ZERO, reader);
      }
    }
    Demand asked = demand.until(Math.min(demand.deadlineNanos(), request.deadlineNanos()));
    return cached == null
        ? live(request, asked, reader)
        : cached.call(request, asked.deadlineNanos(), reader, () -> live(request, asked, reader));
  }

  private Call<Response> live(Request request, Demand demand, Reader reader)
      throws InterruptedException {
    if (isTokenTierKnown) {
      refineEstimate();
    }
    TokenEstimate.Estimate estimated = estimate.of(request, adapter.maxTokens(request));
    var attempts = new Attempts(request, estimated, reader);
    try {
      return attempts.timed(lane.call(demand.with(estimated.cost()), attempts));
    } catch (DeadlinePassedException late) {
      String last = lastProblem;
      // A lane is named after the account, too, which nobody but the limits wants to know.
      throw late.saying(
          String.valueOf(late.getMessage()).replace(lane.name(), name.toString())
              + (last.isEmpty() ? "" : "; the last attempt: " + last));
    }
  }

  /**
   * Where tokens are limited they must be counted well. Where they are not, a vocabulary would take
   * a second of the processor for nothing; in no case does a call wait for it.
   */
  private void look(ResponseFacts facts) {
    boolean limitsTokens =
        facts.limitKind().filter(kind -> kind.endsWith(Dimension.TOKENS.word())).isPresent();
    for (QuotaSnapshot quota : facts.quotas()) {
      limitsTokens |= quota.dimension() != Dimension.REQUESTS;
    }
    if (limitsTokens) {
      refineEstimate();
    }
  }

  private void refineEstimate() {
    if (estimate.isRough() && isRefining.compareAndSet(false, true)) {
      var _ = time.start("vocabulary of " + name, estimate::refine);
    }
  }

  /** What regulates its calls. */
  public Lane lane() {
    return lane;
  }

  public Lane.Status status() {
    return lane.status();
  }

  /** What the next request in line waits for, and until when. */
  public Waiting waitingFor() {
    return lane.waitingFor();
  }

  /** How its calls are regulated: {@code pace}. */
  public String mode() {
    return lane.mode().word();
  }

  /** The most calls that may ever be in flight. */
  public int mostInFlight() {
    return lane.mode().mostInFlight();
  }

  private static Cost used(Response response, TokenEstimate.Estimate estimated) {
    if (!(response instanceof Response.Reply reply)) {
      return Cost.ONE_REQUEST;
    }
    Usage usage = reply.usage();
    // What a provider has in its cache does not count against most limits.
    return usage.isTold()
        ? new Cost(Math.max(0, usage.inputTokens() - usage.cacheReadTokens()), usage.outputTokens())
        : estimated.cost();
  }

  /** Reads the pieces of an answer as they arrive, on the task that asked. */
  @FunctionalInterface
  public interface Reader {

    /** Waits for the end. */
    Reader NONE =
        _ -> {
          throw new IllegalStateException("nobody reads");
        };

    void read(Chunk chunk) throws InterruptedException;
  }

  /** The attempts of one request. Belongs to the task that makes it. */
  private final class Attempts implements Attempt<Response> {

    private final Request request;
    private final TokenEstimate.Estimate estimated;
    private final Reader reader;
    private long idleSince = time.nanos();
    private int made;
    private boolean hasPieces;
    private Duration kept = Duration.ZERO;

    Attempts(Request request, TokenEstimate.Estimate estimated, Reader reader) {
      this.request = request;
      this.estimated = estimated;
      this.reader = reader;
    }

    @Override
    public Result<Response> run(Permit permit) throws InterruptedException {
      if (hasPieces) {
        hasPieces = false;
        reader.read(new Chunk.Restart());
      }
      made++;
      Instant at = time.instant();
      long begin = time.nanos();
      Response response;
      try {
        response = adapter.exchange(request, new Listener(permit));
      } catch (InterruptedException taken) {
        var cancelled = new Response.Cancelled("taken back", Origin.of(name));
        trace.accept(record(at, begin, time.nanos(), cancelled));
        throw taken;
      }
      long end = time.nanos();
      if (response instanceof Response.Reply reply) {
        estimate.learn(estimated, reply.usage());
        keep(reply, Duration.ofNanos(end - begin));
      } else if (response instanceof Response.RateLimited refused) {
        look(refused.facts());
      }
      lastProblem = response instanceof Response.Failure failure ? failure.message() : "";
      Outcome outcome = Outcomes.of(response, lane.mode(), lane.bounds());
      trace.accept(record(at, begin, end, response));
      idleSince = end;
      return new Result<>(outcome, used(response, estimated), response);
    }

    private void keep(Response.Reply reply, Duration took) {
      if (recalled != null) {
        long begin = time.nanos();
        String asked = recalled.keys.of(request).hex();
        recalled.answers.keep(request, asked, reply, ReplyCodec.encode(reply), took);
        kept = Duration.ofNanos(time.nanos() - begin);
      }
    }

    /** That an answer was kept took time, too, which is not the model's. */
    Call<Response> timed(Call<Response> call) {
      if (kept.isZero()) {
        return call;
      }
      Call.Times times = call.times();
      Duration called = times.called().minus(kept);
      return new Call<>(
          call.value(),
          call.outcome(),
          call.attempts(),
          call.gaveUp(),
          new Call.Times(times.queued(), times.paced(), times.backedOff(), times.failed(), called));
    }

    private AttemptRecord record(Instant at, long begin, long end, Response response) {
      return new AttemptRecord(
          at,
          lane.name(),
          made,
          response.word(),
          Duration.ofNanos(begin - idleSince),
          Duration.ofNanos(end - begin),
          response.serverWait(),
          response instanceof Response.Failure failure
              ? Optional.of(failure.message())
              : Optional.empty(),
          response.origin());
    }

    private final class Listener implements ExchangeListener {

      private final Permit permit;

      Listener(Permit permit) {
        this.permit = permit;
      }

      @Override
      public void facts(ResponseFacts facts) {
        permit.observe(facts);
        look(facts);
      }

      @Override
      public boolean wantsChunks() {
        return !reader.equals(Reader.NONE);
      }

      @Override
      public void chunk(Chunk chunk) throws InterruptedException {
        hasPieces = true;
        reader.read(chunk);
      }
    }
  }
}
