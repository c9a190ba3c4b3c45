package dev.weir.eval.sandbox;

import java.util.Optional;

/**
 * How much may go on at once, whatever the number of samples.
 *
 * @param maxSandboxes open sandboxes of a type; by default 2 for each processor, without a limit
 *     for {@code local}
 * @param maxSubprocesses processes that run commands; by default one for each processor
 */
public record SandboxCaps(Optional<Integer> maxSandboxes, Optional<Integer> maxSubprocesses) {

  public static SandboxCaps defaults() {
    return new SandboxCaps(Optional.empty(), Optional.empty());
  }

  public SandboxCaps {
    requirePositive("max-sandboxes", maxSandboxes);
    requirePositive("max-subprocesses", maxSubprocesses);
  }

  /** What holds for a type on a machine with so many processors. */
  int sandboxes(SandboxType type, int processors) {
    return maxSandboxes.orElse(type == SandboxType.LOCAL ? Gate.UNLIMITED : 2 * processors);
  }

  int subprocesses(int processors) {
    return maxSubprocesses.orElse(processors);
  }

  private static void requirePositive(String option, Optional<Integer> value) {
    if (value.isPresent() && value.get() < 1) {
      throw new IllegalArgumentException(
          "`%s` must be >= 1, was %s".formatted(option, value.get()));
    }
  }
}
