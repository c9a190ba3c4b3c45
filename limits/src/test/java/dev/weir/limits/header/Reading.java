package dev.weir.limits.header;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/** Headers and facts as text, one per line, so that a test reads like a table. */
final class Reading {

  static final Instant NOW = Instant.parse("2026-10-21T07:28:00Z");

  private Reading() {}

  static ResponseFacts of(String headerLines) {
    return of(headerLines, BodyHints.NONE);
  }

  static ResponseFacts of(String headerLines, BodyHints hints) {
    return ResponseFactsParser.parse(headers(headerLines), hints, NOW);
  }

  static Map<String, List<String>> headers(String headerLines) {
    Map<String, List<String>> headers = new LinkedHashMap<>();
    headerLines
        .lines()
        .filter(line -> !line.isBlank())
        .forEach(
            line -> {
              int colon = line.indexOf(':');
              headers
                  .computeIfAbsent(line.substring(0, colon), _ -> new ArrayList<>())
                  .add(line.substring(colon + 1));
            });
    return headers;
  }

  /** Dimension, name, remaining/limit, and what else is known; then wait and kind. */
  static String describe(ResponseFacts facts) {
    List<String> lines = new ArrayList<>();
    facts.quotas().forEach(quota -> lines.add(describe(quota)));
    facts.serverWait().ifPresent(wait -> lines.add("wait " + wait));
    facts.limitKind().ifPresent(kind -> lines.add("kind " + kind));
    return String.join("\n", lines);
  }

  private static String describe(QuotaSnapshot quota) {
    StringBuilder text = new StringBuilder();
    text.append(quota.dimension()).append(' ').append(quota.name()).append(' ');
    text.append(count(quota.remaining())).append('/').append(count(quota.limit()));
    quota.reset().ifPresent(reset -> text.append(" reset ").append(reset.remaining()));
    quota.window().ifPresent(window -> text.append(" window ").append(window));
    if (quota.resolution() != 1) {
      text.append(" by ").append((long) quota.resolution());
    }
    return text.toString();
  }

  private static String count(OptionalDouble count) {
    return count.isPresent() ? String.valueOf((long) count.getAsDouble()) : "?";
  }
}
