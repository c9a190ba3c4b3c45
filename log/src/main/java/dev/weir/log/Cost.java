package dev.weir.log;

import java.math.BigDecimal;
import java.util.Optional;

/**
 * What answers cost. A price that nobody knows is not 0.
 *
 * @param usd the sum, if all of it is known
 * @param knownUsd what is known of it
 * @param pricedCalls how many calls are in that
 * @param unknownCalls how many are not
 */
public record Cost(
    Optional<BigDecimal> usd, BigDecimal knownUsd, long pricedCalls, long unknownCalls) {

  public static final Cost NONE = new Cost(Optional.of(BigDecimal.ZERO), BigDecimal.ZERO, 0, 0);

  public Cost plus(Cost other) {
    return new Cost(
        usd.flatMap(own -> other.usd.map(own::add)),
        knownUsd.add(other.knownUsd),
        pricedCalls + other.pricedCalls,
        unknownCalls + other.unknownCalls);
  }
}
