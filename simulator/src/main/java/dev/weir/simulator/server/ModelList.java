package dev.weir.simulator.server;

import dev.weir.web.Request;
import java.util.List;
import java.util.Map;

/** The models that there are, in the shape of OpenAI's API or Anthropic's. */
final class ModelList {

  static final String PATH = "/v1/models";

  private static final String MODEL = "simulated";

  private ModelList() {}

  static Map<String, Object> all(Request request) {
    List<Map<String, Object>> data = List.of(described(request, MODEL));
    return isAnthropic(request)
        ? Json.object("data", data, "has_more", false, "first_id", MODEL, "last_id", MODEL)
        : Json.object("object", "list", "data", data);
  }

  /** Any name is a model. */
  static Map<String, Object> one(Request request) {
    return described(request, request.path().substring(PATH.length() + 1));
  }

  private static Map<String, Object> described(Request request, String id) {
    return isAnthropic(request)
        ? Json.object(
            "id", id, "type", "model", "display_name", id, "created_at", "2026-01-01T00:00:00Z")
        : Json.object("id", id, "object", "model", "created", 1_767_225_600, "owned_by", "weir");
  }

  private static boolean isAnthropic(Request request) {
    return request.header("anthropic-version").isPresent();
  }
}
