package dev.weir.eval.run;

import dev.weir.limits.StoppedException;
import dev.weir.limits.retry.Outcome;
import dev.weir.log.RunResult.Status;
import dev.weir.model.ModelName;
import dev.weir.model.Origin;
import dev.weir.model.Response;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Why a run ends before all its samples are done; the first reason holds. A failure ends it at
 * once; a refusal and a budget leave it what is on its way, which is paid for. Not thread-safe:
 * guarded by the run.
 */
final class Ending {

  private @Nullable String error;
  private Optional<String> traceback = Optional.empty();
  private boolean isAtOnce;
  private @Nullable String stopped;
  private Response.@Nullable Failure refusal;
  // Known only from samples that were not even asked: who was refused knows better.
  private boolean isHearsay;
  private boolean isOutage;

  /** Whether asking again, or asking for another sample, would be refused likewise. */
  static boolean isForGood(Response.Failure failure) {
    return failure instanceof Response.QuotaExhausted
        || failure instanceof Response.Authentication
        || (failure instanceof Response.InvalidRequest invalid
            && invalid.reach() == Outcome.Reach.MODEL);
  }

  /** Whether it says nothing of what was asked: another time the same may be answered. */
  static boolean isOutside(Response.Failure failure) {
    return switch (failure) {
      case Response.RateLimited _,
          Response.Overloaded _,
          Response.Transient _,
          Response.Authentication _,
          Response.QuotaExhausted _,
          Response.UnreadableReply _,
          Response.Cancelled _ ->
          true;
      case Response.InvalidRequest invalid -> invalid.reach() != Outcome.Reach.REQUEST;
      case Response.RefusedByPolicy _ -> false;
    };
  }

  void fail(String why) {
    fail(why, Optional.empty());
  }

  /**
   * @param trace of what failed
   */
  void fail(String why, Optional<String> trace) {
    if (error == null) {
      error = why;
      traceback = trace;
    }
    isAtOnce = true;
  }

  /** The provider refused for good: nothing more is asked, but what was asked before may answer. */
  void refuse(String why, Optional<String> trace, Response.Failure with) {
    if (isHearsay) {
      error = why;
      traceback = trace;
      refusal = with;
      isHearsay = false;
      return;
    }
    if (error == null) {
      error = why;
      traceback = trace;
    }
    refusal = refusal == null ? with : refusal;
  }

  /** Others were refused for good; a sample was not even asked. */
  void refuse(StoppedException before, ModelName model) {
    if (error != null) {
      return;
    }
    if (before.isOutage()) {
      error = String.valueOf(before.getMessage());
      isOutage = true;
      return;
    }
    error = "%s: the provider has refused for good: %s".formatted(model, before.reason());
    refusal = new Response.QuotaExhausted(before.reason(), Outcome.Reach.ACCOUNT, Origin.of(model));
    isHearsay = true;
  }

  /** Nothing failed, but no more may be called. */
  void stop(String why) {
    stopped = stopped == null ? why : stopped;
  }

  /** Whether nothing is waited for any more. */
  boolean isAtOnce() {
    return isAtOnce;
  }

  /** Why no more is begun, if so. */
  Optional<String> why() {
    return error().or(() -> Optional.ofNullable(stopped));
  }

  /** Whether it ends without anything having failed. */
  boolean isStop() {
    return error == null && stopped != null;
  }

  Optional<String> error() {
    return Optional.ofNullable(error);
  }

  /** The stack trace of what failed, if it is known. */
  Optional<String> traceback() {
    return traceback;
  }

  Optional<String> stopped() {
    return isStop() ? Optional.ofNullable(stopped) : Optional.empty();
  }

  /** Whether a provider did not answer for too long: for now, another run would fare no better. */
  boolean isOutage() {
    return isOutage;
  }

  Optional<Response.Failure> refusal() {
    return Optional.ofNullable(refusal);
  }

  Status status(int unfinished) {
    if (error != null) {
      return Status.ERROR;
    }
    return unfinished > 0 ? Status.CANCELLED : Status.SUCCESS;
  }
}
