package dev.weir.limits.retry;

import dev.weir.limits.header.ResponseFacts;

/** What a finished attempt says about the provider; all that limits and retries depend on. */
public sealed interface Outcome {

  /** An answer. */
  record Clean() implements Outcome {}

  /** Refused because too much was asked for. */
  record RateLimited(ResponseFacts facts) implements Outcome {}

  /**
   * The provider is full although its limits are kept.
   *
   * @param contact how far the attempt got
   */
  record Overloaded(ResponseFacts facts, Contact contact) implements Outcome {

    /** With a status such as 503 or 529. */
    public Overloaded(ResponseFacts facts) {
      this(facts, Contact.FAULT);
    }
  }

  /**
   * A fault that may not happen again: a broken connection, an internal error.
   *
   * @param contact how far the attempt got
   */
  record Transient(Contact contact) implements Outcome {

    /** With a status such as 500. */
    public Transient() {
      this(Contact.FAULT);
    }
  }

  /** How far an attempt got that failed. */
  enum Contact {
    /** No connection was made, or it broke before any answer. */
    UNREACHED,
    /** No answer came in time. */
    SILENT,
    /** The provider reported a fault of its own: HTTP 5xx. */
    FAULT,
    /** The provider answered, for example with a part of a reply. */
    ANSWERED
  }

  /**
   * The same request would fail again.
   *
   * @param reach what else would
   * @param reason what the provider said, for people; never a credential
   */
  record Terminal(Reach reach, String reason) implements Outcome {}

  /** How far a terminal failure reaches. */
  enum Reach {
    /** The request is at fault; others may well be answered. */
    REQUEST,
    /** The model does not exist, or is not for this account. */
    MODEL,
    /** A wrong credential, or no credit: nothing of the account would be answered. */
    ACCOUNT
  }

  /** Nothing that says anything: cancelled, or answered by a cache. */
  record Nothing() implements Outcome {}
}
