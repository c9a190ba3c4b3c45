package dev.weir.model;

import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.retry.Outcome;
import java.time.Duration;
import java.util.Optional;

/** What came back from one exchange with a provider: a reply, or a failure of a known kind. */
public sealed interface Response {

  /** The first status that reports a fault of the server. */
  int INTERNAL_ERROR = 500;

  Origin origin();

  /** Its kind in a word or two, for traces: {@code clean}, {@code rate limited}. */
  default String word() {
    return switch (this) {
      case Reply _ -> "clean";
      case RateLimited _ -> "rate limited";
      case Overloaded _ -> "overloaded";
      case Transient _ -> "transient";
      case InvalidRequest _ -> "invalid request";
      case RefusedByPolicy _ -> "refused by policy";
      case Authentication _ -> "authentication";
      case QuotaExhausted _ -> "quota exhausted";
      case UnreadableReply _ -> "unreadable reply";
      case Cancelled _ -> "cancelled";
    };
  }

  /** How long the provider asks to wait, if it does. */
  default Optional<Duration> serverWait() {
    return switch (this) {
      case RateLimited(_, ResponseFacts facts, _) -> facts.serverWait();
      case Overloaded(_, ResponseFacts facts, _) -> facts.serverWait();
      default -> Optional.empty();
    };
  }

  /** An answer. */
  record Reply(Message.Assistant message, StopReason stopReason, Usage usage, Origin origin)
      implements Response {

    /** The same answer, of another exchange. */
    Reply with(Origin other) {
      return new Reply(message, stopReason, usage, other);
    }
  }

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
  record RateLimited(String message, ResponseFacts facts, Origin origin) implements Failure {}

  /** The provider is full, although its limits are kept. */
  record Overloaded(String message, ResponseFacts facts, Origin origin) implements Failure {

    /** How far the attempt got. */
    Outcome.Contact contact() {
      return Response.contact(origin);
    }
  }

  /**
   * A fault of the network or the provider that may not happen again.
   *
   * @param contact how far the attempt got
   */
  record Transient(String message, Origin origin, Outcome.Contact contact) implements Failure {

    /** A fault that the provider reported, or an answer that broke off: its status says which. */
    public Transient(String message, Origin origin) {
      this(message, origin, Response.contact(origin));
    }
  }

  /** How far an exchange got that had a response. */
  private static Outcome.Contact contact(Origin origin) {
    return origin.status().orElse(INTERNAL_ERROR) < INTERNAL_ERROR
        ? Outcome.Contact.ANSWERED
        : Outcome.Contact.FAULT;
  }

  /**
   * The provider does not understand the request, or it is larger than any limit.
   *
   * @param reach {@code MODEL} if there is no such model
   */
  record InvalidRequest(String message, Outcome.Reach reach, Origin origin) implements Failure {}

  /** What was asked, or would have been answered, is against the provider's rules. */
  record RefusedByPolicy(String message, Origin origin) implements Failure {}

  /**
   * The credential is missing, wrong, or not good for this.
   *
   * @param reach {@code MODEL} if it is good for others
   */
  record Authentication(String message, Outcome.Reach reach, Origin origin) implements Failure {}

  /**
   * Nothing is left to spend, and waiting a little brings nothing back.
   *
   * @param reach {@code MODEL} if other models have a quota of their own
   */
  record QuotaExhausted(String message, Outcome.Reach reach, Origin origin) implements Failure {}

  /** It answered, but not in words that can be read: a page, a text that breaks off. */
  record UnreadableReply(String message, Origin origin) implements Failure {}

  /** Somebody took the request back before it was answered. */
  record Cancelled(String message, Origin origin) implements Failure {}
}
