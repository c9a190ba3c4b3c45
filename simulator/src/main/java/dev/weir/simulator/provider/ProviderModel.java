package dev.weir.simulator.provider;

import dev.weir.simulator.provider.ProviderSettings.RetryAfter;
import java.time.Duration;
import java.util.BitSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SplittableRandom;

/**
 * A provider's decisions about requests: admitted, queued, refused or failed.
 *
 * <p>A plain object, fed with times in nanoseconds since its start, which never run backwards. It
 * says how long it takes for what it decides; whoever drives it (an {@link EventLoop}, or a server)
 * makes that time pass and calls {@link #finished}. The network is not part of it.
 *
 * <p>A request is checked against outage, overload and stray error; then the rule, if there is one;
 * then the cap; then the growth; then the quotas, hidden requests first. Only an admitted request
 * is charged, except that a refusal may cost {@link ProviderSettings#refusalCost}. Not thread-safe.
 */
public final class ProviderModel {

  private static final long CAP_WAIT_NANOS = 1_000_000_000L;
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private final ProviderSettings settings;
  private final AdmissionRule rule;
  private final SplittableRandom random;
  private final Quotas quotas;
  private final Slots slots;
  private final FaultDraw faults;
  private final TimeSeries accepted = new TimeSeries();
  private final TimeSeries refused = new TimeSeries();
  private final Optional<GrowthLimit> growth;
  private final BitSet answered = new BitSet();
  private Optional<RefusalCause> lastRefusal = Optional.empty();
  private int admitted;
  private int refusals;
  private int strays;
  private int failures;
  private int hung;
  private int answers;
  private int duplicates;

  public ProviderModel(ProviderSettings settings, long seed) {
    this(settings, AdmissionRule.NONE, seed);
  }

  ProviderModel(ProviderSettings settings, AdmissionRule rule, long seed) {
    this.settings = settings;
    this.rule = rule;
    this.random = new SplittableRandom(seed);
    this.quotas = new Quotas(settings);
    this.slots = new Slots(settings.cap());
    this.faults = new FaultDraw(settings.faults(), random.split());
    this.growth = settings.acceleration().map(limit -> new GrowthLimit(limit, accepted));
  }

  /** Decides about a request that arrives now. */
  public Admission admit(long now, Request request) {
    quotas.moveTo(now);
    OptionalInt status = faults.atArrival(now);
    if (status.isPresent()) {
      failures++;
      return new Admission.Failed(new Response.Failure(status.getAsInt()), millis(120, 220));
    }
    if (faults.refusesAtRandom()) {
      strays++;
      return refuse(now, RefusalCause.STRAY, CAP_WAIT_NANOS);
    }
    OptionalLong ruleWait = rule.refusal(now, request);
    if (ruleWait.isPresent()) {
      return refuse(now, RefusalCause.REQUESTS, ruleWait.getAsLong());
    }
    if (slots.refuse()) {
      return refuse(now, RefusalCause.CONCURRENCY, CAP_WAIT_NANOS);
    }
    long growthWait = nanosUntilGrowthAllowed(now);
    if (growthWait > 0) {
      return refuse(now, RefusalCause.GROWTH, growthWait);
    }
    Optional<Bucket> exceeded = quotas.exceededBy(request);
    if (exceeded.isPresent()) {
      Bucket bucket = exceeded.get();
      bucket.take(settings.refusalCost());
      return refuse(now, RefusalCause.of(bucket.kind()), bucket.nanosUntilHolds(request));
    }
    return accept(now, request);
  }

  /** The status with which a call fails that meets no limit, such as one about a batch. */
  public OptionalInt fault(long now) {
    OptionalInt status = faults.atArrival(now);
    if (status.isPresent()) {
      failures++;
    }
    return status;
  }

  /**
   * Settles the tokens of finished work and frees its slot.
   *
   * @return queued work that is served from now on
   */
  public Optional<Work> finished(long now, Work work) {
    Optional<Work> next = slots.finish(work);
    quotas.moveTo(now);
    quotas.settle(work.request());
    answers++;
    if (answered.get(work.request().id())) {
      duplicates++;
    }
    answered.set(work.request().id());
    return next;
  }

  /**
   * Frees the slot, or the place in the queue, of work whose client has left: hung work too. What
   * it would have used stays charged.
   *
   * @return queued work that is served from now on
   */
  public Optional<Work> abandoned(long now, Work work) {
    Optional<Work> next = slots.abandon(work);
    quotas.moveTo(now);
    quotas.settle(work.request());
    return next;
  }

  /** Why the last refused request was refused, whether or not the provider tells. */
  public Optional<RefusalCause> lastRefusal() {
    return lastRefusal;
  }

  /**
   * Forgets when requests were admitted and refused before a time, so that a provider that runs for
   * days stays small. The counts stay. A limit on growth looks back 70 s.
   */
  public void forgetBefore(long nanos) {
    accepted.forgetBefore(nanos);
    refused.forgetBefore(nanos);
  }

  /** What a response sent now would tell about the quotas, if it told anything. */
  public QuotaHeaders quota(long now) {
    quotas.moveTo(now);
    return quotas.headers(now);
  }

  public ProviderCounts counts() {
    return new ProviderCounts(
        admitted, refusals, strays, failures, hung, answers, duplicates, slots.peak());
  }

  /** When requests were admitted. */
  public TimeSeries accepted() {
    return accepted;
  }

  /** When requests were refused. */
  public TimeSeries refused() {
    return refused;
  }

  public int inFlight() {
    return slots.inFlight();
  }

  /**
   * How long until the request may be admitted, as far as waiting helps: 0 if it would be now.
   * Known to an oracle only.
   */
  long nanosUntilAdmitted(long now, Request request) {
    quotas.moveTo(now);
    if (slots.refuse()) {
      return Bucket.FAR_NANOS;
    }
    return Math.max(
        faults.nanosUntilOutageEnds(now),
        Math.max(nanosUntilGrowthAllowed(now), quotas.nanosUntilHold(now, request)));
  }

  private Admission accept(long now, Request request) {
    quotas.take(request);
    accepted.add(now);
    admitted++;
    var work = new Work(request, advertised(now));
    if (faults.hangs()) {
      hung++;
      slots.occupy(work);
      return new Admission.Hung(work);
    }
    return slots.start(work) ? new Admission.Accepted(work) : new Admission.Queued(work);
  }

  private Admission refuse(long now, RefusalCause cause, long waitNanos) {
    refused.add(now);
    refusals++;
    lastRefusal = Optional.of(cause);
    var refusal =
        new Response.Refusal(
            settings.advertising().kind() ? cause.kind() : Optional.empty(),
            retryAfter(waitNanos),
            advertised(now));
    return new Admission.Refused(refusal, millis(10, 50));
  }

  private Optional<Duration> retryAfter(long waitNanos) {
    return switch (settings.advertising().retryAfter()) {
      case RetryAfter.ABSENT -> Optional.empty();
      case RetryAfter.WHOLE_SECONDS ->
          Optional.of(Duration.ofSeconds(Math.max(1, Math.ceilDiv(waitNanos, NANOS_PER_SECOND))));
      case RetryAfter.EXACT -> Optional.of(Duration.ofNanos(waitNanos));
    };
  }

  private QuotaHeaders advertised(long now) {
    return settings.advertising().quota()
        ? rule.advertised(quotas.headers(now))
        : QuotaHeaders.NONE;
  }

  private long nanosUntilGrowthAllowed(long now) {
    return growth.isPresent() ? growth.get().nanosUntilAllowed(now) : 0;
  }

  private long millis(int least, int most) {
    return random.nextLong(least * 1_000_000L, most * 1_000_000L);
  }
}
