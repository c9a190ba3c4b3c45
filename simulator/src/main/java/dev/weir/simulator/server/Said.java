package dev.weir.simulator.server;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the simulated model says to a call.
 *
 * @param trouble what happens instead of a proper answer, if it is asked for
 * @param headers that the client gets too
 * @param latency how long it takes; empty for what all others take
 */
record Said(
    String text,
    List<ToolUse> calls,
    String reasoning,
    Call.Cached cached,
    Optional<Trouble> trouble,
    Map<String, String> headers,
    Optional<Duration> latency) {

  static Said of(String text) {
    return new Said(
        text, List.of(), "", Call.Cached.NONE, Optional.empty(), Map.of(), Optional.empty());
  }

  Said with(List<ToolUse> calls) {
    return new Said(text, calls, reasoning, cached, trouble, headers, latency);
  }

  Said with(String reasoning, Call.Cached cached, Map<String, String> headers) {
    return new Said(text, calls, reasoning, cached, trouble, headers, latency);
  }

  Said with(Trouble trouble) {
    return new Said(text, calls, reasoning, cached, Optional.of(trouble), headers, latency);
  }

  Said taking(Optional<Duration> latency) {
    return latency.isEmpty()
        ? this
        : new Said(text, calls, reasoning, cached, trouble, headers, latency);
  }
}
