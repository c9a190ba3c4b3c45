package dev.weir.eval.run;

import dev.weir.limits.Lane;
import dev.weir.limits.Waiting;
import dev.weir.limits.header.Dimension;
import dev.weir.model.price.Spend;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A model at one moment, as all runs together use it.
 *
 * @param lane what its lane is doing
 * @param waitingFor what the next call in line waits for
 * @param waitsFor how long at least, if that is known
 * @param refusals attempts that the provider refused because of a limit, or because it was full
 * @param lastFailure how the last attempt that failed ended, for people: {@code 429}
 * @param rates requests first; then tokens of all kinds, or those of which a quota is known
 * @param spend what its answers have cost so far
 */
public record ModelProgress(
    String model,
    Lane.Status lane,
    Waiting waitingFor,
    Optional<Duration> waitsFor,
    long refusals,
    Optional<String> lastFailure,
    List<Rate> rates,
    Spend spend) {

  public ModelProgress {
    rates = List.copyOf(rates);
  }

  /**
   * How much of something was used within the last minute.
   *
   * @param quota how much of it may be, if that is known
   * @param isGiven whether an option says so, {@code --rpm} or {@code --tpm}, and not the provider
   */
  public record Rate(Dimension dimension, double perMinute, OptionalDouble quota, boolean isGiven) {

    /** With the quota of the provider. */
    public Rate(Dimension dimension, double perMinute, OptionalDouble quota) {
      this(dimension, perMinute, quota, false);
    }

    /** Which part of the quota is used; 0 if none is known. */
    public double share() {
      return quota.isPresent() && quota.getAsDouble() > 0 ? perMinute / quota.getAsDouble() : 0;
    }
  }
}
