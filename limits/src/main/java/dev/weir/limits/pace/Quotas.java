package dev.weir.limits.pace;

import dev.weir.limits.event.LimitEvent;
import dev.weir.limits.header.Dimension;
import dev.weir.limits.header.QuotaSnapshot;
import dev.weir.limits.header.Reset;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.pace.PaceState.QuotaState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The buckets that responses advertise: a {@link Claim} for each, found by its name. */
final class Quotas {

  /** A warning is given below the first, and may be given again after the second. */
  private static final double LITTLE_LEFT = 0.1;

  private static final double ENOUGH_AGAIN = 0.2;

  /** A bucket that holds so many times what was sent in a minute is not about minutes. */
  private static final double MOST_ROOM = 20;

  /** A provider that invents a name for each response must not fill the memory. */
  private static final int MOST_BUCKETS = 16;

  private static final Comparator<Quota> LAST_READ =
      Comparator.comparingDouble(quota -> quota.claim.readAt());

  private static final double LONG_WINDOW_SECONDS = 3_600;

  /** When it comes back is not told, or in many hours: so often it is looked. */
  private static final double DRY_SECONDS = 900;

  private static final class Quota {
    private final Dimension dimension;
    private final String name;
    private final Claim claim;
    private double announced;
    private boolean low;

    Quota(Dimension dimension, String name, Claim claim) {
      this.dimension = dimension;
      this.name = name;
      this.claim = claim;
    }

    Quota(QuotaState state) {
      this(state.dimension(), state.name(), new Claim(state.claim()));
      announced = state.announced();
      low = state.low();
    }

    QuotaState state() {
      return new QuotaState(dimension, name, claim.state(), announced, low);
    }
  }

  // A handful: walking through them is the fastest way to find one.
  private final List<Quota> quotas = new ArrayList<>();

  Quotas() {}

  Quotas(List<QuotaState> states) {
    states.forEach(state -> quotas.add(new Quota(state)));
  }

  List<QuotaState> state() {
    return quotas.stream().map(Quota::state).toList();
  }

  boolean isEmpty() {
    return quotas.isEmpty();
  }

  /** Seconds until each bucket has enough. */
  double waitSeconds(double now, Cost cost) {
    double wait = 0;
    for (int i = 0; i < quotas.size(); i++) {
      Quota quota = quotas.get(i);
      wait = Math.max(wait, quota.claim.waitSeconds(now, cost.of(quota.dimension)));
    }
    return wait;
  }

  List<Slice.Bucket> buckets(double now) {
    if (quotas.isEmpty()) {
      return List.of();
    }
    List<Slice.Bucket> buckets = new ArrayList<>(quotas.size());
    for (int i = 0; i < quotas.size(); i++) {
      Quota quota = quotas.get(i);
      if (quota.claim.votes(now)) {
        buckets.add(quota.claim.bucket(quota.dimension, now));
      }
    }
    return buckets;
  }

  /**
   * @return whether the request is a probe: it leaves although a claim sees no room for it
   */
  boolean send(double now, Cost cost) {
    boolean probe = false;
    for (int i = 0; i < quotas.size(); i++) {
      Quota quota = quotas.get(i);
      probe |= quota.claim.send(now, cost.of(quota.dimension));
    }
    return probe;
  }

  void answered(double now, double sentAt) {
    for (int i = 0; i < quotas.size(); i++) {
      quotas.get(i).claim.answered(sentAt, now);
    }
  }

  /** It has used nothing, not even a request. */
  void unsend(Sending sending) {
    for (int i = 0; i < quotas.size(); i++) {
      Quota quota = quotas.get(i);
      quota.claim.unsend(sending.at, sending.cost.of(quota.dimension));
    }
  }

  /** It has used a request, and no tokens. */
  void unsendTokens(Sending sending) {
    for (int i = 0; i < quotas.size(); i++) {
      Quota quota = quotas.get(i);
      if (quota.dimension != Dimension.REQUESTS) {
        quota.claim.unsend(sending.at, sending.cost.of(quota.dimension));
      }
    }
  }

  /** Gives back what was reserved and not used. */
  void refund(double now, Cost reserved, Cost used) {
    for (int i = 0; i < quotas.size(); i++) {
      Quota quota = quotas.get(i);
      double unused = reserved.of(quota.dimension) - used.of(quota.dimension);
      if (unused > 0) {
        quota.claim.refund(now, unused);
      }
    }
  }

  /**
   * Takes in what a response says.
   *
   * @return the rate of requests that it advertises; 0 if it says nothing of that
   */
  double read(double now, Sending sending, ResponseFacts facts, InFlightLog log, News news) {
    double requests = 0;
    for (QuotaSnapshot snapshot : facts.quotas()) {
      if (snapshot.remaining().isEmpty()) {
        continue;
      }
      Quota quota = find(snapshot, sending, log);
      double cost = sending.cost.of(quota.dimension);
      quota.claim.read(sending.at, cost, sending.refused, reading(snapshot, sending, now), now);
      announce(quota, news);
      warn(quota, snapshot, news);
      if (quota.dimension == Dimension.REQUESTS && quota.claim.votes(now)) {
        requests = Math.max(requests, quota.claim.averageRate());
      }
    }
    return requests;
  }

  private static Claim.Reading reading(QuotaSnapshot snapshot, Sending sending, double now) {
    double from = Double.NaN;
    double until = Double.NaN;
    if (snapshot.reset().isPresent()) {
      Reset reset = snapshot.reset().get();
      double after =
          seconds(reset.after()) + (reset.base() == Reset.Base.RESPONSE ? now - sending.at : 0);
      from = Math.max(0, after - seconds(reset.slack()));
      until = Math.max(0, after + seconds(reset.slack()));
    }
    return new Claim.Reading(
        snapshot.limit().orElse(Double.NaN),
        snapshot.remaining().getAsDouble(),
        from,
        until,
        snapshot.resolution());
  }

  /**
   * A request was refused that each claim which votes on it had room for.
   *
   * @param sentAt when it was sent
   * @param named what ran out, if the refusal says so; null if not
   * @return the refill that a believed claim states, requests a second; 0 if there is none
   */
  double wrong(double now, double sentAt, @Nullable Dimension named) {
    double believed = 0;
    for (int i = 0; i < quotas.size(); i++) {
      Quota quota = quotas.get(i);
      if (isAbout(named, quota.dimension)
          && quota.claim.votes(now)
          && !quota.claim.wrong(now, sentAt)) {
        double rate = quota.claim.isPlentiful(now) ? 0 : quota.claim.averageRate();
        if (rate == 0) {
          continue;
        }
        believed = believed == 0 ? rate : Math.min(believed, rate);
      }
    }
    return believed;
  }

  /** Whether a refusal that names what ran out, or nothing, is about buckets of a dimension. */
  private static boolean isAbout(@Nullable Dimension named, Dimension dimension) {
    return switch (named) {
      case null -> dimension == Dimension.REQUESTS;
      case TOKENS -> dimension != Dimension.REQUESTS;
      case REQUESTS, INPUT_TOKENS, OUTPUT_TOKENS ->
          dimension == named || (named != Dimension.REQUESTS && dimension == Dimension.TOKENS);
    };
  }

  /**
   * How long everybody had better wait because a quota of hours or days is used up; 0 if none is.
   * The wait that comes with such a refusal is often that of the minute's quota.
   */
  static double dryForSeconds(ResponseFacts facts) {
    double longest = 0;
    for (QuotaSnapshot snapshot : facts.quotas()) {
      if (snapshot.isUsedUp()
          && snapshot.window().map(Quotas::seconds).orElse(0.0) >= LONG_WINDOW_SECONDS) {
        double full = snapshot.reset().map(reset -> seconds(reset.remaining())).orElse(DRY_SECONDS);
        longest = Math.max(longest, Math.min(full, DRY_SECONDS));
      }
    }
    return longest;
  }

  /**
   * Whether a refusal is what a believed bucket says of itself: it is empty.
   *
   * @param named what ran out, if the refusal says so; null if not
   */
  boolean explains(double now, ResponseFacts facts, @Nullable Dimension named) {
    Dimension dimension = named == null ? Dimension.REQUESTS : named;
    for (QuotaSnapshot snapshot : facts.quotas()) {
      if (snapshot.dimension() == dimension
          && snapshot.remaining().isPresent()
          && snapshot.remaining().getAsDouble() < 1) {
        for (int i = 0; i < quotas.size(); i++) {
          Quota quota = quotas.get(i);
          if (quota.dimension == dimension
              && quota.name.equals(snapshot.name())
              && quota.claim.votes(now)
              && quota.claim.isExplanation()) {
            return true;
          }
        }
      }
    }
    return false;
  }

  /**
   * Whether a refusal shows that there was enough in every bucket of requests.
   *
   * @param sentLately requests in the minute before
   */
  static boolean isRoomy(ResponseFacts facts, double sentLately) {
    boolean roomy = false;
    for (QuotaSnapshot snapshot : facts.quotas()) {
      if (snapshot.dimension() == Dimension.REQUESTS && snapshot.remaining().isPresent()) {
        double remaining = snapshot.remaining().getAsDouble();
        if (remaining < 2) {
          return false;
        }
        // A day's quota is hardly touched by a minute's traffic, and says nothing about a minute's.
        roomy |= remaining < MOST_ROOM * (sentLately + 1);
      }
    }
    return roomy;
  }

  /** Whether every believed bucket of requests holds plenty, and there is one. */
  boolean isPlentiful(double now) {
    boolean plentiful = false;
    for (int i = 0; i < quotas.size(); i++) {
      Quota quota = quotas.get(i);
      if (quota.dimension == Dimension.REQUESTS && quota.claim.votes(now)) {
        if (!quota.claim.isPlentiful(now)) {
          return false;
        }
        plentiful = true;
      }
    }
    return plentiful;
  }

  /** Whether a believed bucket counts requests. */
  boolean counts(double now) {
    for (int i = 0; i < quotas.size(); i++) {
      Quota quota = quotas.get(i);
      if (quota.dimension == Dimension.REQUESTS && quota.claim.votes(now)) {
        return true;
      }
    }
    return false;
  }

  /** Whether some bucket of requests has followed what was sent. */
  boolean isMoving() {
    return quotas.stream()
        .anyMatch(quota -> quota.dimension == Dimension.REQUESTS && quota.claim.isMoving());
  }

  private Quota find(QuotaSnapshot snapshot, Sending scout, InFlightLog log) {
    for (int i = 0; i < quotas.size(); i++) {
      Quota quota = quotas.get(i);
      if (quota.dimension == snapshot.dimension() && quota.name.equals(snapshot.name())) {
        return quota;
      }
    }
    if (quotas.size() >= MOST_BUCKETS) {
      quotas.remove(quotas.stream().min(LAST_READ).orElseThrow());
    }
    // A bucket that was not known: what left since its scout counts.
    var claim = new Claim();
    claim.sentBefore(scout.at, scout.refused ? 0 : scout.cost.of(snapshot.dimension()));
    for (Sending sending : log.sent()) {
      if (sending.at > scout.at) {
        claim.sentBefore(sending.at, sending.cost.of(snapshot.dimension()));
      }
    }
    var quota = new Quota(snapshot.dimension(), snapshot.name(), claim);
    quotas.add(quota);
    return quota;
  }

  /** Of several buckets of one dimension, the one that allows least is what binds. */
  private void announce(Quota quota, News news) {
    double rate = quota.claim.averageRate();
    if (!News.isNew(rate, quota.announced)) {
      return;
    }
    double before = lowestAnnounced(quota.dimension);
    quota.announced = rate;
    double lowest = lowestAnnounced(quota.dimension);
    if (lowest != before) {
      news.add(new LimitEvent.LimitLearned(quota.dimension, lowest, LimitEvent.Source.HEADER));
    }
  }

  /** 0 if none was announced. */
  private double lowestAnnounced(Dimension dimension) {
    double lowest = 0;
    for (int i = 0; i < quotas.size(); i++) {
      Quota quota = quotas.get(i);
      if (quota.dimension == dimension && quota.announced > 0) {
        lowest = lowest == 0 ? quota.announced : Math.min(lowest, quota.announced);
      }
    }
    return lowest;
  }

  private static void warn(Quota quota, QuotaSnapshot snapshot, News news) {
    if (snapshot.limit().isEmpty()) {
      return;
    }
    double limit = snapshot.limit().getAsDouble();
    double remaining = snapshot.remaining().orElseThrow();
    if (!quota.low && remaining < LITTLE_LEFT * limit) {
      quota.low = true;
      news.add(new LimitEvent.QuotaWarning(quota.dimension, remaining, limit));
    } else if (remaining > ENOUGH_AGAIN * limit) {
      quota.low = false;
    }
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }

  @Override
  public String toString() {
    return quotas.stream().map(quota -> quota.name + " " + quota.claim).toList().toString();
  }
}
