package dev.weir.model;

import dev.weir.limits.Mode;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.retry.Outcome;
import dev.weir.limits.retry.RetryBounds;
import java.util.Locale;
import java.util.Map;

/** The one place where a kind of failure becomes a reason to retry, or not. */
final class Outcomes {

  /**
   * The statuses that mode {@code halving} retries, each with what its text must contain: the
   * published rule, which takes a status without its usual text for an answer of the application.
   */
  private static final Map<Integer, String> RETRIED_WHEN_HALVING =
      Map.of(
          502, "bad gateway",
          503, "service unavailable",
          504, "gateway timeout",
          524, "timeout");

  private Outcomes() {}

  static Outcome of(Response response, Mode mode, RetryBounds bounds) {
    return switch (response) {
      case Response.Reply _ -> new Outcome.Clean();
      case Response.RateLimited(_, ResponseFacts facts, _) -> new Outcome.RateLimited(facts);
      case Response.Overloaded overloaded ->
          isFinal(overloaded, mode, bounds)
              ? forGood(overloaded, Outcome.Reach.REQUEST)
              : new Outcome.Overloaded(overloaded.facts(), overloaded.contact());
      case Response.Transient fault ->
          isFinal(fault, mode, bounds)
              ? forGood(fault, Outcome.Reach.REQUEST)
              : new Outcome.Transient(fault.contact());
      case Response.InvalidRequest invalid -> forGood(invalid, invalid.reach());
      case Response.RefusedByPolicy refused -> forGood(refused, Outcome.Reach.REQUEST);
      case Response.Authentication unknown -> forGood(unknown, unknown.reach());
      case Response.QuotaExhausted exhausted -> forGood(exhausted, exhausted.reach());
      case Response.UnreadableReply unreadable -> forGood(unreadable, Outcome.Reach.REQUEST);
      case Response.Cancelled _ -> new Outcome.Nothing();
    };
  }

  private static Outcome forGood(Response.Failure failure, Outcome.Reach reach) {
    return new Outcome.Terminal(reach, failure.message());
  }

  /** An answer that broke off is a broken connection, whatever its status was. */
  private static boolean isAnswer(Origin origin) {
    return origin.status().getAsInt() >= 200 && origin.status().getAsInt() < 300;
  }

  private static boolean isFinal(Response.Failure failure, Mode mode, RetryBounds bounds) {
    Origin origin = failure.origin();
    if (origin.status().isEmpty() || isAnswer(origin)) {
      return false;
    }
    int status = origin.status().getAsInt();
    boolean halving = mode instanceof Mode.Halving;
    if (status == Response.INTERNAL_ERROR) {
      return !bounds.retry5xx().orElse(!halving);
    }
    String wanted = RETRIED_WHEN_HALVING.get(status);
    return halving
        && (wanted == null || !origin.statusText().toLowerCase(Locale.ROOT).contains(wanted));
  }
}
