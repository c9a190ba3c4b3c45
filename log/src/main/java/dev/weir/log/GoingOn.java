package dev.weir.log;

import java.util.List;

/**
 * How a run goes on with another log: what it must say before it has copied the first sample, since
 * it may be killed at any time.
 *
 * @param used what was used before it, beyond the samples that it keeps
 * @param changed finished samples that it does not keep although it has such: they ask something
 *     else now
 */
public record GoingOn(EarlierUse used, List<SamplePlace> changed) {

  /** It keeps what it can, and nothing was used in vain. */
  public static final GoingOn PLAINLY = new GoingOn(EarlierUse.NONE, List.of());

  public GoingOn {
    changed = List.copyOf(changed);
  }
}
