package dev.weir.eval.sandbox;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What is done in a new sandbox before it is used.
 *
 * @param files by their path in the sandbox, written in this order
 * @param script run by bash, after the files are there
 * @param timeout for the script
 */
public record SandboxSetup(
    Map<String, SandboxFile> files, Optional<String> script, Duration timeout) {

  /** Long enough to install something. */
  public static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(5);

  public static final SandboxSetup NONE =
      new SandboxSetup(Map.of(), Optional.empty(), DEFAULT_TIMEOUT);

  public SandboxSetup {
    files = Collections.unmodifiableMap(new LinkedHashMap<>(files));
    if (!timeout.isPositive()) {
      throw new IllegalArgumentException("`timeout` must be > 0, was " + timeout);
    }
  }
}
