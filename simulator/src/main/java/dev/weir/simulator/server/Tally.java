package dev.weir.simulator.server;

import dev.weir.simulator.provider.RefusalCause;
import java.time.Instant;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a simulated provider has seen since its start, or since it was reset.
 *
 * <p>Of constant size, but for the fingerprints of the last answers and what was received within
 * the last minute. Not thread-safe; fed with the time in nanoseconds.
 */
final class Tally {

  /** An answer is a duplicate if the same was answered among the last so many. */
  private static final int REMEMBERED = 100_000;

  /** Models beyond so many are counted together. */
  private static final int MODELS = 100;

  private static final String OTHERS = "other";

  private static final double NANOS_PER_SECOND = 1e9;

  private final RequestCount all;
  private final Map<String, RequestCount> models = new LinkedHashMap<>();
  private long requests;
  private long answers;
  private long streams;
  private long cancelled;
  private long hung;
  private long duplicates;
  private long badRequests;
  private long unauthorized;
  private long scripted;
  private long promptTokens;
  private long outputTokens;
  private int peakInFlight;
  private long second;
  private int acceptedInSecond;
  private int mostAcceptedInSecond;
  private @Nullable Instant firstRequest;
  private @Nullable Instant lastRequest;
  private long firstNanos;
  private long lastEndNanos;
  private final Map<RefusalCause, Long> refusals = new EnumMap<>(RefusalCause.class);
  private final Map<Fault, Long> failures = new EnumMap<>(Fault.class);
  private final Map<Long, Boolean> answered =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Boolean> eldest) {
          return size() > REMEMBERED;
        }
      };

  Tally() {
    this.all = new RequestCount();
  }

  /** Counts from zero; requests that are open stay so. */
  Tally(Tally before, long now) {
    this.all = new RequestCount(before.all, now);
    before.models.forEach((model, count) -> models.put(model, new RequestCount(count, now)));
  }

  private RequestCount of(Call call) {
    RequestCount known = models.get(call.model());
    return known == null
        ? models.computeIfAbsent(
            models.size() < MODELS ? call.model() : OTHERS, _ -> new RequestCount())
        : known;
  }

  void request(long now, Instant at, Call call) {
    all.received(now);
    of(call).received(now);
    if (firstRequest == null) {
      firstRequest = at;
      firstNanos = now;
      lastEndNanos = now;
    }
    lastRequest = at;
    requests++;
  }

  /**
   * @param output tokens of its answer, which are known before
   */
  void accepted(long now, int inFlight, Call call, int output) {
    all.admitted(now, call.promptTokens(), output);
    of(call).admitted(now, call.promptTokens(), output);
    long thisSecond = Math.floorDiv(now, (long) NANOS_PER_SECOND);
    acceptedInSecond = thisSecond == second ? acceptedInSecond + 1 : 1;
    second = thisSecond;
    mostAcceptedInSecond = Math.max(mostAcceptedInSecond, acceptedInSecond);
    peakInFlight = Math.max(peakInFlight, inFlight);
  }

  void answer(long now, long fingerprint, Call call, int output) {
    all.answered(now, call.promptTokens(), output);
    of(call).answered(now, call.promptTokens(), output);
    answers++;
    streams += call.stream() ? 1 : 0;
    promptTokens += call.promptTokens();
    outputTokens += output;
    if (answered.put(fingerprint, true) != null) {
      duplicates++;
    }
    lastEndNanos = now;
  }

  void refusal(long now, RefusalCause cause) {
    refusals.merge(cause, 1L, Long::sum);
    lastEndNanos = now;
  }

  void failure(long now, Fault fault) {
    failures.merge(fault, 1L, Long::sum);
    lastEndNanos = now;
  }

  void scripted(long now) {
    scripted++;
    lastEndNanos = now;
  }

  void hung() {
    hung++;
  }

  /** A request gets its refusal, which was decided before. */
  void refused(long now, Call call) {
    all.refused(now);
    of(call).refused(now);
  }

  /** A request gets its failure, which was decided before. */
  void failed(long now, Call call) {
    all.failed(now);
    of(call).failed(now);
  }

  void cancelled(long now, Call call) {
    all.cancelled(now);
    of(call).cancelled(now);
    cancelled++;
    lastEndNanos = now;
  }

  /** A hung request, whose connection the server has closed. */
  void dropped(long now, Call call) {
    all.closed(now);
    of(call).closed(now);
    lastEndNanos = now;
  }

  void badRequest() {
    badRequests++;
  }

  void unauthorized() {
    unauthorized++;
  }

  Stats stats(long now, int inFlight) {
    Map<String, RequestTotals> byModel = new LinkedHashMap<>();
    models.forEach((model, count) -> byModel.put(model, count.totals(now)));
    Map<String, Long> byCause = new LinkedHashMap<>();
    for (RefusalCause cause : RefusalCause.values()) {
      byCause.put(cause.name().toLowerCase(Locale.ROOT), refusals.getOrDefault(cause, 0L));
    }
    Map<String, Long> byFault = new LinkedHashMap<>();
    for (Fault fault : new Fault[] {Fault.ERROR, Fault.OUTAGE, Fault.OVERLOAD}) {
      byFault.put(fault.name().toLowerCase(Locale.ROOT), failures.getOrDefault(fault, 0L));
    }
    byFault.put("scripted", scripted);
    return new Stats(
        requests,
        answers,
        streams,
        byCause,
        byFault,
        hung,
        cancelled,
        duplicates,
        badRequests,
        unauthorized,
        inFlight,
        Math.max(peakInFlight, inFlight),
        promptTokens,
        outputTokens,
        firstRequest,
        lastRequest,
        firstRequest == null ? 0 : (lastEndNanos - firstNanos) / NANOS_PER_SECOND,
        mostAcceptedInSecond,
        all.totals(now),
        byModel);
  }
}
