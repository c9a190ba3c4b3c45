package dev.weir.simulator.server;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a simulated provider has seen.
 *
 * @param requests calls that were understood and had a credential, if one is needed
 * @param answers complete ones
 * @param streams how many of the answers were streams
 * @param refusals by what was exceeded: requests, tokens, concurrency, growth; stray if nothing was
 * @param failures by kind: error, outage, overload, scripted
 * @param hung requests that were never to be answered
 * @param cancelled requests whose client left before the end
 * @param duplicates answers to an idempotency key, or else a body, that had been answered before
 * @param badRequests calls that were not as the API demands
 * @param unauthorized calls without the credential
 * @param inFlight admitted and not finished, now
 * @param firstRequest null if there was none
 * @param lastRequest null if there was none
 * @param makespanSeconds from the first request to the end of the last
 * @param acceptedPerSecondMax the most that were admitted within a second of the server's clock
 * @param all requests of all models
 * @param models requests of each model, by its name
 */
public record Stats(
    long requests,
    long answers,
    long streams,
    Map<String, Long> refusals,
    Map<String, Long> failures,
    long hung,
    long cancelled,
    long duplicates,
    long badRequests,
    long unauthorized,
    int inFlight,
    int peakInFlight,
    long promptTokens,
    long outputTokens,
    @Nullable Instant firstRequest,
    @Nullable Instant lastRequest,
    double makespanSeconds,
    int acceptedPerSecondMax,
    RequestTotals all,
    Map<String, RequestTotals> models) {

  public Stats {
    refusals = Collections.unmodifiableMap(new LinkedHashMap<>(refusals));
    failures = Collections.unmodifiableMap(new LinkedHashMap<>(failures));
    models = Collections.unmodifiableMap(new LinkedHashMap<>(models));
  }

  public long allRefusals() {
    return sum(refusals);
  }

  public long allFailures() {
    return sum(failures);
  }

  /** The same for JSON, under the names of {@code /stats}. */
  public Map<String, Object> document() {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("requests", requests);
    document.put("answers", answers);
    document.put("streams", streams);
    document.put("refusals", withTotal(refusals));
    document.put("failures", withTotal(failures));
    document.put("hung", hung);
    document.put("cancelled", cancelled);
    document.put("duplicates", duplicates);
    document.put("bad_requests", badRequests);
    document.put("unauthorized", unauthorized);
    document.put("in_flight", inFlight);
    document.put("peak_in_flight", peakInFlight);
    document.put("prompt_tokens", promptTokens);
    document.put("output_tokens", outputTokens);
    document.put("first_request", text(firstRequest));
    document.put("last_request", text(lastRequest));
    document.put("makespan_seconds", makespanSeconds);
    document.put("accepted_per_second_max", acceptedPerSecondMax);
    document.putAll(all.useDocument());
    Map<String, Object> byModel = new LinkedHashMap<>();
    models.forEach((model, totals) -> byModel.put(model, totals.document()));
    document.put("models", byModel);
    return document;
  }

  private static Map<String, Long> withTotal(Map<String, Long> counts) {
    Map<String, Long> all = new LinkedHashMap<>();
    all.put("total", sum(counts));
    all.putAll(counts);
    return all;
  }

  private static long sum(Map<String, Long> counts) {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  private static @Nullable String text(@Nullable Instant instant) {
    return instant == null ? null : instant.toString();
  }
}
