package dev.weir.simulator.server;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Counts the requests to one model, or to all. Holds what was received within the last minute. Not
 * thread-safe; fed with the time in nanoseconds.
 */
final class RequestCount {

  private static final long MINUTE_NANOS = 60_000_000_000L;
  private static final double NANOS_PER_SECOND = 1e9;

  private long requests;
  private long answers;
  private long refusals;
  private long failures;
  private long cancelled;
  private long promptTokens;
  private long outputTokens;
  private int open;
  private int peakOpen;
  private long openNanos;
  private long at;
  private final Deque<Use> minute = new ArrayDeque<>();
  private long minuteRequests;
  private long minutePrompt;
  private long minuteOutput;
  private long mostRequests;
  private long mostPrompt;
  private long mostOutput;
  private long mostTokens;

  /** What counts against limits from a moment on, for a minute. */
  private record Use(long at, int requests, int promptTokens, int outputTokens) {}

  RequestCount() {}

  /** Counts from zero; those that are open stay so. */
  RequestCount(RequestCount before, long now) {
    this.open = before.open;
    this.peakOpen = before.open;
    this.at = now;
  }

  void received(long now) {
    advance(now);
    requests++;
    open++;
    peakOpen = Math.max(peakOpen, open);
    use(new Use(now, 1, 0, 0));
  }

  void admitted(long now, int prompt, int output) {
    use(new Use(now, 0, prompt, output));
  }

  void refused(long now) {
    refusals++;
    closed(now);
  }

  void failed(long now) {
    failures++;
    closed(now);
  }

  void answered(long now, int prompt, int output) {
    answers++;
    promptTokens += prompt;
    outputTokens += output;
    closed(now);
  }

  void cancelled(long now) {
    cancelled++;
    closed(now);
  }

  /** Also if its connection was closed, which is none of the above. */
  void closed(long now) {
    advance(now);
    open--;
  }

  RequestTotals totals(long now) {
    advance(now);
    return new RequestTotals(
        requests,
        answers,
        refusals,
        failures,
        cancelled,
        open,
        peakOpen,
        openNanos / NANOS_PER_SECOND,
        promptTokens,
        outputTokens,
        mostRequests,
        mostPrompt,
        mostOutput,
        mostTokens);
  }

  private void advance(long now) {
    openNanos += open * (now - at);
    at = now;
  }

  private void use(Use use) {
    minute.addLast(use);
    add(use, 1);
    while (minute.getFirst().at <= use.at - MINUTE_NANOS) {
      add(minute.removeFirst(), -1);
    }
    mostRequests = Math.max(mostRequests, minuteRequests);
    mostPrompt = Math.max(mostPrompt, minutePrompt);
    mostOutput = Math.max(mostOutput, minuteOutput);
    mostTokens = Math.max(mostTokens, minutePrompt + minuteOutput);
  }

  private void add(Use use, int sign) {
    minuteRequests += (long) sign * use.requests;
    minutePrompt += (long) sign * use.promptTokens;
    minuteOutput += (long) sign * use.outputTokens;
  }
}
