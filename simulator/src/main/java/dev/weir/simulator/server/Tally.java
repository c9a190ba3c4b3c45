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
 * <p>Of constant size, but for the fingerprints of the last answers. Not thread-safe; fed with the
 * time in nanoseconds.
 */
final class Tally {

  /** An answer is a duplicate if the same was answered among the last so many. */
  private static final int REMEMBERED = 100_000;

  private static final double NANOS_PER_SECOND = 1e9;

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

  void request(long now, Instant at) {
    if (firstRequest == null) {
      firstRequest = at;
      firstNanos = now;
      lastEndNanos = now;
    }
    lastRequest = at;
    requests++;
  }

  void accepted(long now, int inFlight) {
    long thisSecond = Math.floorDiv(now, (long) NANOS_PER_SECOND);
    acceptedInSecond = thisSecond == second ? acceptedInSecond + 1 : 1;
    second = thisSecond;
    mostAcceptedInSecond = Math.max(mostAcceptedInSecond, acceptedInSecond);
    peakInFlight = Math.max(peakInFlight, inFlight);
  }

  void answer(long now, long fingerprint, Call call, int output) {
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

  void cancelled(long now) {
    cancelled++;
    lastEndNanos = now;
  }

  /** A hung request, whose connection the server has closed. */
  void dropped(long now) {
    lastEndNanos = now;
  }

  void badRequest() {
    badRequests++;
  }

  void unauthorized() {
    unauthorized++;
  }

  Stats stats(int inFlight) {
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
        mostAcceptedInSecond);
  }
}
