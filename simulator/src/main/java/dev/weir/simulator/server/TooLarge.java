package dev.weir.simulator.server;

import dev.weir.simulator.provider.RefusalKind;
import java.util.Locale;

/**
 * A request that is larger than all that a quota holds.
 *
 * @param reserved for its answer
 * @param holds what the quota has when it is full
 */
record TooLarge(RefusalKind quota, int promptTokens, int reserved, long holds) {

  /** What is too much, and what would help. */
  String words() {
    return promptTokens > holds || reserved == 0
        ? String.format(
            Locale.ROOT,
            "a prompt of %,d tokens is more than the %,d %s that the rehearsed tier ever allows at"
                + " once; a shorter prompt or a larger tier helps, waiting does not",
            promptTokens,
            holds,
            quota.word().replace('-', ' '))
        : String.format(
            Locale.ROOT,
            "%,d tokens of the prompt and %,d reserved for the answer are more than the %,d %s that"
                + " the rehearsed tier ever allows at once; a smaller `max_tokens` helps",
            promptTokens,
            reserved,
            holds,
            quota.word().replace('-', ' '));
  }
}
