package dev.weir.limits.pace;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * What a run learned about a scope that the next one can start from.
 *
 * <p>It is a starting point, not a fact: limits change. A fresh rate is used at 0.8, and one that
 * is a day old at 0.4; growth and refusals do the rest. After a week it is forgotten.
 *
 * <p>A cap is a count that a single refusal corrects, while finding the way up takes one probe for
 * each request, so a fresh one is used as it is, and an older one at as much less as the rate.
 *
 * @param version of this record
 * @param learnedAtMillis when, in milliseconds since 1970: the clock of the caller
 * @param requestsPerSecond the last rate that refusals confirmed
 * @param tokensPerSecond likewise
 * @param cap the most requests in flight, if one was recognised
 */
public record PaceMemory(
    int version,
    long learnedAtMillis,
    OptionalDouble requestsPerSecond,
    OptionalDouble tokensPerSecond,
    OptionalInt cap) {

  public static final int VERSION = 1;

  private static final String FORMAT = "weir-pace";

  /** Less would not be tried in a run at all. */
  private static final double LEAST_PER_SECOND = 1e-3;

  private static final double MOST_PER_SECOND = 1e9;
  private static final int LARGEST_CAP = 1 << 20;
  private static final int LONGEST_LINE = 1_000;

  private static final long HOUR = 3_600_000L;
  private static final long DAY = 24 * HOUR;
  private static final long WEEK = 7 * DAY;
  private static final double FRESH = 0.8;
  private static final double STALE = 0.4;

  public PaceMemory {
    if (version != VERSION) {
      throw new IllegalArgumentException("`version` must be " + VERSION + ", was " + version);
    }
    if (learnedAtMillis < 0) {
      throw new IllegalArgumentException("`learnedAtMillis` must be >= 0, was " + learnedAtMillis);
    }
    requireRate("requestsPerSecond", requestsPerSecond);
    requireRate("tokensPerSecond", tokensPerSecond);
    if (cap.isPresent() && !isCap(cap.getAsInt())) {
      throw new IllegalArgumentException(
          "`cap` must be from 1 to " + LARGEST_CAP + ", was " + cap.getAsInt());
    }
  }

  /**
   * How much of a rate is used at first: 0.8 within the hour, falling to 0.4 after a day; 0 after a
   * week. A time in the future comes from a clock that is wrong, and counts as a day.
   */
  public double trust(long nowMillis) {
    long age = learnedAtMillis > nowMillis ? DAY : nowMillis - learnedAtMillis;
    if (age > WEEK) {
      return 0;
    }
    double aged = (double) (Math.clamp(age, HOUR, DAY) - HOUR) / (DAY - HOUR);
    return FRESH - (FRESH - STALE) * aged;
  }

  /**
   * What a run starts with at this time: the same, but each value at as much as its age allows.
   *
   * @return nothing if it is too old to start from
   */
  public Optional<PaceMemory> startAt(long nowMillis) {
    double trust = trust(nowMillis);
    return trust == 0
        ? Optional.empty()
        : Optional.of(
            new PaceMemory(
                version,
                learnedAtMillis,
                scaled(requestsPerSecond, trust),
                scaled(tokensPerSecond, trust),
                capAt(nowMillis)));
  }

  private static OptionalDouble scaled(OptionalDouble rate, double trust) {
    return rate.isPresent() ? rate(rate.getAsDouble() * trust) : rate;
  }

  /** The cap to begin with. */
  OptionalInt capAt(long nowMillis) {
    double trust = trust(nowMillis);
    return cap.isPresent() && trust > 0
        ? OptionalInt.of(Math.max(1, (int) (cap.getAsInt() * trust / FRESH)))
        : OptionalInt.empty();
  }

  /** One line of text. */
  public String encode() {
    StringBuilder line = new StringBuilder(FORMAT);
    line.append(" version=").append(version).append(" learned=").append(learnedAtMillis);
    requestsPerSecond.ifPresent(rate -> line.append(" requests_per_second=").append(rate));
    tokensPerSecond.ifPresent(rate -> line.append(" tokens_per_second=").append(rate));
    cap.ifPresent(count -> line.append(" cap=").append(count));
    return line.toString();
  }

  /**
   * Reads what {@link #encode} wrote. Anything else is nothing to start from: another version, a
   * damaged line. A value that cannot be is left out; words that are not known are passed over.
   */
  public static Optional<PaceMemory> parse(String line) {
    String[] words = line.length() > LONGEST_LINE ? new String[0] : line.strip().split(" +", -1);
    if (words.length == 0 || !words[0].equals(FORMAT)) {
      return Optional.empty();
    }
    double version = Double.NaN;
    double learned = Double.NaN;
    OptionalDouble requests = OptionalDouble.empty();
    OptionalDouble tokens = OptionalDouble.empty();
    OptionalInt cap = OptionalInt.empty();
    for (String word : words) {
      int equals = word.indexOf('=');
      double value = equals < 0 ? Double.NaN : number(word.substring(equals + 1));
      switch (equals < 0 ? "" : word.substring(0, equals)) {
        case "version" -> version = value;
        case "learned" -> learned = value;
        case "requests_per_second" -> requests = rate(value);
        case "tokens_per_second" -> tokens = rate(value);
        case "cap" -> cap = cap(value);
        default -> {
          // A later version may say more.
        }
      }
    }
    // Exact below 2^53: some 285,000 years.
    boolean dated = learned >= 0 && learned <= 1L << 53 && learned == Math.rint(learned);
    return version == VERSION && dated
        ? Optional.of(new PaceMemory(VERSION, (long) learned, requests, tokens, cap))
        : Optional.empty();
  }

  private static double number(String text) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException _) {
      return Double.NaN;
    }
  }

  /** A rate, if it can be one. */
  static OptionalDouble rate(double value) {
    return isRate(value) ? OptionalDouble.of(value) : OptionalDouble.empty();
  }

  /** A cap, if it can be one. */
  static OptionalInt cap(double value) {
    return isCap(value) ? OptionalInt.of((int) value) : OptionalInt.empty();
  }

  private static boolean isRate(double value) {
    return value >= LEAST_PER_SECOND && value <= MOST_PER_SECOND;
  }

  private static boolean isCap(double value) {
    return value >= 1 && value <= LARGEST_CAP && value == Math.rint(value);
  }

  private static void requireRate(String name, OptionalDouble rate) {
    if (rate.isPresent() && !isRate(rate.getAsDouble())) {
      throw new IllegalArgumentException(
          "`%s` must be from %s to %s, was %s"
              .formatted(name, LEAST_PER_SECOND, MOST_PER_SECOND, rate.getAsDouble()));
    }
  }
}
