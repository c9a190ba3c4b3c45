package dev.weir.telemetry;

import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.retry.Outcome;
import dev.weir.model.CallEvent;
import dev.weir.model.ModelCall;
import dev.weir.model.Response;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How an attempt ended, in the labels that GitLab's rules know.
 *
 * @param errorType {@code none} without an error
 * @param finishReason {@code unknown} without an answer
 */
public record AttemptLabels(
    boolean isError, String errorType, boolean isStreamed, String finishReason) {

  static final String NONE = "none";
  static final String UNKNOWN = "unknown";

  /** Anything for which there is no word of its own. */
  public static final String OTHER = "other";

  private static final int BAD_REQUEST = 400;
  private static final int UNAVAILABLE = 503;

  static AttemptLabels of(ModelCall call, Response response) {
    return response instanceof Response.Reply reply
        ? new AttemptLabels(false, NONE, call.isStreamed(), reply.stopReason().word())
        : new AttemptLabels(true, errorType(response), call.isStreamed(), UNKNOWN);
  }

  /** A call that is cancelled, or too late for its caller, is no error of the engine. */
  static AttemptLabels of(ModelCall call, CallEvent.Cause cause) {
    return switch (cause) {
      case CANCELLED, DEADLINE, STOPPED ->
          new AttemptLabels(false, NONE, call.isStreamed(), "cancelled");
      case HUNG, TIMED_OUT -> new AttemptLabels(true, "timeout", call.isStreamed(), UNKNOWN);
      case DEFECT -> new AttemptLabels(true, OTHER, call.isStreamed(), UNKNOWN);
    };
  }

  // Both part by part, and for each attempt: those of a record are slow until the better compiler
  // has seen them.

  @Override
  public boolean equals(@Nullable Object that) {
    return that instanceof AttemptLabels labels
        && isError == labels.isError
        && isStreamed == labels.isStreamed
        && finishReason.equals(labels.finishReason)
        && errorType.equals(labels.errorType);
  }

  @Override
  public int hashCode() {
    return 31 * errorType.hashCode() + finishReason.hashCode() + (isStreamed ? 1 : 0);
  }

  /** What went wrong with an attempt in a word: {@code rate_limited}. */
  public static String errorType(Response response) {
    int status = response.origin().status().orElse(0);
    return switch (response) {
      case Response.Reply _ -> NONE;
      case Response.RateLimited _ -> "rate_limited";
      case Response.Overloaded _ -> status == UNAVAILABLE ? "service_unavailable" : "overloaded";
      case Response.Transient fault ->
          fault.contact() == Outcome.Contact.UNREACHED || fault.contact() == Outcome.Contact.SILENT
              ? "connection_error"
              : status == UNAVAILABLE ? "service_unavailable" : OTHER;
      case Response.InvalidRequest _ -> status == BAD_REQUEST ? "http_400" : OTHER;
      case Response.Authentication _ -> "permission_error";
      case Response.QuotaExhausted _ -> "quota_exhausted";
      case Response.RefusedByPolicy _ -> "refused_by_policy";
      case Response.UnreadableReply _, Response.Cancelled _ -> OTHER;
    };
  }

  /** What the engine refused an attempt for, if it did. */
  static Optional<String> refusal(Response response) {
    return switch (response) {
      case Response.RateLimited(_, ResponseFacts facts, _) ->
          Optional.of(facts.limitKind().map(kind -> kind.replace('-', '_')).orElse("rate_limit"));
      case Response.Overloaded _ -> Optional.of("overloaded");
      case Response.QuotaExhausted _ -> Optional.of("quota_exhausted");
      case Response.RefusedByPolicy _ -> Optional.of("policy");
      default -> Optional.empty();
    };
  }
}
