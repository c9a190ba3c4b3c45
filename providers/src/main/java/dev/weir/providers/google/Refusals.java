package dev.weir.providers.google;

import dev.weir.limits.header.BodyHints;
import dev.weir.limits.retry.Outcome;
import dev.weir.model.Response;
import dev.weir.providers.http.ErrorReply;
import dev.weir.providers.http.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What Google means by a response that is not an answer.
 *
 * <p>Which quota ran out is told by its id alone. One for a day can come with a short delay to
 * retry after, and is exhausted all the same. If quotas for a minute and for a day are named
 * together, the request is tried again: should the day be over, the next refusal names it alone.
 */
final class Refusals {

  private static final Pattern LIMIT_OF_ZERO = Pattern.compile("limit: 0(?![\\d.,]*\\d)");

  private static final List<String> NOT_FOR_THIS_ACCOUNT =
      List.of("location is not supported", "enable billing");

  private Refusals() {}

  static Response.Failure of(ErrorReply reply) {
    Json error = error(reply.json());
    Optional<String> said = error.text("message");
    String words = said.orElse("").toLowerCase(Locale.ROOT);
    String message = reply.message(said);
    String status = error.text("status").orElse("");
    if (reply.status() == 429 || status.equals("RESOURCE_EXHAUSTED")) {
      return exhausted(reply, error, words, message);
    }
    int meant = reply.status() >= 500 ? meant(status, reply.status()) : reply.status();
    if (meant == 400 && isAboutTheAccount(error, status, words)) {
      return new Response.Authentication(message, Outcome.Reach.ACCOUNT, reply.origin());
    }
    if (reply.status() == 499) {
      return new Response.Transient(message, reply.origin());
    }
    return reply.asStatus(
        meant, said, said.map(BodyHints.NONE::withMessage).orElse(BodyHints.NONE));
  }

  /** The status of what no second attempt will change, although it comes as a server's fault. */
  private static int meant(String word, int status) {
    return switch (word) {
      case "INVALID_ARGUMENT" -> 400;
      case "UNAUTHENTICATED" -> 401;
      case "PERMISSION_DENIED" -> 403;
      case "NOT_FOUND" -> 404;
      default -> status;
    };
  }

  /** An error inside a response that began as an answer. */
  static Response.Failure inside(Json body, ErrorReply reply) {
    int status = (int) body.whole("error", "code").orElse(500);
    return of(
        new ErrorReply(
            status, "", reply.headers(), body.toString(), body, reply.now(), reply.origin()));
  }

  /** The streaming method wraps errors in a list. */
  private static Json error(Json body) {
    List<Json> members = body.list();
    return (members.isEmpty() ? body : members.getFirst()).at("error");
  }

  private static Response.Failure exhausted(
      ErrorReply reply, Json error, String words, String message) {
    List<BodyHints.Violation> violations = violations(error);
    boolean nothingToday =
        !violations.isEmpty() && violations.stream().allMatch(Refusals::isForADay);
    boolean notInThisTier =
        violations.stream().anyMatch(violation -> violation.quotaValue().equals("0"))
            || LIMIT_OF_ZERO.matcher(words).find();
    // What was bought is used up, and the request asks for nothing else.
    boolean nothingBought = words.contains("provisioned throughput");
    if (nothingToday || notInThisTier || nothingBought) {
      return new Response.QuotaExhausted(message, Outcome.Reach.MODEL, reply.origin());
    }
    return new Response.RateLimited(message, reply.facts(hints(error, violations)), reply.origin());
  }

  private static BodyHints hints(Json error, List<BodyHints.Violation> violations) {
    BodyHints hints = BodyHints.NONE;
    Optional<String> said = error.text("message");
    if (said.isPresent()) {
      hints = hints.withMessage(said.get());
    }
    Optional<String> delay =
        details(error, "RetryInfo").stream()
            .flatMap(detail -> detail.text("retryDelay").stream())
            .findFirst();
    if (delay.isPresent()) {
      hints = hints.withRetryDelay(delay.get());
    }
    for (BodyHints.Violation violation : violations) {
      hints = hints.withViolation(violation);
    }
    return hints;
  }

  /** Those for a day come last: what is waited for is the others. */
  private static List<BodyHints.Violation> violations(Json error) {
    List<BodyHints.Violation> others = new ArrayList<>();
    List<BodyHints.Violation> forADay = new ArrayList<>();
    for (Json detail : details(error, "QuotaFailure")) {
      for (Json json : detail.list("violations")) {
        var violation =
            new BodyHints.Violation(
                json.text("quotaId").orElse(""), json.scalar("quotaValue").orElse(""));
        (isForADay(violation) ? forADay : others).add(violation);
      }
    }
    others.addAll(forADay);
    return others;
  }

  private static boolean isForADay(BodyHints.Violation violation) {
    return violation.quotaId().toLowerCase(Locale.ROOT).contains("perday");
  }

  private static boolean isAboutTheAccount(Json error, String status, String words) {
    boolean invalidKey =
        details(error, "ErrorInfo").stream()
                .anyMatch(detail -> detail.text("reason").orElse("").equals("API_KEY_INVALID"))
            || words.contains("api key not valid");
    return invalidKey
        || (status.equals("FAILED_PRECONDITION")
            && NOT_FOR_THIS_ACCOUNT.stream().anyMatch(words::contains));
  }

  private static List<Json> details(Json error, String type) {
    return error.list("details").stream()
        .filter(detail -> detail.text("@type").orElse("").endsWith("google.rpc." + type))
        .toList();
  }
}
