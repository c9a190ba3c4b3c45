package dev.weir.limits.pace;

import dev.weir.limits.control.WindowChange.Reason;
import dev.weir.limits.event.Constraint;
import dev.weir.limits.event.LimitEvent;
import dev.weir.limits.event.LimitEvent.Source;
import dev.weir.limits.header.Dimension;
import dev.weir.limits.header.ResponseFacts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Decides for one scope when the next request may leave: {@link #decide} on a {@link PaceState}, or
 * the same on a live object, which is faster.
 *
 * <p>It may when every constraint allows it:
 *
 * <ul>
 *   <li>the circuit is closed, or a probe is due ({@link Circuit});
 *   <li>no hold is on: a server that asks for a long wait means everybody;
 *   <li>the window has room: the user's maximum, a cap that was recognised ({@link
 *       ConcurrencyCap}), latency ({@link LatencyGuard}), slow start while nothing is known ({@link
 *       SlowStart});
 *   <li>each advertised bucket has enough ({@link Claim});
 *   <li>each hidden rate has come round ({@link HiddenRate});
 *   <li>an overloaded provider is given air ({@link Overload}).
 * </ul>
 *
 * <p>Every refusal is a measurement: it counts against each claim that had room for the request,
 * and it starts or corrects a hidden rate. {@link Backstop} bounds how many there can be.
 *
 * <p>The same observations from the same state give the same decisions, however they are cut into
 * batches: there is no clock in it, and its chance is part of the state. Times are nanoseconds from
 * any origin. Not thread-safe.
 */
public final class PaceController {

  private static final double NANOS = 1e9;
  private static final double START_RATE = 8;
  private static final double SHORT_WAIT_SECONDS = 5;
  private static final double LEAST_JITTER = 0.8;
  private static final double MOST_JITTER = 1.2;

  private PaceSettings settings;
  private final Optional<PaceMemory> remembered;
  private final Chance chance;
  private double announcedRequests;
  private double announcedTokens;
  private double holdUntil;
  private double roundTrip = Double.NaN;
  private final Map<Long, Sending> underWay = new LinkedHashMap<>();
  private final InFlightLog log = new InFlightLog();
  private final Quotas quotas;
  private final HiddenRate requests;
  private final HiddenRate tokens;
  private final Circuit circuit;
  private final Overload overload;
  private final Backstop backstop;
  private final ConcurrencyCap cap;
  private final LatencyGuard guard;
  private SlowStart slowStart;
  private final News news;

  /**
   * Begins with what the user states.
   *
   * @param seed of the chances that keep processes from acting together
   */
  public PaceController(PaceSettings settings, long seed, long now) {
    this(settings, Optional.empty(), 0, seed, now);
  }

  /**
   * Begins with what the user states, else with what an earlier run learned.
   *
   * @param epochMillis the time by the clock of the memory
   */
  public PaceController(
      PaceSettings settings, Optional<PaceMemory> memory, long epochMillis, long seed, long now) {
    double start = seconds(now);
    this.settings = settings;
    this.remembered = memory.filter(known -> known.trust(epochMillis) > 0);
    this.chance = new Chance(seed);
    this.holdUntil = Double.NEGATIVE_INFINITY;
    this.quotas = new Quotas();
    this.requests = new HiddenRate(START_RATE, true, start);
    this.tokens = new HiddenRate(1, false, start);
    this.circuit = new Circuit();
    this.overload = new Overload();
    this.backstop = new Backstop();
    this.cap = new ConcurrencyCap();
    this.guard = new LatencyGuard(start);
    this.slowStart = new SlowStart(settings.selfHosted(), start);
    this.news = new News(List.of());
    remembered.ifPresent(known -> remember(start, known, epochMillis));
    state(start, Dimension.REQUESTS, settings.requestsPerMinute());
    state(start, Dimension.TOKENS, settings.tokensPerMinute());
  }

  /** Goes on from a state. */
  public PaceController(PaceState state) {
    this.settings = state.settings();
    this.remembered = state.remembered();
    this.chance = new Chance(state.random());
    this.announcedRequests = state.announcedRequests();
    this.announcedTokens = state.announcedTokens();
    this.holdUntil = state.holdUntil();
    this.roundTrip = state.roundTrip();
    this.quotas = new Quotas(state.quotas());
    this.requests = new HiddenRate(state.requests());
    this.tokens = new HiddenRate(state.tokens());
    this.circuit = new Circuit(state.circuit());
    this.overload = new Overload(state.overload());
    this.backstop = new Backstop(state.backstop());
    this.cap = new ConcurrencyCap(state.cap());
    this.guard = new LatencyGuard(state.guard());
    this.slowStart = new SlowStart(state.slowStart());
    this.news = new News(state.news());
    for (PaceState.Send send : state.underWay()) {
      underWay.put(send.id(), new Sending(send));
    }
    for (PaceState.Send send : state.sent()) {
      // What is under way and still in the log is one thing: a refusal must show in both.
      Sending sending = underWay.get(send.id());
      log.add(sending == null ? new Sending(send) : sending);
    }
  }

  /** All that it knows, to go on from. */
  public PaceState state() {
    List<PaceState.Send> sent = new ArrayList<>();
    log.sent().forEach(sending -> sent.add(sending.state()));
    return new PaceState(
        PaceState.VERSION,
        settings,
        remembered,
        chance.state(),
        announcedRequests,
        announcedTokens,
        holdUntil,
        roundTrip,
        underWay.values().stream().map(Sending::state).toList(),
        sent,
        quotas.state(),
        requests.state(),
        tokens.state(),
        circuit.state(),
        overload.state(),
        backstop.state(),
        cap.state(),
        guard.state(),
        slowStart.state(),
        news.events());
  }

  /**
   * Turns a state and what has happened since into the next state.
   *
   * @param observations in the order in which they happened
   */
  public static Decided decide(PaceState state, List<Observation> observations, long now) {
    var controller = new PaceController(state);
    observations.forEach(controller::apply);
    List<LimitEvent> events = controller.drainEvents();
    return new Decided(controller.state(), controller.slice(now, 0, Slice.NO_END), events);
  }

  /** Takes in what has happened. */
  public void apply(Observation observation) {
    double now = seconds(observation.at());
    int windowBefore = window();
    int capBefore = cap.cap();
    int guardBefore = guard.window();
    switch (observation) {
      case Observation.Waiting(_, Cost cost) -> waiting(now, cost);
      case Observation.Sent(_, long id, Cost cost) -> sent(now, id, cost);
      case Observation.Headers(_, long id, ResponseFacts facts) -> {
        Sending sending = underWay.get(id);
        if (sending != null) {
          read(now, sending, facts);
        }
      }
      case Observation.Answered(_, long id, Cost used) -> {
        Sending sending = underWay.remove(id);
        if (sending != null) {
          answered(now, sending, used);
        }
      }
      case Observation.Refused(_, long id, ResponseFacts facts) -> {
        Sending sending = underWay.remove(id);
        if (sending != null) {
          refused(now, sending, facts);
        }
      }
      case Observation.Overloaded(_, long id, ResponseFacts facts) -> {
        Sending sending = underWay.remove(id);
        if (sending != null) {
          closeCircuit(now);
          giveBackTokens(now, sending);
          read(now, sending, facts);
          overload.overloaded(now);
        }
      }
      case Observation.Failed(_, long id) -> {
        Sending sending = underWay.remove(id);
        if (sending != null) {
          giveBackTokens(now, sending);
          if (circuit.failed(now)) {
            news.add(new LimitEvent.CircuitOpened());
          }
        }
      }
      case Observation.Unsent(_, long id) -> {
        Sending sending = underWay.remove(id);
        if (sending != null) {
          unsent(now, sending);
        }
      }
      case Observation.Cancelled(_, long id) -> underWay.remove(id);
      case Observation.Retuned(_, PaceSettings changed) -> retune(now, changed);
    }
    int windowAfter = window();
    if (windowAfter != windowBefore) {
      Reason reason =
          switch (observation) {
            case Observation.Retuned _ -> Reason.MANUAL;
            case Observation.Waiting _ when cap.cap() != capBefore -> Reason.PROBE;
            case Observation _ when cap.cap() != capBefore -> Reason.CAP;
            case Observation _ when guard.window() != guardBefore -> Reason.LATENCY;
            case Observation _ -> Reason.SLOW_START;
          };
      news.add(new LimitEvent.WindowChanged(windowBefore, windowAfter, reason));
    }
  }

  /**
   * What may be done from now on.
   *
   * @param generation and {@code leaseUntil}: as the slice is to carry them
   */
  public Slice slice(long nanos, long generation, long leaseUntil) {
    double now = seconds(nanos);
    List<Slice.Gate> gates = new ArrayList<>(4);
    add(gates, circuit.gate(now));
    boolean probing = circuit.isOpen();
    if (!probing) {
      if (holdUntil > now) {
        gates.add(
            new Slice.Gate(
                Constraint.HOLD, Dimension.REQUESTS, holdUntil, Double.POSITIVE_INFINITY));
      }
      if (requests.isActive()) {
        gates.add(requests.gate(Dimension.REQUESTS));
      }
      if (tokens.isActive()) {
        gates.add(tokens.gate(Dimension.TOKENS));
      }
      add(gates, overload.gate(now));
      gates.add(backstop.gate());
    }
    return new Slice(
        generation,
        leaseUntil,
        window(),
        underWay.size(),
        probing,
        gates,
        probing ? List.of() : quotas.buckets(now));
  }

  /** What has happened since it was last asked, oldest first; a long silence loses the oldest. */
  public List<LimitEvent> drainEvents() {
    return news.drain();
  }

  /**
   * What the next run can start from: what refusals confirmed in this one, else what this one
   * started from itself.
   *
   * @param epochMillis the time, for whoever reads it later
   */
  public Optional<PaceMemory> memory(long epochMillis) {
    OptionalDouble requestRate = PaceMemory.rate(requests.lastConfirmed());
    OptionalDouble tokenRate = PaceMemory.rate(tokens.lastConfirmed());
    OptionalInt known = cap.wasMet() ? PaceMemory.cap(cap.cap()) : OptionalInt.empty();
    return requestRate.isEmpty() && tokenRate.isEmpty() && known.isEmpty()
        ? remembered
        : Optional.of(
            new PaceMemory(
                PaceMemory.VERSION, Math.max(0, epochMillis), requestRate, tokenRate, known));
  }

  private int window() {
    int window = Math.min(settings.maxConnections(), Math.min(cap.cap(), guard.window()));
    return isLatencyTheOnlySignal() && guard.window() == LatencyGuard.NONE
        ? Math.min(window, slowStart.window())
        : window;
  }

  /** A request waits: this is when what is learned from the absence of refusals takes effect. */
  private void waiting(double now, Cost cost) {
    backstop.tick(now);
    if (circuit.isOpen()) {
      return;
    }
    if (underWay.size() >= window()) {
      slowStart.bound(now);
      cap.bound(now, log.perSecond(now));
      if (underWay.size() >= window()) {
        return;
      }
    }
    double wait = Math.max(Math.max(0, holdUntil - now), quotas.waitSeconds(now, cost));
    double requestsWait = requests.waitSeconds(now);
    double tokensWait = tokens.waitSeconds(now);
    double paced = Math.max(requestsWait, tokensWait);
    wait = Math.max(wait, backstop.waitSeconds(now));
    // Ramping a rate that does not bind would explode it.
    boolean binding = paced >= wait;
    double given = Math.max(wait, Math.max(circuit.waitSeconds(now), overload.waitSeconds(now)));
    requests.tick(now, binding, Math.max(given, tokensWait));
    tokens.tick(now, binding, Math.max(given, requestsWait));
    excuse();
    tellObserved();
  }

  private void sent(double now, long id, Cost cost) {
    if (underWay.containsKey(id)) {
      return;
    }
    circuit.send(now, circuit.isOpen() ? chance.between(LEAST_JITTER, MOST_JITTER) : 1);
    overload.send(now);
    backstop.sent(now);
    boolean probe = quotas.send(now, cost);
    var sending =
        new Sending(
            id,
            now,
            cost,
            underWay.size(),
            requests.send(now, 1),
            tokens.send(now, tokens(cost)),
            guard.sent(),
            probe);
    log.add(sending);
    underWay.put(id, sending);
  }

  /** As if it had not been sent. */
  private void unsent(double now, Sending sending) {
    circuit.unsend(now);
    overload.unsend(now, sending.at);
    backstop.unsent(sending.at);
    quotas.unsend(sending);
    requests.unsend(now, sending.at, 1);
    giveBackTokens(now, sending);
    guard.unsend(sending.numberForGuard);
    log.remove(sending);
  }

  private void giveBackTokens(double now, Sending sending) {
    quotas.unsendTokens(sending);
    tokens.unsend(now, sending.at, tokens(sending.cost));
  }

  private static double tokens(Cost cost) {
    return Math.max(Slice.LEAST_COST, cost.of(Dimension.TOKENS));
  }

  private void answered(double now, Sending sending, Cost used) {
    came(now);
    backstop.answered(now, sending.at);
    quotas.answered(now, sending.at);
    quotas.refund(now, sending.cost, used);
    double unused = sending.cost.of(Dimension.TOKENS) - used.of(Dimension.TOKENS);
    if (unused > 0) {
      tokens.refund(now, unused);
    }
    double latency = now - sending.at;
    roundTrip = Double.isNaN(roundTrip) ? latency : roundTrip + 0.1 * (latency - roundTrip);
    requests.roundTrip(roundTrip);
    slowStart.answered(roundTrip);
    if (isLatencyTheOnlySignal()
        && guard.answered(now, now - sending.at, sending.numberForGuard, underWay.size())) {
      requests.suspend();
    }
  }

  private void refused(double now, Sending sending, ResponseFacts facts) {
    came(now);
    sending.refused = true;
    backstop.refused(now, sending.at, sending.probe || requests.isDry());
    quotas.unsend(sending);
    read(now, sending, facts);
    double dryFor = Quotas.dryForSeconds(facts);
    Dimension named = dimension(facts);
    HiddenRate blamed = null;
    if (dryFor == 0 && !(sending.probe && quotas.isMoving())) {
      double believed = sending.probe ? 0 : quotas.wrong(now, sending.at, named);
      blamed = measure(now, sending, facts, named, believed);
      excuse();
      tellObserved();
    }
    if (blamed != requests) {
      requests.explained(now, sending.at, 1);
    }
    if (blamed != tokens) {
      tokens.explained(now, sending.at, tokens(sending.cost));
    }
    double wait = serverWait(facts);
    if (Math.max(wait, dryFor) > SHORT_WAIT_SECONDS) {
      holdUntil = Math.max(holdUntil, now + Math.max(wait, dryFor));
    }
  }

  private void retune(double now, PaceSettings changed) {
    PaceSettings before = settings;
    settings = changed;
    if (changed.selfHosted() != before.selfHosted()) {
      slowStart = new SlowStart(changed.selfHosted(), now);
    }
    if (!changed.requestsPerMinute().equals(before.requestsPerMinute())) {
      state(now, Dimension.REQUESTS, changed.requestsPerMinute());
    }
    if (!changed.tokensPerMinute().equals(before.tokensPerMinute())) {
      state(now, Dimension.TOKENS, changed.tokensPerMinute());
    }
  }

  /** The user knows a rate. */
  private void state(double now, Dimension dimension, OptionalDouble perMinute) {
    double most = perMinute.isPresent() ? perMinute.getAsDouble() / 60 : Double.POSITIVE_INFINITY;
    (dimension == Dimension.REQUESTS ? requests : tokens).limitTo(most);
    if (perMinute.isPresent()) {
      startAt(now, dimension, perMinute.getAsDouble() / 60, Source.STATED);
    }
  }

  private void remember(double now, PaceMemory memory, long epochMillis) {
    double trust = memory.trust(epochMillis);
    if (memory.requestsPerSecond().isPresent() && settings.requestsPerMinute().isEmpty()) {
      double measured = memory.requestsPerSecond().getAsDouble();
      requests.recall(trust * measured, measured, now);
      announcedRequests = trust * measured;
      news.add(
          new LimitEvent.LimitLearned(Dimension.REQUESTS, announcedRequests, Source.REMEMBERED));
    }
    if (memory.tokensPerSecond().isPresent() && settings.tokensPerMinute().isEmpty()) {
      double rate = trust * memory.tokensPerSecond().getAsDouble();
      startAt(now, Dimension.TOKENS, rate, Source.REMEMBERED);
    }
    memory
        .capAt(epochMillis)
        .ifPresent(
            known -> {
              cap.startAt(known);
              if (memory.requestsPerSecond().isEmpty()) {
                requests.suspend();
              }
            });
  }

  private void startAt(double now, Dimension dimension, double rate, Source source) {
    if (dimension == Dimension.REQUESTS) {
      requests.startAt(rate, now);
      announcedRequests = rate;
    } else {
      tokens.startAt(rate, now);
      announcedTokens = rate;
    }
    news.add(new LimitEvent.LimitLearned(dimension, rate, source));
  }

  private void tellObserved() {
    if (requests.isObserved() && News.isNew(requests.confirmed(), announcedRequests)) {
      announcedRequests = requests.confirmed();
      news.add(new LimitEvent.LimitLearned(Dimension.REQUESTS, announcedRequests, Source.OBSERVED));
    }
    if (tokens.isObserved() && News.isNew(tokens.confirmed(), announcedTokens)) {
      announcedTokens = tokens.confirmed();
      news.add(new LimitEvent.LimitLearned(Dimension.TOKENS, announcedTokens, Source.OBSERVED));
    }
  }

  private void excuse() {
    for (int strays = requests.drainExcused() + tokens.drainExcused(); strays > 0; strays--) {
      backstop.excuse();
    }
  }

  /** The provider is there: it answered, if only to refuse. */
  private void came(double now) {
    if (closeCircuit(now)) {
      requests.forgetInterval(now);
      tokens.forgetInterval(now);
    }
  }

  private boolean closeCircuit(double now) {
    boolean closed = circuit.answered(now);
    if (closed) {
      news.add(new LimitEvent.CircuitClosed());
    }
    return closed;
  }

  private boolean isLatencyTheOnlySignal() {
    return quotas.isEmpty() && requests.episodes() == 0 && tokens.episodes() == 0;
  }

  private void read(double now, Sending sending, ResponseFacts facts) {
    double advertised = quotas.read(now, sending, facts, log, news);
    requests.atLeast(0.9 * advertised, quotas.counts(now), now);
    if (!sending.refused && quotas.isPlentiful(now)) {
      requests.hint(now, 0.9 * advertised);
    }
  }

  /**
   * @return the hidden rate that the refusal is about; null if it is about something else
   */
  private @Nullable HiddenRate measure(
      double now,
      Sending sending,
      ResponseFacts facts,
      @Nullable Dimension named,
      double believed) {
    int before = sending.inFlightBefore;
    boolean concurrency = facts.limitKind().filter(ResponseFacts.CONCURRENCY::equals).isPresent();
    if (concurrency && before > 0) {
      cap.told(before);
      requests.suspend();
      return null;
    }
    boolean contradicted = !log.isOvertaken(sending) && cap.contradicted(before);
    if (named == null && !contradicted && cap.explains(now, before)) {
      return null;
    }
    if (quotas.explains(now, facts, named)) {
      // What is advertised was used up, and says when more comes.
      return null;
    }
    if (named != null && named != Dimension.REQUESTS) {
      tokens.refused(
          now, sending.at, sending.tokensBefore, tokens(sending.cost), 0, serverWait(facts), false);
      return tokens;
    }
    boolean newEpisode =
        requests.refused(
            now,
            sending.at,
            sending.requestsBefore,
            1,
            believed,
            serverWait(facts),
            Quotas.isRoomy(facts, requests.sentLately(now))
                && (requests.episodes() > 0 || quotas.isMoving()));
    if (named == null && newEpisode && cap.recognises(now, before, log)) {
      requests.suspend();
    }
    return requests;
  }

  private static double serverWait(ResponseFacts facts) {
    return facts.serverWait().map(PaceController::seconds).orElse(0.0);
  }

  /** What ran out, if the refusal says so. */
  private static @Nullable Dimension dimension(ResponseFacts facts) {
    if (facts.limitKind().isEmpty()) {
      return null;
    }
    for (Dimension dimension : Dimension.values()) {
      if (dimension.word().equals(facts.limitKind().get())) {
        return dimension;
      }
    }
    return null;
  }

  private static void add(List<Slice.Gate> gates, Slice.@Nullable Gate gate) {
    if (gate != null) {
      gates.add(gate);
    }
  }

  private static double seconds(long nanos) {
    return nanos / NANOS;
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / NANOS;
  }

  /** What it believes, for debugging. */
  @Override
  public String toString() {
    return "requests %s, tokens %s, %s, window %d, claims %s"
        .formatted(requests, tokens, backstop, window(), quotas);
  }
}
