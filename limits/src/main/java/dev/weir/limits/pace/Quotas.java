package dev.weir.limits.pace;

import dev.weir.limits.event.LimitEvent;
import dev.weir.limits.header.Dimension;
import dev.weir.limits.header.QuotaSnapshot;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.pace.PaceState.QuotaState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The buckets that responses advertise: a {@link Mirror} for each, found by its name. */
final class Quotas {

  /** A warning is given below the first, and may be given again after the second. */
  private static final double LITTLE_LEFT = 0.1;

  private static final double ENOUGH_AGAIN = 0.2;

  /** A provider may count up to so many times the tokens that were estimated. */
  private static final double ESTIMATE_DOUBT = 2;

  private static final double LONG_WINDOW_SECONDS = 3_600;

  /** When it comes back is not told, or in many hours: so often it is looked. */
  private static final double DRY_SECONDS = 900;

  private static final class Quota {
    private final Dimension dimension;
    private final String name;
    private final Mirror mirror;
    private double announced;
    private boolean low;

    Quota(Dimension dimension, String name, Mirror mirror) {
      this.dimension = dimension;
      this.name = name;
      this.mirror = mirror;
    }

    Quota(QuotaState state) {
      this(state.dimension(), state.name(), new Mirror(state.mirror()));
      announced = state.announced();
      low = state.low();
    }

    QuotaState state() {
      return new QuotaState(dimension, name, mirror.state(), announced, low);
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
      wait = Math.max(wait, quota.mirror.waitSeconds(now, cost.of(quota.dimension)));
    }
    return wait;
  }

  List<Slice.Bucket> buckets() {
    if (quotas.isEmpty()) {
      return List.of();
    }
    List<Slice.Bucket> buckets = new ArrayList<>(quotas.size());
    for (int i = 0; i < quotas.size(); i++) {
      Quota quota = quotas.get(i);
      if (quota.mirror.rate() > 0) {
        buckets.add(quota.mirror.bucket(quota.dimension));
      }
    }
    return buckets;
  }

  void send(double now, Cost cost) {
    for (int i = 0; i < quotas.size(); i++) {
      Quota quota = quotas.get(i);
      quota.mirror.send(now, cost.of(quota.dimension));
    }
  }

  /** It has used nothing, not even a request. */
  void unsend(Sending sending) {
    for (int i = 0; i < quotas.size(); i++) {
      Quota quota = quotas.get(i);
      quota.mirror.unsend(sending.at, sending.cost.of(quota.dimension));
    }
  }

  /** It has used a request, and no tokens. */
  void unsendTokens(Sending sending) {
    for (int i = 0; i < quotas.size(); i++) {
      Quota quota = quotas.get(i);
      if (quota.dimension != Dimension.REQUESTS) {
        quota.mirror.unsend(sending.at, sending.cost.of(quota.dimension));
      }
    }
  }

  /** Gives back what was reserved and not used. */
  void refund(double now, Cost reserved, Cost used) {
    for (int i = 0; i < quotas.size(); i++) {
      Quota quota = quotas.get(i);
      double unused = reserved.of(quota.dimension) - used.of(quota.dimension);
      if (unused > 0) {
        quota.mirror.refund(now, unused);
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
      if (snapshot.limit().isEmpty() || snapshot.remaining().isEmpty()) {
        continue;
      }
      Quota quota = find(snapshot, sending, log);
      if (sending.refused) {
        quota.mirror.unsend(sending.at, sending.cost.of(quota.dimension));
      }
      quota.mirror.header(
          sending.at,
          snapshot.limit().getAsDouble(),
          snapshot.remaining().getAsDouble(),
          snapshot.reset().map(Quotas::seconds).orElse(0.0),
          snapshot.window().map(Quotas::seconds).orElse(0.0),
          snapshot.resolution(),
          now);
      tell(quota, snapshot, news);
      if (quota.dimension == Dimension.REQUESTS) {
        requests = Math.max(requests, quota.mirror.rate());
      }
    }
    return requests;
  }

  /** Whether an advertised bucket was as empty as the refusal says. */
  static boolean explain(Sending sending, ResponseFacts facts, Dimension asked) {
    double doubt = asked == Dimension.REQUESTS ? 1 : ESTIMATE_DOUBT;
    for (QuotaSnapshot snapshot : facts.quotas()) {
      if (snapshot.dimension() == asked
          && snapshot.limit().isPresent()
          && snapshot.remaining().isPresent()
          && snapshot.remaining().getAsDouble() < doubt * sending.cost.of(asked) + 1) {
        return true;
      }
    }
    return false;
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
        double full = snapshot.reset().map(Quotas::seconds).orElse(DRY_SECONDS);
        longest = Math.max(longest, Math.min(full, DRY_SECONDS));
      }
    }
    return longest;
  }

  private Quota find(QuotaSnapshot snapshot, Sending scout, InFlightLog log) {
    for (int i = 0; i < quotas.size(); i++) {
      Quota quota = quotas.get(i);
      if (quota.dimension == snapshot.dimension() && quota.name.equals(snapshot.name())) {
        return quota;
      }
    }
    // A bucket that was not known: what left since its scout counts.
    var mirror = new Mirror();
    for (Sending sending : log.sent()) {
      if (sending.at > scout.at) {
        mirror.sentBefore(sending.at, sending.cost.of(snapshot.dimension()));
      }
    }
    var quota = new Quota(snapshot.dimension(), snapshot.name(), mirror);
    quotas.add(quota);
    return quota;
  }

  private static void tell(Quota quota, QuotaSnapshot snapshot, News news) {
    double rate = quota.mirror.rate();
    if (News.isNew(rate, quota.announced)) {
      quota.announced = rate;
      news.add(new LimitEvent.LimitLearned(quota.dimension, rate, LimitEvent.Source.HEADER));
    }
    double limit = snapshot.limit().orElseThrow();
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
}
