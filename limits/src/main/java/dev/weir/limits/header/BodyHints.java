package dev.weir.limits.header;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What an adapter found in a body, or in the error event of a stream, as the text it found: reading
 * it is the parser's business, so that all providers share one idea of what is absurd.
 *
 * @param retryDelay a stated wait: {@code "45.837906927s"} of Gemini's {@code RetryInfo}, or
 *     seconds
 * @param errorType the provider's type or code of the error: {@code "tokens"}, {@code
 *     "dynamic_token_limited"}
 * @param message the error message for people
 * @param violations the quotas that Gemini says were exceeded
 */
public record BodyHints(
    Optional<String> retryDelay,
    Optional<String> errorType,
    Optional<String> message,
    List<Violation> violations) {

  /** A body without hints. */
  public static final BodyHints NONE =
      new BodyHints(Optional.empty(), Optional.empty(), Optional.empty(), List.of());

  public BodyHints {
    violations = List.copyOf(violations);
  }

  boolean isEmpty() {
    return retryDelay.isEmpty() && errorType.isEmpty() && message.isEmpty() && violations.isEmpty();
  }

  public BodyHints withRetryDelay(String text) {
    return new BodyHints(Optional.of(text), errorType, message, violations);
  }

  public BodyHints withErrorType(String text) {
    return new BodyHints(retryDelay, Optional.of(text), message, violations);
  }

  public BodyHints withMessage(String text) {
    return new BodyHints(retryDelay, errorType, Optional.of(text), violations);
  }

  public BodyHints withViolation(Violation violation) {
    List<Violation> longer = new ArrayList<>(violations);
    longer.add(violation);
    return new BodyHints(retryDelay, errorType, message, longer);
  }

  /**
   * One {@code google.rpc.QuotaFailure} violation.
   *
   * @param quotaId such as {@code "GenerateRequestsPerMinutePerProjectPerModel-FreeTier"}
   * @param quotaValue the limit as text; empty if the body has none
   */
  public record Violation(String quotaId, String quotaValue) {}
}
