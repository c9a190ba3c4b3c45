package dev.weir.limits.pace;

import dev.weir.limits.event.Constraint;
import dev.weir.limits.header.Dimension;
import java.util.List;
import java.util.Optional;

/**
 * What one process may do until it is told better: room, gates in time, and parts of advertised
 * buckets. It is void when its lease ends.
 *
 * <p>A request may leave when each of them allows it. Whoever cannot get a new slice after each
 * request takes what it does off the one it has: {@link #sent}, {@link #ended}.
 *
 * <p>Times within a slice are seconds on the clock of the observations; arguments are nanoseconds
 * on the same clock.
 *
 * @param generation grows with each change; whoever has seen a smaller window says so by it
 * @param leaseUntil when the slice ends, in nanoseconds; {@link #NO_END} for never
 * @param window how many may be under way
 * @param inFlight how many are
 * @param probing the provider is away: a probe leaves when its time has come, whatever the window
 */
public record Slice(
    long generation,
    long leaseUntil,
    int window,
    int inFlight,
    boolean probing,
    List<Gate> gates,
    List<Bucket> buckets) {

  /** Returned by {@link #waitNanos} when only the end of a request can make room. */
  public static final long UNTIL_ANSWERED = Long.MAX_VALUE;

  public static final long NO_END = Long.MAX_VALUE;

  /** After a lease has ended, it is looked so often whether there is a new one. */
  private static final long LEASE_LOOK_NANOS = 50_000_000L;

  /** Jitter is time: a bucket that refills slowly needs no longer pad than a fast one. */
  private static final double LONGEST_PAD_SECONDS = 0.03;

  /** Jitter alone may make a request leave a little before its time. */
  private static final double LACKING_SECONDS = 2;

  private static final double MARGIN_OF_PART = 0.1;
  private static final double NANOS = 1e9;

  public Slice {
    gates = List.copyOf(gates);
    buckets = List.copyOf(buckets);
  }

  /**
   * Nothing leaves before a time; after each request, that time is later.
   *
   * @param constraint what the gate stands for
   * @param dimension what {@code perSecond} counts
   * @param perSecond the pace; infinite if the gate does not close again
   */
  public record Gate(
      Constraint constraint, Dimension dimension, double notBefore, double perSecond) {

    double waitSeconds(double now) {
      return Math.max(0, notBefore - now);
    }

    /** The gate after a request; half a request may be ahead of its time. */
    Gate sent(double now, Cost cost) {
      double gap = Math.max(LEAST_COST, cost.of(dimension)) / perSecond;
      return new Gate(constraint, dimension, Math.max(notBefore, now - 0.5 * gap) + gap, perSecond);
    }
  }

  /** A request that costs nothing of a dimension still comes after the one before. */
  static final double LEAST_COST = 1e-9;

  /**
   * A part of an advertised bucket.
   *
   * @param level what is in it at a time
   * @param at that time
   * @param perSecond the refill
   * @param capacity what it holds at most
   * @param margin what is left in it
   * @param fullAt when it is filled at once; infinite if it is not
   * @param probeAt when a request may leave in any case, to see whether all this is true
   */
  public record Bucket(
      Dimension dimension,
      double level,
      double at,
      double perSecond,
      double capacity,
      double margin,
      double fullAt,
      double probeAt) {

    /** A bucket that refills continuously, and is not doubted. */
    Bucket(
        Dimension dimension,
        double level,
        double at,
        double perSecond,
        double capacity,
        double margin) {
      this(
          dimension,
          level,
          at,
          perSecond,
          capacity,
          margin,
          Double.POSITIVE_INFINITY,
          Double.POSITIVE_INFINITY);
    }

    double waitSeconds(double now, double cost) {
      double wait = waitSeconds(levelAt(now), perSecond, capacity, margin, cost);
      if (wait == 0) {
        return 0;
      }
      return Math.max(0, Math.min(wait, Math.min(fullAt, probeAt) - now));
    }

    /** Whether it holds too little for a request for some time, even if a probe may leave. */
    boolean lacks(double now, double cost) {
      return waitSeconds(levelAt(now), perSecond, capacity, margin, cost) > LACKING_SECONDS;
    }

    Bucket sent(double now, Cost cost) {
      return new Bucket(
          dimension,
          levelAt(now) - cost.of(dimension),
          Math.max(at, now),
          perSecond,
          capacity,
          margin,
          fullAt,
          Math.max(probeAt, now + 1));
    }

    /** Requests of each participant come as late as ever, so its margin may not shrink as much. */
    private Bucket part(int parts) {
      double room = capacity / parts;
      double jitter = Math.min(margin, MARGIN_OF_PART * room);
      return new Bucket(
          dimension,
          level / parts,
          at,
          perSecond / parts,
          room,
          Math.max(margin / parts, jitter),
          fullAt,
          probeAt);
    }

    private double levelAt(double now) {
      if (now >= fullAt) {
        return capacity;
      }
      return now > at ? Math.min(capacity, level + perSecond * (now - at)) : level;
    }

    static double waitSeconds(
        double level, double perSecond, double capacity, double margin, double cost) {
      double need = cost + margin;
      double pad = 0;
      if (need > capacity) {
        // A tiny bucket: wait for a full one, and a little longer for jitter.
        pad = Math.min(LONGEST_PAD_SECONDS, (need - capacity) / perSecond);
        need = Math.min(capacity, Math.max(cost, 0.999 * capacity));
      }
      double wait = (need - level) / perSecond;
      return wait > 1e-9 ? wait + pad : 0;
    }
  }

  /** Nanoseconds until a request of this cost may leave: 0 for at once. */
  public long waitNanos(long nanos, Cost cost) {
    if (nanos >= leaseUntil) {
      return LEASE_LOOK_NANOS;
    }
    if (isFull()) {
      return UNTIL_ANSWERED;
    }
    double now = nanos / NANOS;
    double wait = 0;
    for (int i = 0; i < gates.size(); i++) {
      wait = Math.max(wait, gates.get(i).waitSeconds(now));
    }
    for (int i = 0; i < buckets.size(); i++) {
      Bucket bucket = buckets.get(i);
      wait = Math.max(wait, bucket.waitSeconds(now, cost.of(bucket.dimension)));
    }
    // Rounded up, so that a waiter never comes a moment too early and has to ask again at once.
    return wait <= 1e-9 ? 0 : (long) Math.ceil(wait * NANOS);
  }

  /** What a request of this cost waits for: of several, what takes longest. */
  public Constraint binding(long nanos, Cost cost) {
    return last(nanos, cost).constraint;
  }

  /** What the rate or quota counts that a request of this cost waits for, if that is what it is. */
  public Optional<Dimension> bindingDimension(long nanos, Cost cost) {
    return last(nanos, cost).dimension;
  }

  /** What is due last. */
  private record Binding(Constraint constraint, Optional<Dimension> dimension) {

    static Binding of(Constraint constraint) {
      return new Binding(constraint, Optional.empty());
    }

    static Binding of(Gate gate) {
      return gate.constraint == Constraint.PACE
          ? new Binding(gate.constraint, Optional.of(gate.dimension))
          : of(gate.constraint);
    }
  }

  private Binding last(long nanos, Cost cost) {
    if (nanos >= leaseUntil) {
      return Binding.of(Constraint.LEASE);
    }
    if (isFull()) {
      return Binding.of(Constraint.WINDOW);
    }
    double now = nanos / NANOS;
    Binding binding = Binding.of(Constraint.NOTHING);
    double longest = 1e-9;
    for (Gate gate : gates) {
      if (gate.waitSeconds(now) > longest) {
        longest = gate.waitSeconds(now);
        binding = Binding.of(gate);
      }
    }
    for (Bucket bucket : buckets) {
      double wait = bucket.waitSeconds(now, cost.of(bucket.dimension));
      if (wait > longest) {
        longest = wait;
        binding = new Binding(Constraint.QUOTA, Optional.of(bucket.dimension));
      }
    }
    return binding;
  }

  /** What is left of the slice after a request. */
  public Slice sent(long nanos, Cost cost) {
    double now = nanos / NANOS;
    return new Slice(
        generation,
        leaseUntil,
        window,
        inFlight + 1,
        probing,
        gates.stream().map(gate -> gate.sent(now, cost)).toList(),
        buckets.stream().map(bucket -> bucket.sent(now, cost)).toList());
  }

  /** A request has ended, however. */
  public Slice ended() {
    return new Slice(
        generation, leaseUntil, window, Math.max(0, inFlight - 1), probing, gates, buckets);
  }

  /** The same, for so long. */
  public Slice leased(long newGeneration, long until) {
    return new Slice(newGeneration, until, window, inFlight, probing, gates, buckets);
  }

  /**
   * One of several equal parts.
   *
   * @param index of the part, from 0
   * @param parts how many there are
   * @param ownInFlight how many the receiver of this part has under way
   */
  public Slice part(int index, int parts, int ownInFlight) {
    if (index < 0 || index >= parts) {
      throw new IllegalArgumentException(
          "`index` must be >= 0 and < `parts` (" + parts + "), was " + index);
    }
    long room = (long) window * (index + 1) / parts - (long) window * index / parts;
    return new Slice(
        generation,
        leaseUntil,
        (int) room,
        ownInFlight,
        probing,
        gates.stream()
            .map(
                gate ->
                    new Gate(
                        gate.constraint, gate.dimension, gate.notBefore, gate.perSecond / parts))
            .toList(),
        buckets.stream().map(bucket -> bucket.part(parts)).toList());
  }

  private boolean isFull() {
    return !probing && inFlight >= window;
  }
}
