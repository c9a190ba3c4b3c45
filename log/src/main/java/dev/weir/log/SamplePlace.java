package dev.weir.log;

import org.jspecify.annotations.Nullable;

/**
 * One repetition of a sample.
 *
 * @param epoch from 1
 */
public record SamplePlace(String id, int epoch) {

  /** Where {@code sample} belongs. */
  public static SamplePlace of(SampleSummary sample) {
    return new SamplePlace(sample.id(), sample.epoch());
  }

  // Written out: what Java makes for records is slow until it has run very often.

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof SamplePlace place && epoch == place.epoch && id.equals(place.id);
  }

  @Override
  public int hashCode() {
    return 31 * id.hashCode() + epoch;
  }
}
