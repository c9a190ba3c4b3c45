package dev.weir.model;

import dev.weir.limits.header.ResponseFacts;

/** What came back from one exchange with a provider: a reply, or a failure of a known kind. */
public sealed interface Response {

  /** An answer. */
  record Reply(Message message, Usage usage) implements Response {}

  /** No answer. The kind alone decides whether the request is tried again. */
  sealed interface Failure extends Response {

    /** What the provider said, for people; never a credential, never a prompt. */
    String message();
  }

  /**
   * Refused because too much was asked for.
   *
   * @param facts what the refusal says about limits
   */
  record RateLimited(String message, ResponseFacts facts) implements Failure {}

  /** A fault of the network or the provider that may not happen again. */
  record Transient(String message) implements Failure {}

  /** The account has nothing left to spend. */
  record QuotaExhausted(String message) implements Failure {}
}
