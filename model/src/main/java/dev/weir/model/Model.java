package dev.weir.model;

import dev.weir.limits.Attempt;
import dev.weir.limits.Call;
import dev.weir.limits.DeadlinePassedException;
import dev.weir.limits.Demand;
import dev.weir.limits.Lane;
import dev.weir.limits.Mode;
import dev.weir.limits.Permit;
import dev.weir.limits.StoppedException;
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
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A model behind its limits. Thread-safe. */
public final class Model {

  private final Time time;
  private final ModelName name;
  private final Adapter adapter;
  private final Lane lane;
  private final Consumer<AttemptRecord> trace;
  private final @Nullable CallListener listener;
  private final TokenEstimate estimate;
  // Shared by the same model with and without a cache.
  private final AtomicBoolean isRefining;
  // Shared likewise: whether it was seen to think, which some models do without being asked to.
  private final AtomicBoolean reasons;
  private final @Nullable CachedCalls cached;
  private final @Nullable Recalled recalled;
  private final boolean isTokenTierKnown;

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
        null,
        new TokenEstimate(
            TokenCounter.of(name.provider(), name.model()),
            OutputCharge.of(adapter.key().engine())),
        new AtomicBoolean(),
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
      @Nullable CallListener listener,
      TokenEstimate estimate,
      AtomicBoolean isRefining,
      AtomicBoolean reasons,
      @Nullable CachedCalls cached,
      @Nullable Recalled recalled) {
    this.time = time;
    this.name = name;
    this.adapter = adapter;
    this.lane = lane;
    this.trace = trace;
    this.listener = listener;
    this.estimate = estimate;
    this.isRefining = isRefining;
    this.reasons = reasons;
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
    return new Model(
        time, name, adapter, lane, trace, listener, estimate, isRefining, reasons, calls, recalled);
  }

  /**
   * The same model, whose answers are kept and, to who asks the same again, given again. They wait
   * for no limit then, and for no cache; if at all, for as long as is remembered of them.
   *
   * @param arguments of the model, as far as they shape its answers; never a credential
   */
  public Model with(Recollection answers, Map<String, String> arguments) {
    var again = new Recalled(answers, keys(arguments));
    return new Model(
        time, name, adapter, lane, trace, listener, estimate, isRefining, reasons, cached, again);
  }

  /** The same model, whose calls the listener is notified of, and no other. */
  public Model with(CallListener calls) {
    return new Model(
        time, name, adapter, lane, trace, calls, estimate, isRefining, reasons, cached, recalled);
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
   * @param demand its estimate is replaced by that of the request, its deadline by an earlier one
   *     of the request, and its kind is narrowed down by reasoning setting and output limit
   */
  public Call<Response> generate(Request request, Demand demand) throws InterruptedException {
    return generate(request, demand, Reader.NONE);
  }

  /** As {@link #generate(Request, Demand)}, with the pieces of the answer as they arrive. */
  public Call<Response> generate(Request request, Demand demand, Reader reader)
      throws InterruptedException {
    Demand asked = demand.until(Math.min(demand.deadlineNanos(), request.deadlineNanos()));
    if (recalled == null) {
      return fresh(request, asked, reader, null);
    }
    try (var asking = recalled.answers.ask(request, recalled.keys.of(request).hex())) {
      Optional<Call<Response>> again = again(asking, reader);
      return again.isPresent() ? again.get() : fresh(request, asked, reader, asking);
    }
  }

  /** As it was answered before, if it was. */
  private Optional<Call<Response>> again(Recollection.Asking asking, Reader reader)
      throws InterruptedException {
    Optional<Recollection.Before> before = asking.known();
    Optional<Response.Reply> reply = before.flatMap(known -> ReplyCodec.decode(known.text(), name));
    if (before.isEmpty() || reply.isEmpty()) {
      return Optional.empty();
    }
    Duration takes = before.get().takes();
    if (takes.isPositive()) {
      time.sleep(takes);
    }
    asking.taken();
    var called = new Call.Times(Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO, takes);
    Response.Reply made = reply.get().with(reply.get().origin().asMade());
    return Optional.of(CachedCalls.known(made, called, reader));
  }

  /**
   * @param asking who takes the answer, if anybody keeps it
   */
  private Call<Response> fresh(
      Request request, Demand demand, Reader reader, Recollection.@Nullable Asking asking)
      throws InterruptedException {
    return cached == null
        ? live(request, demand, reader, asking)
        : cached.call(
            request, demand.deadlineNanos(), reader, () -> live(request, demand, reader, asking));
  }

  private Call<Response> live(
      Request request, Demand demand, Reader reader, Recollection.@Nullable Asking asking)
      throws InterruptedException {
    if (isTokenTierKnown) {
      refineEstimate();
    }
    TokenEstimate.Estimate estimated = estimate.of(request, adapter.maxTokens(request));
    @Nullable CallEvents events = events(request, reader);
    var attempts = new Attempts(request, estimated, reader, asking, events);
    if (events == null) {
      return live(request, demand, estimated, attempts);
    }
    events.queued();
    try {
      Call<Response> call = live(request, demand, estimated, attempts);
      events.ended(call);
      return call;
    } catch (InterruptedException | RuntimeException | Error cutOff) {
      events.ended(cutOff);
      throw cutOff;
    }
  }

  private @Nullable CallEvents events(Request request, Reader reader) {
    return listener == null
        ? null
        : new CallEvents(
            time,
            new ModelCall(
                name,
                adapter.key(),
                adapter.endpoint(),
                request,
                !reader.equals(Reader.NONE),
                !lane.isLive()),
            listener);
  }

  private Call<Response> live(
      Request request, Demand demand, TokenEstimate.Estimate estimated, Attempts attempts)
      throws InterruptedException {
    // Of two deadlines, the first counts.
    Optional<Duration> timeout =
        lane.bounds().timeout().filter(bound -> time.after(bound) <= demand.deadlineNanos());
    try {
      Demand asked = demand.with(estimated.cost()).with(kind(request, demand.kind()));
      return attempts.told(lane.call(asked, attempts), timeout);
    } catch (DeadlinePassedException late) {
      String last = attempts.problem;
      // A lane is named after the account, too, which nobody but the limits wants to know.
      throw late.saying(
          naming(timeout, String.valueOf(late.getMessage())).replace(lane.name(), name.toString())
              + (last.isEmpty() ? "" : "; the last attempt: " + last));
    } catch (StoppedException stopped) {
      String last = attempts.problem;
      throw stopped.isOutage()
          ? stopped.saying(
              name.toString(),
              stopped.reason() + (last.isEmpty() ? "" : "; the last attempt: " + last))
          : stopped;
    }
  }

  /** What the latency of an answer depends on, as far as that is known before. */
  private Demand.Kind kind(Request request, Demand.Kind asked) {
    Optional<ReasoningEffort> effort = request.settings().reasoningEffort();
    OptionalInt maxTokens = adapter.maxTokens(request);
    return new Demand.Kind(
        "%s, reasoning %s, max tokens %s"
            .formatted(
                asked.name(),
                effort.map(ReasoningEffort::word).orElse("default"),
                maxTokens.isPresent() ? maxTokens.getAsInt() : "default"),
        asked.reasons()
            || effort.map(chosen -> chosen != ReasoningEffort.NONE).orElseGet(reasons::get));
  }

  /** People know the deadline by the option that sets it. */
  private static String naming(Optional<Duration> timeout, String why) {
    return timeout
        .map(bound -> " (--timeout %s)".formatted(DurationText.words(bound)))
        .map(option -> why.replaceFirst("the deadline( passed)?", "$0" + option))
        .orElse(why);
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

  /**
   * The attempts of one request. Belongs to the task that makes it; but an attempt that was
   * abandoned may go on for a moment, on a task of its own.
   */
  private final class Attempts implements Attempt<Response> {

    private final Request request;
    private final TokenEstimate.Estimate estimated;
    private final Reader reader;
    private final Recollection.@Nullable Asking asking;
    private final @Nullable CallEvents events;
    private long idleSince = time.nanos();
    private final AtomicInteger made = new AtomicInteger();
    // The last attempt of which it is known how it ended.
    private final AtomicInteger told = new AtomicInteger();

    /** Of the last attempt that ended; empty if it was answered. For people. */
    private volatile String problem = "";

    private boolean hasPieces;
    private Duration kept = Duration.ZERO;

    Attempts(
        Request request,
        TokenEstimate.Estimate estimated,
        Reader reader,
        Recollection.@Nullable Asking asking,
        @Nullable CallEvents events) {
      this.request = request;
      this.estimated = estimated;
      this.reader = reader;
      this.asking = asking;
      this.events = events;
    }

    @Override
    public Result<Response> run(Permit permit) throws InterruptedException {
      if (hasPieces) {
        hasPieces = false;
        reader.read(new Chunk.Restart());
      }
      int number = made.incrementAndGet();
      Instant at = time.instant();
      long begin = time.nanos();
      if (events != null && !events.sent(number)) {
        throw new InterruptedException("the call ended before this attempt was sent");
      }
      Response response;
      try {
        response = adapter.exchange(request, new Listener(permit));
      } catch (InterruptedException taken) {
        var cancelled = new Response.Cancelled("taken back", Origin.of(name));
        abandoned(number, CallEvent.Cause.CANCELLED);
        if (isFirstToTell(number)) {
          trace.accept(record(number, at, begin, time.nanos(), cancelled));
        }
        throw taken;
      }
      long end = time.nanos();
      if (events != null) {
        events.answered(number, response);
      }
      if (response instanceof Response.Reply reply) {
        estimate.learn(estimated, reply.usage());
        if (reply.usage().reasoningTokens() > 0) {
          reasons.set(true);
        }
        keep(reply, Duration.ofNanos(end - begin));
      } else if (response instanceof Response.RateLimited refused) {
        look(refused.facts());
      }
      Outcome outcome = Outcomes.of(response, lane.mode(), lane.bounds());
      if (isFirstToTell(number)) {
        ended(record(number, at, begin, end, response), end);
      }
      return new Result<>(outcome, used(response, estimated), response);
    }

    @Override
    public void timedOut(Duration after) {
      int number = made.get();
      abandoned(number, CallEvent.Cause.TIMED_OUT);
      if (isFirstToTell(number)) {
        long end = time.nanos();
        var unanswered =
            new Response.Transient(
                "no answer within %s (--attempt-timeout)".formatted(DurationText.words(after)),
                Origin.of(name),
                Outcome.Contact.SILENT);
        Instant at = time.instant().minus(after);
        ended(record(number, at, end - after.toNanos(), end, unanswered), end);
      }
    }

    @Override
    public Optional<Response> abandoned(Duration after) {
      var unanswered =
          new Response.Transient(
              "abandoned after %d s without an answer; it may have been billed"
                  .formatted(Math.round(after.toNanos() / 1e9)),
              Origin.of(name),
              Outcome.Contact.SILENT);
      int number = made.get();
      abandoned(number, CallEvent.Cause.HUNG);
      if (isFirstToTell(number)) {
        long end = time.nanos();
        Instant at = time.instant().minus(after);
        ended(record(number, at, end - after.toNanos(), end, unanswered), end);
      }
      return Optional.of(unanswered);
    }

    private void abandoned(int number, CallEvent.Cause cause) {
      if (events != null) {
        events.abandoned(number, cause);
      }
    }

    private boolean isFirstToTell(int number) {
      return told.getAndAccumulate(number, Math::max) < number;
    }

    private void ended(AttemptRecord attempt, long at) {
      problem = attempt.message().orElse("");
      idleSince = at;
      trace.accept(attempt);
    }

    private void keep(Response.Reply reply, Duration took) {
      if (asking != null) {
        long begin = time.nanos();
        asking.keep(reply, ReplyCodec.encode(reply), took);
        kept = Duration.ofNanos(time.nanos() - begin);
      }
    }

    /** That an answer was kept took time, too, which is not the model's. */
    Call<Response> told(Call<Response> call, Optional<Duration> timeout) {
      Call.Times times = call.times();
      Duration called = times.called().minus(kept);
      return new Call<>(
          call.value(),
          call.outcome(),
          call.attempts(),
          call.gaveUp()
              .map(
                  why ->
                      call.isPoisoned()
                          ? why + " (--max-poisoned-attempts)"
                          : naming(timeout, why)),
          new Call.Times(times.queued(), times.paced(), times.backedOff(), times.failed(), called),
          call.abandoned(),
          call.isPoisoned());
    }

    private AttemptRecord record(int number, Instant at, long begin, long end, Response response) {
      return new AttemptRecord(
          at,
          lane.name(),
          number,
          response.word(),
          Duration.ofNanos(begin - idleSince),
          Duration.ofNanos(end - begin),
          response.serverWait(),
          response instanceof Response.Failure failure
              ? Optional.of(failure.message())
              : Optional.empty(),
          response instanceof Response.Reply reply
              ? Optional.of(reply.usage()).filter(Usage::isTold)
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
        permit.answering();
        hasPieces = true;
        reader.read(chunk);
      }
    }
  }
}
