package dev.weir.providers.contract;

import dev.weir.model.ModelName;
import dev.weir.testkit.Feature;
import java.util.Map;

/** Gemini on Vertex AI. */
class VertexContractTest extends SimulatorContract {

  @Override
  protected ModelName model() {
    return ModelName.parse("vertex/gemini-2.5-flash");
  }

  @Override
  protected Map<String, String> environment(String credential) {
    return Map.of(
        "VERTEX_ACCESS_TOKEN",
        credential,
        "GOOGLE_CLOUD_PROJECT",
        // Limits are those of the project: a token expires.
        credential.equals(CREDENTIAL) ? "acme" : "other",
        "GOOGLE_CLOUD_LOCATION",
        "global");
  }

  @Override
  protected Map<Feature, String> lacking() {
    return Map.of(Feature.REFUSAL_ID, "Google tells an id in the body of an answer alone");
  }

  @Override
  String path() {
    return "/v1";
  }

  @Override
  String refusalBody(int status, String message) {
    return "{\"error\": {\"code\": " + status + ", \"message\": \"" + message + "\"}}";
  }
}
