package dev.weir.limits.pace;

import dev.weir.limits.header.Dimension;
import dev.weir.limits.header.QuotaSnapshot;
import dev.weir.limits.header.ResponseFacts;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Decides for one scope when the next request may leave.
 *
 * <p>It may when every constraint allows it:
 *
 * <ul>
 *   <li>the circuit is closed, or a probe is due ({@link Circuit});
 *   <li>no hold is on: a server that asks for a long wait means everybody;
 *   <li>the window has room: the user's maximum, a cap that was recognised ({@link
 *       ConcurrencyCap}), latency ({@link LatencyGuard}), slow start while nothing is known ({@link
 *       SlowStart});
 *   <li>each advertised bucket has enough ({@link Mirror});
 *   <li>each hidden rate has come round ({@link HiddenRate});
 *   <li>an overloaded provider is given air ({@link Overload}).
 * </ul>
 *
 * <p>A refusal is a measurement. One that an advertised bucket predicted re-anchors its mirror; one
 * that none predicted starts or corrects a hidden rate.
 *
 * <p>Times are nanoseconds from any origin. Not thread-safe.
 */
public final class PaceController {

  /** Returned by {@link #waitNanos} when only an answer can make room. */
  public static final long UNTIL_ANSWERED = Long.MAX_VALUE;

  private static final double NANOS = 1e9;
  private static final double START_RATE = 8;
  private static final double SHORT_WAIT_SECONDS = 5;
  private static final double LONGEST_HOLD_SECONDS = 60;
  private static final double LONGEST_BACKOFF_SECONDS = 60;

  /** A provider may count up to so many times the tokens that were estimated. */
  private static final double ESTIMATE_DOUBT = 2;

  private final PaceSettings settings;
  private final RandomGenerator random;
  private final Map<String, Quota> quotas = new LinkedHashMap<>();
  private final Map<Dimension, HiddenRate> hidden = new EnumMap<>(Dimension.class);
  private final Circuit circuit = new Circuit();
  private final Overload overload = new Overload();
  private final ConcurrencyCap cap = new ConcurrencyCap();
  private final LatencyGuard guard = new LatencyGuard();
  private final SlowStart slowStart;
  private final InFlightLog log = new InFlightLog();
  private int inFlight;
  private double holdUntil;

  /** One advertised bucket. */
  private record Quota(Dimension dimension, Mirror mirror) {}

  /**
   * @param random spreads waits, so that processes do not return together
   */
  public PaceController(PaceSettings settings, RandomGenerator random, long now) {
    this.settings = settings;
    this.random = random;
    this.slowStart = new SlowStart(settings.selfHosted());
    hidden.put(Dimension.REQUESTS, new HiddenRate(START_RATE, true));
    hidden.put(Dimension.TOKENS, new HiddenRate(1, false));
    settings
        .requestsPerMinute()
        .ifPresent(rpm -> hidden(Dimension.REQUESTS).startAt(rpm / 60, seconds(now)));
    settings
        .tokensPerMinute()
        .ifPresent(tpm -> hidden(Dimension.TOKENS).startAt(tpm / 60, seconds(now)));
  }

  /** What was sent: handed back with its answer, once. */
  public static final class Sent {
    private final double at;
    private final Cost cost;
    private final InFlightLog.Entry entry;
    private final double requestsBefore;
    private final double tokensBefore;
    private final int numberForGuard;
    private boolean settled;

    private Sent(
        InFlightLog.Entry entry, double requestsBefore, double tokensBefore, int numberForGuard) {
      this.at = entry.sentAt;
      this.cost = entry.cost;
      this.entry = entry;
      this.requestsBefore = requestsBefore;
      this.tokensBefore = tokensBefore;
      this.numberForGuard = numberForGuard;
    }
  }

  /**
   * Nanoseconds until a request of this cost may leave: 0 for at once, {@link #UNTIL_ANSWERED} when
   * the window is full.
   */
  public long waitNanos(long nanos, Cost cost) {
    double now = seconds(nanos);
    if (circuit.isOpen()) {
      return nanos(circuit.waitSeconds(now));
    }
    if (inFlight >= window()) {
      slowStart.bound(now);
      cap.bound(now);
      if (inFlight >= window()) {
        return UNTIL_ANSWERED;
      }
    }
    double wait = Math.max(0, holdUntil - now);
    for (Quota quota : quotas.values()) {
      wait = Math.max(wait, quota.mirror.waitSeconds(now, cost.of(quota.dimension)));
    }
    double paced = 0;
    for (HiddenRate rate : hidden.values()) {
      paced = Math.max(paced, rate.waitSeconds(now));
    }
    for (HiddenRate rate : hidden.values()) {
      // Ramping a rate that does not bind would explode it.
      rate.tick(now, paced >= wait);
    }
    wait =
        Math.max(
            Math.max(wait, paced), Math.max(circuit.waitSeconds(now), overload.waitSeconds(now)));
    return nanos(wait);
  }

  /** The request leaves now. */
  public Sent send(long nanos, Cost cost) {
    double now = seconds(nanos);
    circuit.send(now, random.nextDouble(0.8, 1.2));
    overload.send(now);
    InFlightLog.Entry entry = log.add(now, cost, inFlight);
    inFlight++;
    for (Quota quota : quotas.values()) {
      quota.mirror.send(now, cost.of(quota.dimension));
    }
    return new Sent(
        entry,
        hidden(Dimension.REQUESTS).send(now, 1),
        hidden(Dimension.TOKENS).send(now, Math.max(1e-9, cost.of(Dimension.TOKENS))),
        guard.sent());
  }

  /** Headers have arrived; the answer may still be under way. */
  public void observe(long nanos, Sent sent, ResponseFacts facts) {
    read(seconds(nanos), sent, facts);
  }

  /**
   * An answer.
   *
   * @param used what it really cost
   */
  public void answered(long nanos, Sent sent, Cost used) {
    double now = seconds(nanos);
    if (!settle(sent)) {
      return;
    }
    came(now);
    refund(now, sent, used);
    slowStart.answered();
    if (isLatencyTheOnlySignal()
        && guard.answered(now, now - sent.at, sent.numberForGuard, inFlight)) {
      hidden(Dimension.REQUESTS).suspend();
    }
  }

  /**
   * A refusal.
   *
   * @param dimension what ran out, if the refusal says so
   * @return nanoseconds until this request may be asked again; it also waits for its turn
   */
  public long refused(long nanos, Sent sent, ResponseFacts facts, Optional<Dimension> dimension) {
    double now = seconds(nanos);
    if (!settle(sent)) {
      return 0;
    }
    came(now);
    sent.entry.refuse();
    read(now, sent, facts);
    if (!isExplained(sent, facts, dimension)) {
      measure(now, sent, facts, dimension);
    }
    double wait = facts.serverWait().map(PaceController::seconds).orElse(0.0);
    if (wait > SHORT_WAIT_SECONDS) {
      holdUntil = Math.max(holdUntil, now + Math.min(wait, LONGEST_HOLD_SECONDS));
    }
    return nanos(Math.min(wait, LONGEST_HOLD_SECONDS) * random.nextDouble(1, 1.1));
  }

  /**
   * A fault of the provider or the network.
   *
   * @param attempt the number of attempts of this request, from 1
   * @return nanoseconds until this request may be asked again
   */
  public long failed(long nanos, Sent sent, int attempt) {
    double now = seconds(nanos);
    if (!settle(sent)) {
      return 0;
    }
    circuit.failed(now);
    if (circuit.isOpen()) {
      // Not its fault: it waits for the provider, not for a turn of its own.
      return 0;
    }
    return nanos(backoffSeconds(attempt));
  }

  /** The provider is full although the limits are kept: slows down only as a pattern. */
  public long overloaded(long nanos, Sent sent, ResponseFacts facts, int attempt) {
    double now = seconds(nanos);
    if (!settle(sent)) {
      return 0;
    }
    circuit.answered(now);
    read(now, sent, facts);
    overload.overloaded(now);
    double backoff = backoffSeconds(attempt);
    return nanos(Math.max(backoff, facts.serverWait().map(PaceController::seconds).orElse(0.0)));
  }

  /** Nothing was learned: the request was cancelled. */
  public void cancelled(Sent sent) {
    settle(sent);
  }

  public int inFlight() {
    return inFlight;
  }

  /** How many may be in flight at present. */
  public int window() {
    int window = Math.min(settings.maxConnections(), Math.min(cap.cap(), guard.window()));
    return isLatencyTheOnlySignal() && guard.window() == LatencyGuard.NONE
        ? Math.min(window, slowStart.window())
        : window;
  }

  /** The pace of requests at present, per second; infinite if none is known to bind. */
  public double requestRate(long nanos) {
    HiddenRate rate = hidden(Dimension.REQUESTS);
    double paced = rate.isActive() ? rate.rate(seconds(nanos)) : Double.POSITIVE_INFINITY;
    for (Quota quota : quotas.values()) {
      if (quota.dimension == Dimension.REQUESTS && quota.mirror.rate() > 0) {
        paced = Math.min(paced, quota.mirror.rate());
      }
    }
    return paced;
  }

  private double backoffSeconds(int attempt) {
    double doubled = Math.pow(2, Math.min(attempt - 1, 10));
    return Math.min(LONGEST_BACKOFF_SECONDS, random.nextDouble(0.5, 1.5) * doubled);
  }

  private boolean settle(Sent sent) {
    if (sent.settled) {
      return false;
    }
    sent.settled = true;
    inFlight--;
    return true;
  }

  /** The provider is there: it answered, if only to refuse. */
  private void came(double now) {
    if (circuit.answered(now)) {
      hidden.values().forEach(rate -> rate.forgetInterval(now));
    }
  }

  private boolean isLatencyTheOnlySignal() {
    return quotas.isEmpty() && hidden.values().stream().allMatch(rate -> rate.episodes() == 0);
  }

  private void refund(double now, Sent sent, Cost used) {
    for (Quota quota : quotas.values()) {
      double unused = sent.cost.of(quota.dimension) - used.of(quota.dimension);
      if (unused > 0) {
        quota.mirror.refund(now, unused);
      }
    }
    double unused = sent.cost.of(Dimension.TOKENS) - used.of(Dimension.TOKENS);
    if (unused > 0) {
      hidden(Dimension.TOKENS).refund(unused);
    }
  }

  private void read(double now, Sent sent, ResponseFacts facts) {
    for (QuotaSnapshot snapshot : facts.quotas()) {
      if (snapshot.limit().isEmpty() || snapshot.remaining().isEmpty()) {
        continue;
      }
      double limit = snapshot.limit().getAsDouble();
      Quota quota =
          quotas.computeIfAbsent(
              snapshot.dimension() + " " + snapshot.name(),
              _ -> discover(sent, snapshot.dimension()));
      if (sent.entry.isRefused()) {
        quota.mirror.unsend(sent.at, sent.cost.of(quota.dimension));
      }
      quota.mirror.header(
          sent.at,
          limit,
          snapshot.remaining().getAsDouble(),
          snapshot.reset().map(PaceController::seconds).orElse(0.0),
          snapshot.window().map(PaceController::seconds).orElse(0.0),
          snapshot.resolution(),
          now);
      if (quota.dimension == Dimension.REQUESTS) {
        hidden(Dimension.REQUESTS).atLeast(0.5 * quota.mirror.rate());
      }
    }
  }

  /** A bucket that was not known: what left since its scout counts. */
  private Quota discover(Sent scout, Dimension dimension) {
    var mirror = new Mirror();
    for (InFlightLog.Entry entry : log.sentAfter(scout.at)) {
      mirror.sentBefore(entry.sentAt, entry.cost.of(dimension));
    }
    return new Quota(dimension, mirror);
  }

  /** Whether an advertised bucket was as empty as the refusal says. */
  private static boolean isExplained(
      Sent sent, ResponseFacts facts, Optional<Dimension> dimension) {
    Dimension asked = dimension.orElse(Dimension.REQUESTS);
    double doubt = asked == Dimension.REQUESTS ? 1 : ESTIMATE_DOUBT;
    return facts.quotas().stream()
        .filter(snapshot -> snapshot.dimension() == asked)
        .filter(snapshot -> snapshot.limit().isPresent() && snapshot.remaining().isPresent())
        .anyMatch(snapshot -> snapshot.remaining().getAsDouble() < doubt * sent.cost.of(asked) + 1);
  }

  private void measure(double now, Sent sent, ResponseFacts facts, Optional<Dimension> dimension) {
    int before = sent.entry.inFlightBefore;
    if (facts.limitKind().filter("concurrency"::equals).isPresent()) {
      cap.told(before);
      hidden(Dimension.REQUESTS).suspend();
      return;
    }
    if (dimension.isEmpty() && cap.explains(now, before)) {
      return;
    }
    boolean tokens = dimension.isPresent() && dimension.get() != Dimension.REQUESTS;
    HiddenRate rate = hidden(tokens ? Dimension.TOKENS : Dimension.REQUESTS);
    boolean newEpisode =
        rate.refused(
            now,
            sent.at,
            tokens ? sent.tokensBefore : sent.requestsBefore,
            tokens ? Math.max(1e-9, sent.cost.of(Dimension.TOKENS)) : 1);
    if (dimension.isEmpty() && newEpisode && cap.recognises(now, before, log)) {
      rate.suspend();
    }
  }

  private HiddenRate hidden(Dimension dimension) {
    HiddenRate rate = hidden.get(dimension);
    if (rate == null) {
      throw new IllegalStateException("cannot pace " + dimension + ": nothing learns its rate");
    }
    return rate;
  }

  private static double seconds(long nanos) {
    return nanos / NANOS;
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / NANOS;
  }

  /** Rounded up, so that a waiter never comes a moment too early and has to ask again at once. */
  private static long nanos(double seconds) {
    return seconds <= 1e-9 ? 0 : (long) Math.ceil(seconds * NANOS);
  }
}
