package dev.weir.simulator.server;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a simulated provider has seen of the requests to one model, or to all.
 *
 * <p>A request is open from when it was received until its answer, refusal or failure is sent, or
 * its client leaves: what its client has in flight, but for the network. What was used within a
 * minute counts at the moment at which a request was received, whatever minute that is.
 *
 * @param refusals for whatever limit, that were sent
 * @param failures that were sent
 * @param cancelled requests whose client left before anything was sent, or before the end; also if
 *     they were to be refused
 * @param open now
 * @param openSeconds open requests, integrated over time
 * @param promptTokens of answers
 * @param outputTokens of answers
 * @param requestsPerMinuteMax the most that were received within any 60 s, refused ones included
 * @param promptTokensPerMinuteMax the most that were admitted within any 60 s
 * @param outputTokensPerMinuteMax the most output of what was admitted within any 60 s
 * @param tokensPerMinuteMax the most of both together within any 60 s
 */
public record RequestTotals(
    long requests,
    long answers,
    long refusals,
    long failures,
    long cancelled,
    int open,
    int peakOpen,
    double openSeconds,
    long promptTokens,
    long outputTokens,
    long requestsPerMinuteMax,
    long promptTokensPerMinuteMax,
    long outputTokensPerMinuteMax,
    long tokensPerMinuteMax) {

  /** For JSON, under the names of {@code /stats}. */
  Map<String, Object> document() {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("requests", requests);
    document.put("answers", answers);
    document.put("refusals", refusals);
    document.put("failures", failures);
    document.put("cancelled", cancelled);
    document.put("prompt_tokens", promptTokens);
    document.put("output_tokens", outputTokens);
    document.putAll(useDocument());
    return document;
  }

  /** What the counts of all requests have no names for yet. */
  Map<String, Object> useDocument() {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("open", open);
    document.put("peak_open", peakOpen);
    document.put("open_seconds", openSeconds);
    document.put("requests_per_minute_max", requestsPerMinuteMax);
    document.put("prompt_tokens_per_minute_max", promptTokensPerMinuteMax);
    document.put("output_tokens_per_minute_max", outputTokensPerMinuteMax);
    document.put("tokens_per_minute_max", tokensPerMinuteMax);
    return document;
  }
}
