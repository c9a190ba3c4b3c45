package dev.weir.log.trace;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One line of a trace.
 *
 * @param event its published name: {@code http}, {@code ratelimit:hit}
 * @param scope which limits: {@code openai@3f9a…/gpt-4o}
 * @param line for people
 * @param details for programs: texts, numbers and flags
 */
public record TraceRecord(
    Instant at, String event, String scope, String line, Map<String, Object> details) {

  /** The event of an attempt; all others are about limits. */
  public static final String HTTP = "http";

  public TraceRecord {
    details = Collections.unmodifiableMap(new LinkedHashMap<>(details));
  }

  public boolean isHttp() {
    return event.equals(HTTP);
  }

  /** Whether it is an attempt that brought no answer. */
  public boolean isFailed() {
    return isHttp() && !"clean".equals(details.get("outcome"));
  }
}
