package dev.weir.model.price;

import dev.weir.model.Origin;
import dev.weir.model.Response;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Optional;

/**
 * What several calls cost together.
 *
 * @param known the sum of what is known, in US dollars
 * @param pricedCalls how many calls are in it
 * @param unknownCalls how many calls are not in it, because nobody knows what they cost
 */
public record Spend(BigDecimal known, long pricedCalls, long unknownCalls) {

  /** No calls. */
  public static final Spend NONE = new Spend(BigDecimal.ZERO, 0, 0);

  private static final int SHOWN_DIGITS = 4;

  public Spend {
    if (known.signum() < 0 || pricedCalls < 0 || unknownCalls < 0) {
      throw new IllegalArgumentException(
          "nothing may be negative, were %s, %d and %d"
              .formatted(known, pricedCalls, unknownCalls));
    }
  }

  /** One call; an answer from a cache was paid for before, and costs nothing now. */
  public static Spend of(Optional<Price> price, Response.Reply reply) {
    return of(price.flatMap(found -> found.costOf(reply.usage())), reply.origin());
  }

  /** One call of a batch. */
  public static Spend ofBatched(Optional<Price> price, Response.Reply reply) {
    return of(price.flatMap(found -> found.costOfBatched(reply.usage())), reply.origin());
  }

  private static Spend of(Optional<BigDecimal> known, Origin origin) {
    if (origin.fromCache()) {
      return NONE;
    }
    return known.map(cost -> new Spend(cost, 1, 0)).orElse(new Spend(BigDecimal.ZERO, 0, 1));
  }

  public Spend plus(Spend other) {
    return new Spend(
        known.add(other.known), pricedCalls + other.pricedCalls, unknownCalls + other.unknownCalls);
  }

  /** The whole sum, if all of it is known. */
  public Optional<BigDecimal> total() {
    return unknownCalls == 0 ? Optional.of(known) : Optional.empty();
  }

  /** For people: {@code $0.0123}, {@code at least $0.0123} or {@code unknown}. */
  @Override
  public String toString() {
    String sum = "$" + known.setScale(SHOWN_DIGITS, RoundingMode.HALF_UP).toPlainString();
    if (unknownCalls == 0) {
      return sum;
    }
    return pricedCalls == 0 ? "unknown" : "at least " + sum;
  }
}
