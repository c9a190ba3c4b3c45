package dev.weir.limits.pace;

import dev.weir.limits.header.Dimension;
import dev.weir.limits.pace.PaceState.ClaimState;

/**
 * One advertised bucket: what its numbers may mean, and what follows for the next request.
 *
 * <p>A header is a claim. Its {@code remaining} is the only number that means the same everywhere,
 * so the refill is measured with it ({@link Refill}); what {@code limit} and {@code reset} would
 * make of the refill is used where the measurement bears it out, and before there is one, if it is
 * precise ({@link RateRange}). A quota that comes all at once shows in what does not come back in
 * between ({@link FixedWindow}). Until the refill is known, nothing comes back but what was seen
 * to; a claim that outcomes contradict loses its vote ({@link Trust}).
 *
 * <p>Understood, it is a replica of the bucket: what the newest response said remained, plus
 * refill, minus what was sent since.
 */
final class Claim {

  /** A bucket counts as full within this share of the most that was ever seen in it. */
  private static final double NEARLY_FULL = 0.05;

  /** Margins are for jitter, so they are bounded in seconds of refill. */
  private static final double JITTER_SECONDS = 0.015;

  /** When a request arrived is not known, only when it was sent. */
  private static final double ARRIVAL_SECONDS = 0.06;

  /** A provider may count up to so many times the tokens that were estimated. */
  private static final double ESTIMATE_DOUBT = 2;

  private static final double ERROR_WEIGHT = 0.05;
  private static final double REFUND_PROOF = 0.8;
  private static final double REFUND_DOUBT = 2;
  private static final double OVERTAKING_SECONDS = 0.03;
  private static final double RESERVE_SECONDS = 0.25;
  private static final double RESERVE_SHARE = 0.02;
  private static final double MOST_MARGIN = 0.1;
  private static final double MOST_MARGIN_IN_DOUBT = 0.3;
  private static final double EDGE_FADES_SECONDS = 60;

  /** A bucket that is full again may refill faster than was seen. */
  private static final double GENEROSITY = 2;

  /** A bucket of fewer requests is full or empty whenever it is seen: that says too little. */
  private static final double LEAST_BUCKET = 2.5;

  /** Up to so many requests, the one that a response is about matters more than rounding. */
  private static final double SMALL_BUCKET = 12;

  /** So long the end of a window is believed without asking. */
  private static final double LONGEST_TRUST_SECONDS = 900;

  /**
   * So many answers in a row that say nothing about it: it is gone, or was about something else.
   */
  private static final int SILENT_ANSWERS = 50;

  private static final double PROOF = 3;
  private static final double SHORTEST_PROOF_SECONDS = 0.1;
  private static final double LONGEST_PROOF_SECONDS = 10;

  /** A bucket that stays full for longer, and through as many units, is not what binds. */
  private static final double FULL_SECONDS = 1;

  private static final double FULL_UNITS = 10;

  /** After so long without a request, one is sent to see whether the claim still holds. */
  private static final double FIRST_PROBE_SECONDS = 1;

  private static final double SHORTEST_PROBE_SECONDS = 0.02;
  private static final double LONGEST_FIRST_PROBE_SECONDS = 5;
  private static final double LONGEST_PROBE_SECONDS = 60;
  private static final double PROBE_UNITS = 4;

  /** A bucket that holds more than this share of itself is not the one that ran out. */
  private static final double PLENTY = 0.5;

  /** What others take within so long, beyond these units, is no reason for a fall by that share. */
  private static final double SUDDEN_SECONDS = 10;

  private static final double SUDDEN_UNITS = 10;

  /** A limit that changes by more is about something else. */
  private static final double MOST_FACTOR = 20;

  /** So much more than limit and reset would allow, for so long, refutes them. */
  private static final double REFUTED_ABOVE = 3;

  private static final double REFUTED_SECONDS = 10;

  /** So much more that was seen to come back refutes them, too. */
  private static final double PROVEN_ABOVE = 1.5;

  /** A refusal is back by then, and takes back what it counted. */
  private static final double REFUSED_BY_SECONDS = 1;

  /** A bucket that was seen to hold so much of the limit has the limit as its capacity. */
  private static final double CAPACITY_SHARE = 0.9;

  private double limit = Double.NaN;
  private double seen;
  private double resolution = 1;
  private double anchorAt = Double.NEGATIVE_INFINITY;
  private double anchored;
  private double level;
  private double levelAt;
  private double edge;
  private double edgeAt;
  private double sentAt = Double.NEGATIVE_INFINITY;
  private double probedAt = Double.NaN;
  private double probeGap = FIRST_PROBE_SECONDS;
  private double typicalCost;
  private double drainedAt = Double.NEGATIVE_INFINITY;
  private double fullSumAt = Double.NaN;
  private double fullSum;
  private double proven;
  private double refundError;
  private double plainError;

  /** Since when limit and reset have been read; NaN if they are not. */
  private double statedSince = Double.NaN;

  /** Whether much more was let through than limit and reset would allow. */
  private boolean refuted;

  /** Since when it has voted on each request; NaN if it does not. */
  private double votingSince = Double.NaN;

  /** Answers since it was last read. */
  private int silentAnswers;

  private final SendTotals taken;
  private final Refill refill;
  private final RateRange byLimit;
  private final RateRange bySeen;
  private final FixedWindow window;
  private final Trust trust;

  Claim() {
    taken = new SendTotals();
    refill = new Refill();
    byLimit = new RateRange();
    bySeen = new RateRange();
    window = new FixedWindow();
    trust = new Trust();
  }

  Claim(ClaimState state) {
    limit = state.limit();
    seen = state.seen();
    resolution = state.resolution();
    anchorAt = state.anchorAt();
    anchored = state.anchored();
    level = state.level();
    levelAt = state.levelAt();
    edge = state.edge();
    edgeAt = state.edgeAt();
    sentAt = state.sentAt();
    probedAt = state.probedAt();
    probeGap = state.probeGap();
    typicalCost = state.typicalCost();
    drainedAt = state.drainedAt();
    fullSumAt = state.fullSumAt();
    fullSum = state.fullSum();
    proven = state.proven();
    refundError = state.refundError();
    plainError = state.plainError();
    statedSince = state.statedSince();
    refuted = state.refuted();
    votingSince = state.votingSince();
    silentAnswers = state.silentAnswers();
    taken = new SendTotals(state.taken());
    refill = new Refill(state.refill());
    byLimit = new RateRange(state.byLimit());
    bySeen = new RateRange(state.bySeen());
    window = new FixedWindow(state.window());
    trust = new Trust(state.trust());
  }

  ClaimState state() {
    return new ClaimState(
        limit,
        seen,
        resolution,
        anchorAt,
        anchored,
        level,
        levelAt,
        edge,
        edgeAt,
        sentAt,
        probedAt,
        probeGap,
        typicalCost,
        drainedAt,
        fullSumAt,
        fullSum,
        proven,
        refundError,
        plainError,
        statedSince,
        refuted,
        votingSince,
        silentAnswers,
        taken.state(),
        refill.state(),
        byLimit.state(),
        bySeen.state(),
        window.state(),
        trust.state());
  }

  /**
   * What a response says.
   *
   * @param limit as advertised; NaN if it is not
   * @param remaining what is left
   * @param resetFrom and {@code resetUntil}: seconds from the send to the reset lie between them;
   *     NaN if it is not advertised
   * @param resolution the unit to which {@code remaining} is rounded
   */
  record Reading(
      double limit, double remaining, double resetFrom, double resetUntil, double resolution) {}

  /** The refill in units a second, less what others take; 0 while it is not known. */
  double rate() {
    if (window.isRecognized()) {
      return 0;
    }
    RateRange stated = stated();
    if (!refill.isPrecise()) {
      return stated.isPrecise() ? stated.middle() : 0;
    }
    double lower = Math.max(refill.lower(), stated.lower());
    double upper = Math.min(refill.upper(), stated.upper());
    return lower < upper ? 0.5 * (lower + upper) : refill.middle();
  }

  /** What limit and reset would make of the refill: the more cautious reading of the limit. */
  private RateRange stated() {
    if (bySeen.isEmpty()) {
      return seen > 0 ? byLimit : bySeen;
    }
    return byLimit.isPrecise() && byLimit.upper() < bySeen.lower() ? byLimit : bySeen;
  }

  /** What the bucket gets in a second on average; 0 while it is not known. */
  double averageRate() {
    return window.isRecognized() ? window.average(seen) : rate();
  }

  /** Whether it may say what leaves. */
  boolean votes(double now) {
    return anchorAt > Double.NEGATIVE_INFINITY
        && silentAnswers < SILENT_ANSWERS
        && trust.votes(now)
        && (seen >= LEAST_BUCKET * typicalCost || isUnderstood());
  }

  /** Whether it is known what its numbers mean. */
  boolean isUnderstood() {
    return window.isRecognized() || rate() > 0;
  }

  /** The refill to count with; while it is not known, what was seen to come back, or nothing. */
  private double assumedRate() {
    if (window.isRecognized()) {
      return 0;
    }
    double rate = rate();
    return rate > 0 ? rate : Math.max(refill.lower(), GENEROSITY * proven);
  }

  /** Whether what it says has followed what was sent: it is about this traffic. */
  boolean isMoving() {
    return drainedAt > Double.NEGATIVE_INFINITY && !trust.isDoubted();
  }

  /** Whether it is known well enough to be the reason of a refusal, and for how long. */
  boolean isExplanation() {
    return isMoving() && isUnderstood() && seen >= 1.5 * typicalCost;
  }

  /** Whether so much is left that this bucket cannot be the one that ran out. */
  boolean isPlentiful(double now) {
    return levelAt(now) > PLENTY * seen;
  }

  /** When the newest request was sent whose response was read. */
  double readAt() {
    return anchorAt;
  }

  boolean isWindow() {
    return window.isRecognized();
  }

  /** A request that left before the bucket was known, but after the one that made it known. */
  void sentBefore(double at, double cost) {
    taken.add(at, cost);
  }

  /** Takes in what a response said about the moment at which its request was sent. */
  void read(double sent, double cost, boolean refused, Reading reading, double now) {
    resolution = reading.resolution();
    silentAnswers = 0;
    if (!Double.isNaN(reading.limit())) {
      boolean changed = Math.abs(reading.limit() - limit) > 0.01 * limit;
      if (changed) {
        // Limits do change, but not with each response.
        trust.wrong(now, now);
        rescale(reading.limit() / limit);
      }
      limit = reading.limit();
    }
    if (refused && reading.remaining() >= (cost > 1 ? ESTIMATE_DOUBT : 1) * cost + resolution) {
      // It speaks of something else, or lies.
      return;
    }
    double before = reading.remaining() + (refused ? 0 : cost);
    seen = Math.max(seen, before);
    typicalCost = typicalCost == 0 ? cost : typicalCost + 0.05 * (cost - typicalCost);
    boolean probe = sent == probedAt;
    if (probe) {
      probed(refused, now);
    }
    if (!Double.isNaN(reading.resetUntil())) {
      // What was let through was there, so at least that is missing now. Rounding says more of a
      // larger bucket.
      boolean tiny = typicalCost <= 1 && seen < SMALL_BUCKET;
      readReset(reading, tiny && !refused ? cost : 0);
      refute(sent);
    }
    double noise = noise(sent);
    double sum = reading.remaining() + taken.upTo(sent);
    // The end of a window is the same whichever request tells it.
    readWindow(sent, refused, sent <= anchorAt, reading, sum, noise);
    if (sent <= anchorAt) {
      return;
    }
    if (hasFallenTooFar(sent, reading.remaining())) {
      trust.wrong(now, now);
    }
    compare(sent, reading.remaining(), noise);
    if (refused && !trust.votes(now) && isUnderstood() && predictsNone(sent, cost)) {
      trust.right(now);
    }
    if (refused) {
      // Others that were refused with it are still counted as taken: only what remains is known.
      anchorAt = sent;
      anchored = reading.remaining();
      drainedAt = sent;
      replay(now);
      return;
    }
    if (before >= seen - Math.max(0.5, NEARLY_FULL * seen)) {
      refill.full();
      prove(sent, sum, noise);
      if (sent - drainedAt > FULL_SECONDS && sent - drainedAt > FULL_UNITS / rate()) {
        // It stays full whatever is sent: the refill is larger than was measured.
        refill.forget();
      }
    } else {
      refill.read(sent, sum, noise);
      drainedAt = sent;
    }
    anchorAt = sent;
    anchored = reading.remaining();
    replay(now);
  }

  private void readWindow(
      double sent, boolean refused, boolean overtaken, Reading reading, double sum, double noise) {
    if (!Double.isNaN(reading.resetUntil())) {
      window.read(
          sent,
          sum,
          sent + reading.resetFrom() - ARRIVAL_SECONDS,
          sent + reading.resetUntil() + ARRIVAL_SECONDS,
          overtaken ? Double.NaN : seen - reading.remaining(),
          noise,
          refused);
    }
  }

  /** A bucket that is full again has got back all that was taken from it. */
  private void prove(double sent, double sum, double noise) {
    double seconds = sent - fullSumAt;
    boolean enough = sum - fullSum >= PROOF * noise || seconds > LONGEST_PROOF_SECONDS;
    if (Double.isNaN(fullSumAt) || (enough && seconds > SHORTEST_PROOF_SECONDS)) {
      if (!Double.isNaN(fullSumAt)) {
        proven = Math.max(proven, Math.max(0, sum - fullSum - 0.5 * noise) / seconds);
      }
      fullSumAt = sent;
      fullSum = sum;
    }
  }

  /** What limit and reset would make of the refill. */
  private void readReset(Reading reading, double missing) {
    double least = Math.max(reading.resetUntil(), 1e-3);
    double most = Math.max(reading.resetFrom(), 1e-9);
    double used = seen - reading.remaining();
    if (used > 0) {
      bySeen.add(Math.max(Math.min(missing, used), used - resolution) / least, used / most);
    }
    double ofLimit = reading.limit() - reading.remaining();
    if (ofLimit > 0) {
      byLimit.add(
          Math.max(Math.min(missing, ofLimit), ofLimit - resolution) / least, ofLimit / most);
    }
  }

  /**
   * Compares what limit and reset would make of the refill with what came back, and was let
   * through.
   */
  private void refute(double sent) {
    statedSince = Double.isNaN(statedSince) ? sent : statedSince;
    double until = sent - REFUSED_BY_SECONDS;
    double from = Math.max(statedSince, until - REFUTED_SECONDS);
    RateRange stated = stated();
    if (!refuted && stated.isPrecise()) {
      double allowed = seen + stated.upper() * Math.max(0, until - from);
      refuted =
          proven > PROVEN_ABOVE * stated.upper()
              || (until > from && taken.upTo(until) - taken.upTo(from) > REFUTED_ABOVE * allowed);
    }
    if (refuted) {
      byLimit.forget();
      bySeen.forget();
    }
  }

  /** By how many units a response may be off: rounding, and requests that are counted otherwise. */
  private double noise(double sent) {
    double lately = taken.upTo(sent) - taken.upTo(sent - 1);
    return (resolution > 1 || typicalCost > 10 ? resolution + 0.5 * typicalCost : 1)
        + OVERTAKING_SECONDS * Math.max(0, lately);
  }

  /** Whether much more is missing than was sent: no bucket does that, whatever its refill. */
  private boolean hasFallenTooFar(double sent, double remaining) {
    double between = taken.upTo(sent) - taken.upTo(anchorAt);
    return sent - anchorAt < SUDDEN_SECONDS
        && anchored - remaining > between + PLENTY * seen + SUDDEN_UNITS * typicalCost;
  }

  /** Whether what the replica predicted for this very request came. */
  private void compare(double sent, double remaining, double noise) {
    double rate = rate();
    if (anchorAt == Double.NEGATIVE_INFINITY || (rate <= 0 && !window.isRecognized())) {
      return;
    }
    double predicted =
        window.isRecognized()
            ? windowLevel(sent)
            : taken.replay(anchorAt, anchored, rate, seen, sent, refunds());
    if (!window.isRecognized()) {
      weighRefunds(sent, remaining, rate);
    }
    double elapsed = sent - anchorAt;
    double between = taken.upTo(sent) - taken.upTo(anchorAt);
    double tolerance = 2 * noise + 1 + 0.3 * rate * elapsed + 0.2 * between;
    trust.predicted(Math.abs(Math.max(0, predicted) - remaining) <= tolerance);
  }

  /** Whether a request that was sent then would not have left if it had been asked. */
  private boolean predictsNone(double sent, double cost) {
    double predicted =
        window.isRecognized()
            ? windowLevel(sent)
            : taken.replay(anchorAt, anchored, rate(), seen, sent, refunds());
    return predicted < cost;
  }

  /** Whether tokens that were reserved and not used come back, as far as what remains shows. */
  private boolean refunds() {
    return refundError < REFUND_PROOF * plainError;
  }

  private void weighRefunds(double sent, double remaining, double rate) {
    double with = taken.replay(anchorAt, anchored, rate, seen, sent, true);
    double without = taken.replay(anchorAt, anchored, rate, seen, sent, false);
    if (with != without) {
      refundError += ERROR_WEIGHT * (Math.abs(with - remaining) - refundError);
      plainError += ERROR_WEIGHT * (Math.abs(without - remaining) - plainError);
    }
  }

  /** Seconds until a request of this cost may leave. */
  double waitSeconds(double now, double cost) {
    if (!votes(now)) {
      return 0;
    }
    return bucket(Dimension.REQUESTS, now).waitSeconds(now, cost);
  }

  /** What may be done from now on. Asking changes nothing: it may be asked any number of times. */
  Slice.Bucket bucket(Dimension dimension, double now) {
    boolean fixed = window.isRecognized();
    double fullAt = fixed ? window.nextBoundary(now) : Double.NaN;
    return new Slice.Bucket(
        dimension,
        levelAt(now),
        Math.max(now, levelAt),
        assumedRate(),
        seen,
        margin(now),
        Double.isNaN(fullAt) ? Double.POSITIVE_INFINITY : fullAt,
        probeAt(fullAt));
  }

  private double probeAt(double fullAt) {
    double rate = rate();
    double gap =
        rate > 0
            ? Math.clamp(PROBE_UNITS / rate, probeGap, LONGEST_FIRST_PROBE_SECONDS + probeGap)
            : probeGap;
    double due = sentAt + gap;
    // A window that is said to last longer is asked for, too: its end may be wrong.
    return Double.isNaN(fullAt)
        ? due
        : Math.max(due, Math.min(fullAt, sentAt + LONGEST_TRUST_SECONDS));
  }

  /**
   * @return whether the request is a probe: it leaves although the claim sees no room for it
   */
  boolean send(double now, double cost) {
    boolean probe = false;
    if (!votes(now)) {
      votingSince = Double.NaN;
    } else {
      votingSince = Double.isNaN(votingSince) ? now : votingSince;
      advance(now);
      probe = bucket(Dimension.REQUESTS, now).lacks(now, cost);
      if (probe) {
        probedAt = now - probedAt < LONGEST_PROBE_SECONDS ? probedAt : now;
      }
      level -= cost;
    }
    taken.add(now, cost);
    sentAt = now;
    return probe;
  }

  /** A request was answered; what the answer says about this bucket has been read. */
  void answered(double sent, double now) {
    silentAnswers++;
    if (sent == probedAt) {
      probed(false, now);
    }
  }

  /** A request that was to see whether the claim holds has come back. */
  private void probed(boolean refused, double now) {
    probedAt = Double.NaN;
    if (refused) {
      probeGap = Math.min(2 * probeGap, LONGEST_PROBE_SECONDS);
    } else {
      if (isUnderstood()) {
        probeGap = FIRST_PROBE_SECONDS;
        trust.wrong(now, now);
      } else {
        // More comes back than was seen until now.
        probeGap = Math.max(0.5 * probeGap, SHORTEST_PROBE_SECONDS);
      }
    }
  }

  /**
   * Takes back a send that consumed nothing: it was refused, or failed, or never left. A header of
   * a later send has counted it already, or not.
   */
  void unsend(double sent, double cost) {
    if (!taken.knows(sent)) {
      return;
    }
    taken.giveBack(sent, cost);
    refill.giveBack(sent, cost);
    window.giveBack(sent, cost);
    if (sent > anchorAt) {
      level = Math.min(seen, level + cost);
    }
  }

  /** Gives back what was reserved and not used. */
  void refund(double now, double amount) {
    taken.add(now, -amount);
    advance(now);
    level = Math.min(seen, level + amount);
  }

  /**
   * A request was refused that this claim, voting, had room for.
   *
   * @param sent when it was sent
   * @return whether that costs it its vote
   */
  boolean wrong(double now, double sent) {
    if (!(sent >= votingSince)) {
      // It had no say.
      return false;
    }
    double rate = averageRate();
    double more = 0.5 * Math.max(1, typicalCost) + 2 * JITTER_SECONDS * rate;
    edge = Math.min(edgeAt(now) + more, Math.min(0.25 * seen, more + rate));
    edgeAt = now;
    return trust.wrong(now, sent);
  }

  /** The limit is another one: until the refill is measured again, it has changed as much. */
  private void rescale(double factor) {
    boolean known = factor > 1 / MOST_FACTOR && factor < MOST_FACTOR && refill.isPrecise();
    if (known) {
      refill.rescale(factor);
      seen = seen > CAPACITY_SHARE * limit ? factor * seen : seen;
    } else {
      refill.forget();
      seen = 0;
    }
    proven = 0;
    fullSumAt = Double.NaN;
    byLimit.forget();
    bySeen.forget();
    statedSince = Double.NaN;
    refuted = false;
  }

  private void replay(double now) {
    level =
        window.isRecognized()
            ? windowLevel(now)
            : taken.replay(anchorAt, anchored, assumedRate(), seen, now, refunds());
    levelAt = now;
  }

  /** What is left in the window that is open. */
  private double windowLevel(double now) {
    double boundary = window.lastBoundary(now);
    return Double.isNaN(boundary) || boundary <= anchorAt
        ? anchored - (taken.upTo(now) - taken.upTo(anchorAt))
        : seen - (taken.upTo(now) - taken.upTo(boundary));
  }

  private void advance(double now) {
    if (now > levelAt) {
      level = levelAt(now);
      levelAt = now;
    }
  }

  private double levelAt(double now) {
    if (now <= levelAt) {
      return level;
    }
    return window.isRecognized()
        ? windowLevel(now)
        : Math.min(seen, level + assumedRate() * (now - levelAt));
  }

  private double edgeAt(double now) {
    return edge == 0 ? 0 : edge * Math.exp(-(now - edgeAt) / EDGE_FADES_SECONDS);
  }

  /** What is left in the bucket for jitter, and for what is not known exactly. */
  private double margin(double now) {
    if (window.isRecognized()) {
      // It counts, and counts the same in any order: what the newest request left is there.
      boolean certain = anchorAt >= sentAt && !(window.lastBoundary(now) > anchorAt);
      return certain ? 0 : Math.min(edgeAt(now), MOST_MARGIN_IN_DOUBT * seen);
    }
    double rate = rate();
    // A bucket of one request has no room for half of one.
    double least = Math.clamp(0.5 * seen - 0.4, 0.1, 0.5);
    double margin =
        Math.max(least, Math.min(RESERVE_SHARE * seen, RESERVE_SECONDS * rate))
            + JITTER_SECONDS * rate;
    // What comes back is known as well as it was predicted lately.
    double doubt = edgeAt(now) + (refunds() ? REFUND_DOUBT * refundError : 0);
    if (refill.isPrecise()) {
      doubt += 0.5 * refill.doubt() * (now - anchorAt);
    }
    return Math.min(margin, Math.max(least, MOST_MARGIN * seen))
        + Math.min(doubt, MOST_MARGIN_IN_DOUBT * seen);
  }

  @Override
  public String toString() {
    return "%.3f of %.3f at %.3f/s (%s) %s%s"
        .formatted(level, seen, assumedRate(), refill, window, trust);
  }
}
