package dev.weir.providers.openai;

import dev.weir.limits.retry.Outcome;
import dev.weir.model.Response;
import dev.weir.providers.http.ErrorReply;
import dev.weir.providers.http.Json;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

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

  private static final Pattern STOP = Pattern.compile("[.\\s]+$");

  WireSetup {
    fixed = Collections.unmodifiableMap(new TreeMap<>(fixed));
  }

  /** What an error response means; a path that the server lacks is a mistake in the base URL. */
  Response.Failure classify(ErrorReply reply) {
    return explained(traits.refusals().classify(reply), reply.status(), reply);
  }

  /** As {@link #classify}, for an error inside a response with status 200. */
  Response.Failure inside(ErrorReply reply, Json body) {
    // LM Studio reports a path that it lacks so, with status 200.
    boolean isNoPath = ApiError.of(body, "").says("unexpected endpoint or method");
    return explained(traits.refusals().inside(reply, body), isNoPath ? 404 : 200, reply);
  }

  private Response.Failure explained(Response.Failure failure, int status, ErrorReply reply) {
    // A server that names the model has been found.
    if ((status != 404 && status != 405) || reply.says("model")) {
      return failure;
    }
    return endpoint
        .remedy()
        .<Response.Failure>map(
            remedy ->
                new Response.InvalidRequest(
                    "%s; %s".formatted(STOP.matcher(failure.message()).replaceFirst(""), remedy),
                    Outcome.Reach.MODEL,
                    reply.origin()))
        .orElse(failure);
  }

  /** The beginning of every body. */
  Map<String, Object> head() {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("model", model);
    body.putAll(fixed);
    return body;
  }
}
