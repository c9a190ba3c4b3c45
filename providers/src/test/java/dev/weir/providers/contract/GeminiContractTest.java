package dev.weir.providers.contract;

import dev.weir.model.ModelName;
import dev.weir.testkit.Feature;
import java.util.Map;

/** The Gemini API. */
class GeminiContractTest extends SimulatorContract {

  @Override
  protected ModelName model() {
    return ModelName.parse("google/gemini-2.5-flash");
  }

  @Override
  protected Map<String, String> environment(String credential) {
    return Map.of("GEMINI_API_KEY", credential);
  }

  @Override
  protected Map<Feature, String> lacking() {
    return Map.of(Feature.REFUSAL_ID, "Google tells an id in the body of an answer alone");
  }

  @Override
  String path() {
    return "/v1beta";
  }

  @Override
  String refusalBody(int status, String message) {
    return "{\"error\": {\"code\": " + status + ", \"message\": \"" + message + "\"}}";
  }
}
