package dev.weir.log;

import java.util.Optional;

/**
 * An error that ended an attempt at a sample.
 *
 * @param message what went wrong
 * @param traceback the stack trace, if there is one
 */
public record SampleFailure(String message, Optional<String> traceback) {

  /** One without a stack trace. */
  public static SampleFailure of(String message) {
    return new SampleFailure(message, Optional.empty());
  }
}
