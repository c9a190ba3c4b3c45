package dev.weir.limits.retry;

import dev.weir.limits.header.ResponseFacts;

/** What a finished attempt says about the provider; all that limits and retries depend on. */
public sealed interface Outcome {

  /** An answer. */
  record Clean() implements Outcome {}

  /** Refused because too much was asked for. */
  record RateLimited(ResponseFacts facts) implements Outcome {}

  /** The provider is full although its limits are kept. */
  record Overloaded(ResponseFacts facts) implements Outcome {}

  /** A fault that may not happen again: a broken connection, an internal error. */
  record Transient() implements Outcome {}

  /** The same request would fail again. */
  record Terminal() implements Outcome {}

  /** Nothing that says anything: cancelled, or answered by a cache. */
  record Nothing() implements Outcome {}
}
