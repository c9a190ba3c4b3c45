package dev.weir.model.price;

import dev.weir.model.Usage;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.Optional;

/**
 * What a provider asks for the tokens of a model.
 *
 * @param rates the usual ones
 * @param longPrompts others, where long prompts cost more
 * @param batchFactor what a batch costs of that: 0.5 for half; empty if that is not known
 * @param asOf when it was seen
 * @param source the provider's page that says so
 */
public record Price(
    Rates rates,
    Optional<LongPrompts> longPrompts,
    Optional<BigDecimal> batchFactor,
    LocalDate asOf,
    String source) {

  private static final BigDecimal MILLION = BigDecimal.valueOf(1_000_000);

  /**
   * US dollars for a million tokens.
   *
   * @param input what is read afresh
   * @param cacheRead what the provider had in its cache; empty if that is not known
   * @param cacheWrite what it puts there, at its usual lifetime; empty if that is not known
   * @param output what is written, thoughts included
   */
  public record Rates(
      BigDecimal input,
      Optional<BigDecimal> cacheRead,
      Optional<BigDecimal> cacheWrite,
      BigDecimal output) {

    public Rates {
      requirePrice("input", input);
      cacheRead.ifPresent(price -> requirePrice("cache_read", price));
      cacheWrite.ifPresent(price -> requirePrice("cache_write", price));
      requirePrice("output", output);
    }

    private static void requirePrice(String name, BigDecimal price) {
      if (price.signum() < 0) {
        throw new IllegalArgumentException("`%s` must be >= 0, was %s".formatted(name, price));
      }
    }

    private Optional<BigDecimal> costOf(Usage usage) {
      long fresh = usage.inputTokens() - usage.cacheReadTokens() - usage.cacheWriteTokens();
      Optional<BigDecimal> read = part(usage.cacheReadTokens(), cacheRead);
      Optional<BigDecimal> written = part(usage.cacheWriteTokens(), cacheWrite);
      // Parts that are more than the whole: whatever was counted, it was not this.
      return fresh < 0 || read.isEmpty() || written.isEmpty()
          ? Optional.empty()
          : Optional.of(
              cost(fresh, input)
                  .add(read.get())
                  .add(written.get())
                  .add(cost(usage.outputTokens(), output)));
    }

    private static Optional<BigDecimal> part(long tokens, Optional<BigDecimal> rate) {
      return tokens == 0 ? Optional.of(BigDecimal.ZERO) : rate.map(price -> cost(tokens, price));
    }

    private static BigDecimal cost(long tokens, BigDecimal rate) {
      // A million has but the factors 2 and 5: the quotient is exact.
      return rate.multiply(BigDecimal.valueOf(tokens)).divide(MILLION);
    }
  }

  /**
   * @param above the most input tokens of a prompt that is not long
   * @param rates of the whole call, if its prompt is longer
   */
  public record LongPrompts(long above, Rates rates) {

    public LongPrompts {
      if (above < 1) {
        throw new IllegalArgumentException("`above` must be >= 1, was " + above);
      }
    }
  }

  public Price {
    batchFactor.ifPresent(
        factor -> {
          if (factor.signum() < 0 || factor.compareTo(BigDecimal.ONE) > 0) {
            throw new IllegalArgumentException("`batch_factor` must be from 0 to 1, was " + factor);
          }
        });
  }

  /** In US dollars, exactly; empty if a rate that is needed is not known. */
  public Optional<BigDecimal> costOf(Usage usage) {
    Rates applied =
        longPrompts
            .filter(higher -> usage.inputTokens() > higher.above)
            .map(LongPrompts::rates)
            .orElse(rates);
    return applied.costOf(usage);
  }

  /** As {@link #costOf}, of a call that was made in a batch. */
  public Optional<BigDecimal> costOfBatched(Usage usage) {
    return batchFactor.flatMap(factor -> costOf(usage).map(factor::multiply));
  }
}
