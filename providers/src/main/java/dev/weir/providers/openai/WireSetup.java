package dev.weir.providers.openai;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * What both APIs need to know.
 *
 * @param model as the server names it
 * @param fixed fields of every body: {@code service_tier}
 */
record WireSetup(
    String model,
    Endpoint endpoint,
    Traits traits,
    Streaming streaming,
    Map<String, String> fixed) {

  WireSetup {
    fixed = Collections.unmodifiableMap(new TreeMap<>(fixed));
  }

  /** The beginning of every body. */
  Map<String, Object> head() {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("model", model);
    body.putAll(fixed);
    return body;
  }
}
