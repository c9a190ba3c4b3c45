package dev.weir.limits;

import dev.weir.limits.event.Constraint;
import dev.weir.limits.event.LimitEvent;
import dev.weir.limits.event.Notice;
import dev.weir.limits.exchange.Exchange;
import dev.weir.limits.exchange.Exchanges;
import dev.weir.limits.pace.PaceMemory;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.limits.retry.RetryBounds;
import dev.weir.time.Signal;
import dev.weir.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SequencedSet;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The lanes of a run, and what they share: a bound on all calls in flight, and a least gap between
 * them.
 *
 * <pre>
 *   all calls ──> engine@account ──> family, where quota is pooled ──> engine@account/model
 *   max-concurrency, delay            stopped by a terminal failure     window or pace
 * </pre>
 *
 * <p>Beside that path, {@link EngineLimits} bound all calls to an engine and to each of its models.
 *
 * <p>One lock guards all lanes: admission is all or nothing over the whole path. A throttled lane
 * delays no other: it holds nothing while it waits. Events are delivered after the lock is left.
 *
 * <p>Thread-safe.
 */
public final class Regulator {

  private static final Duration LONGEST_DELAY = Duration.ofDays(1);

  /** Longer than any answer takes. */
  private static final Duration PERMIT_LEASE = Duration.ofHours(1);

  final Time time;
  final RandomGenerator random;
  private final Exchanges exchanges;
  private final Notices notices = new Notices();

  // Guarded by this.
  final Leases leases = new Leases(PERMIT_LEASE);
  final Scope all = new Scope("", Constraint.MAX_CONCURRENCY);
  private final EngineCeilings engineCeilings = new EngineCeilings();
  private final Map<String, Scope> scopes = new LinkedHashMap<>();
  private final Map<LimitKey, Lane> lanes = new LinkedHashMap<>();
  private final Map<String, PaceMemory> memories = new LinkedHashMap<>();
  // Lanes with a queue, in the order in which they are served next.
  private final SequencedSet<Gate> waiting = new LinkedHashSet<>();
  private int maxInFlight;
  private boolean isHeld;
  private long heldSince;
  private long delayNanos;
  private long nextStartAt;

  /**
   * @param maxConcurrency calls in flight over all lanes; absent for no bound
   * @param delay the least time between two starts; zero for none
   * @param random spreads waits; used under the lock
   */
  public Regulator(Time time, OptionalInt maxConcurrency, Duration delay, RandomGenerator random) {
    this(time, maxConcurrency, delay, random, Exchanges.local());
  }

  /**
   * @param exchanges where scopes in mode {@code pace} get their shares of the limits
   */
  public Regulator(
      Time time,
      OptionalInt maxConcurrency,
      Duration delay,
      RandomGenerator random,
      Exchanges exchanges) {
    requireValid(maxConcurrency, delay);
    this.exchanges = exchanges;
    this.time = time;
    this.random = random;
    this.delayNanos = delay.toNanos();
    this.maxInFlight = maxConcurrency.orElse(Scope.UNBOUNDED);
    all.boundTo(maxInFlight);
  }

  /** Without a bound or a gap over all lanes. */
  public static Regulator unbounded(Time time, RandomGenerator random) {
    return new Regulator(time, OptionalInt.empty(), Duration.ZERO, random);
  }

  /**
   * The lane of a model that is named by a word: {@code "openai/gpt-4o"}.
   *
   * @see #lane(LimitKey, Mode, RetryBounds)
   */
  public Lane lane(String name, Mode mode) {
    return lane(LimitKey.named(name), mode, RetryBounds.NONE);
  }

  /**
   * The lane of a key: whoever asks for the same key gets the same one.
   *
   * @throws IllegalStateException if it already exists in another mode; {@link Lane#retune} changes
   *     that
   */
  public Lane lane(LimitKey key, Mode mode, RetryBounds bounds) {
    return lane(key, mode, bounds, /* isLive= */ true);
  }

  /**
   * The lane of a key for batches, which have quotas of their own: {@link EngineLimits} are not for
   * them.
   *
   * @throws IllegalStateException as {@link #lane(LimitKey, Mode, RetryBounds)}
   */
  public Lane batchLane(LimitKey key, Mode mode, RetryBounds bounds) {
    return lane(key, mode, bounds, /* isLive= */ false);
  }

  private Lane lane(LimitKey key, Mode mode, RetryBounds bounds, boolean isLive) {
    synchronized (this) {
      Lane known = lanes.get(key);
      if (known == null) {
        known =
            new Lane(
                this,
                key,
                mode,
                bounds,
                isLive ? Optional.of(engineCeilings.of(key)) : Optional.empty());
        lanes.put(key, known);
      } else if (!known.mode().equals(mode) || !known.gate.bounds().equals(bounds)) {
        throw new IllegalStateException(
            "cannot open %s with %s and %s: it is open with %s and %s; retune it"
                .formatted(key.modelScope(), mode, bounds, known.mode(), known.gate.bounds()));
      }
      return known;
    }
  }

  /**
   * Bounds the calls in flight of everything an account asks of an engine.
   *
   * @param max at least 1
   */
  public void boundAccount(String engine, String account, int max) {
    requireValid(OptionalInt.of(max), Duration.ZERO);
    List<Signal> woken;
    synchronized (this) {
      scope(LimitKey.of(engine, account, "any").accountScope()).boundTo(max);
      woken = dispatch(time.nanos());
    }
    wake(woken);
  }

  /**
   * Bounds what is in flight and sent per minute to engines and their models, over all accounts; in
   * place of earlier limits, also while calls are in flight. Lowering never pre-empts.
   */
  public void limitEngines(EngineLimits limits) {
    List<Signal> woken;
    synchronized (this) {
      engineCeilings.limitTo(limits);
      woken = dispatch(time.nanos());
    }
    wake(woken);
  }

  /** Whether limits of its engine are configured for a model. Guarded by the lock. */
  boolean hasEngineLimits(LimitKey key) {
    return engineCeilings.isConfigured(key);
  }

  /** Changes what all lanes share, while calls are in flight. Lowering never pre-empts. */
  public void retune(OptionalInt maxConcurrency, Duration delay) {
    requireValid(maxConcurrency, delay);
    List<Signal> woken;
    synchronized (this) {
      long now = time.nanos();
      maxInFlight = maxConcurrency.orElse(Scope.UNBOUNDED);
      all.boundTo(isHeld ? 0 : maxInFlight);
      nextStartAt = Math.min(nextStartAt, now + delay.toNanos());
      delayNanos = delay.toNanos();
      woken = dispatch(now);
    }
    wake(woken);
  }

  /**
   * Holds all calls that have not left, those that wait for their turn or their next attempt among
   * them, or lets them go again. Nothing in flight is taken back; deadlines go on.
   */
  public void hold(boolean wanted) {
    List<Signal> woken;
    synchronized (this) {
      long now = time.nanos();
      if (isHeld && !wanted) {
        lanes.values().forEach(lane -> lane.gate.outage.exclude(now - heldSince));
      } else if (!isHeld) {
        heldSince = now;
      }
      isHeld = wanted;
      all.boundTo(isHeld ? 0 : maxInFlight);
      woken = dispatch(now);
    }
    wake(woken);
  }

  /** Called under the lock. */
  boolean isHeld() {
    return isHeld;
  }

  /**
   * Lets the calls of a scope go again that a terminal failure had stopped, for example after the
   * account was topped up.
   *
   * @param scope as {@link StoppedException#scope()} names it
   * @return whether it was stopped
   */
  public synchronized boolean resume(String scope) {
    Scope known = scopes.get(scope);
    if (known == null || !known.isStopped()) {
      return false;
    }
    known.resume();
    lanes.values().forEach(lane -> lane.gate.outage.end());
    return true;
  }

  /**
   * What was learned of each scope in mode {@code pace}, for the next run; {@link
   * PaceMemory#encode} makes a line of it.
   */
  public synchronized Map<String, PaceMemory> memories() {
    for (Scope scope : scopes.values()) {
      FlowControl flow = scope.flow();
      if (flow != null) {
        keep(scope, flow);
      }
    }
    return new LinkedHashMap<>(memories);
  }

  /**
   * Gives what an earlier run learned to the lanes that are opened from now on. It is a start, not
   * a fact: the older, the less it is trusted.
   */
  public synchronized void recall(Map<String, PaceMemory> earlier) {
    memories.putAll(earlier);
  }

  /**
   * Tells a listener all that happens to limits from now on: in order, one at a time, on the thread
   * that caused it, and without any lock being held. A slow listener delays that thread; when
   * 10,000 notices wait, the oldest are dropped.
   *
   * @return ends the subscription
   */
  public Subscription subscribe(Consumer<Notice> listener) {
    synchronized (this) {
      if (!notices.isListenedTo()) {
        // What happened while nobody listened would be told with the wrong time.
        scopes.values().forEach(Scope::forgetEvents);
      }
      notices.subscribe(listener);
    }
    return () -> notices.unsubscribe(listener);
  }

  /** Ends with {@link #close}. */
  @FunctionalInterface
  public interface Subscription extends AutoCloseable {
    @Override
    void close();
  }

  /** Notices that were dropped because listeners were too slow. */
  public long droppedNotices() {
    return notices.dropped();
  }

  private static void requireValid(OptionalInt maxConcurrency, Duration delay) {
    if (maxConcurrency.isPresent() && maxConcurrency.getAsInt() < 1) {
      throw new IllegalArgumentException(
          "`maxConcurrency` must be >= 1, was " + maxConcurrency.getAsInt());
    }
    if (delay.isNegative() || delay.compareTo(LONGEST_DELAY) > 0) {
      throw new IllegalArgumentException(
          "`delay` must be from 0 to " + LONGEST_DELAY + ", was " + delay);
    }
  }

  // What follows is called under the lock, unless it says otherwise.

  Scope scope(String name) {
    return scopes.computeIfAbsent(name, Scope::new);
  }

  /** Nanoseconds until the gap between two starts has passed. */
  long gapNanos(long now) {
    return delayNanos == 0 ? 0 : Math.max(0, nextStartAt - now);
  }

  void started(long now) {
    nextStartAt = now + delayNanos;
  }

  void queued(Gate gate) {
    waiting.add(gate);
  }

  /** Whether anything but the calls themselves depends on the time. */
  boolean isTimed() {
    return delayNanos > 0 || !waiting.isEmpty() || notices.isListenedTo();
  }

  /** Takes back the permits of owners that must have died; says whether there were any. */
  boolean reclaim(long now) {
    leases.count(now);
    boolean reclaimed = false;
    for (Permit lost = leases.expired(now); lost != null; lost = leases.expired(now)) {
      lost.lane.gate.end(lost, now);
      reclaimed = true;
    }
    return reclaimed;
  }

  /**
   * Grants what can be granted in every lane.
   *
   * @return whom to wake once the lock is left
   */
  List<Signal> dispatch(long now) {
    return waiting.isEmpty() ? List.of() : dispatch(now, List.copyOf(waiting), null);
  }

  /** Grants what can be granted after something happened in one lane. */
  List<Signal> dispatch(long now, Gate gate, @Nullable Waiter asker) {
    if (waiting.isEmpty()) {
      return List.of();
    }
    if (all.isBounded() || delayNanos > 0 || gate.sharesRoom()) {
      return dispatch(now, List.copyOf(waiting), asker);
    }
    return waiting.contains(gate) ? dispatch(now, List.of(gate), asker) : List.of();
  }

  private List<Signal> dispatch(long now, List<Gate> gates, @Nullable Waiter asker) {
    List<Signal> woken = new ArrayList<>(2);
    if (reclaim(now)) {
      // Whoever lost them is not known here: anybody may have room now.
      return dispatchEach(now, List.copyOf(waiting), asker, woken);
    }
    return dispatchEach(now, gates, asker, woken);
  }

  private List<Signal> dispatchEach(
      long now, List<Gate> gates, @Nullable Waiter asker, List<Signal> woken) {
    for (Gate gate : gates) {
      boolean granted = gate.dispatch(now, asker, woken);
      if (!gate.isWaitedFor()) {
        waiting.remove(gate);
      } else if (granted) {
        // Lanes take turns at being first, or the first would take all of a scarce bound.
        waiting.addLast(gate);
      }
    }
    return woken;
  }

  /** Nothing of the scope is attempted any more; those who wait for it are woken to learn that. */
  void stop(Scope scope, String reason, long now, List<Signal> woken) {
    stop(scope, reason, /* outage= */ false, now, woken);
  }

  void stop(Scope scope, String reason, boolean outage, long now, List<Signal> woken) {
    if (scope.isStopped()) {
      return;
    }
    scope.stop(reason, outage);
    note(now, scope, new LimitEvent.Stopped(reason));
    for (Lane lane : lanes.values()) {
      lane.gate.wakeIfUnder(scope, woken);
    }
  }

  void note(long now, Scope scope, LimitEvent event) {
    if (notices.isListenedTo()) {
      notices.add(new Notice(time.instant(), now, scope.name, event));
    }
  }

  /** Passes on what a flow has to tell. */
  void noteAll(long now, Scope scope, @Nullable FlowControl flow) {
    if (flow != null && notices.isListenedTo()) {
      flow.drainEvents().forEach(event -> note(now, scope, event));
    }
  }

  /** Wakes and tells; called without the lock. */
  void wake(List<Signal> woken) {
    for (Signal signal : woken) {
      signal.send();
    }
    notices.deliver();
  }

  /** A flow for a scope; a pace begins where an earlier one of the scope was. */
  FlowControl flow(Mode mode, Scope scope) {
    long now = time.nanos();
    if (!(mode instanceof Mode.Pace(PaceSettings settings))) {
      return FlowControl.of(mode, random, now);
    }
    Exchange exchange =
        exchanges.join(
            scope.name,
            settings,
            Optional.ofNullable(memories.get(scope.name)),
            time.instant().toEpochMilli(),
            random.nextLong(),
            now);
    exchange.whenBetter(this::lookAgain);
    return new PaceFlow(exchange, random, now);
  }

  /** Keeps what a flow has learned, because it is replaced. */
  void keep(Scope scope, FlowControl flow) {
    flow.memory(time.instant().toEpochMilli())
        .ifPresent(memory -> memories.put(scope.name, memory));
  }

  /** Something outside has changed, and those who wait may go; called without the lock. */
  private void lookAgain() {
    List<Signal> woken;
    synchronized (this) {
      woken = dispatch(time.nanos());
    }
    wake(woken);
  }
}
