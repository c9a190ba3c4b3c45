package dev.weir.providers.contract;

import dev.weir.model.ModelName;
import dev.weir.testkit.Feature;
import java.util.Map;

/** Any server that speaks OpenAI's language. */
class CompatibleContractTest extends SimulatorContract {

  @Override
  protected ModelName model() {
    return ModelName.parse("openai-api/acme/small");
  }

  @Override
  protected Map<String, String> environment(String credential) {
    return Map.of("ACME_API_KEY", credential);
  }

  @Override
  String path() {
    return "/v1";
  }

  @Override
  String refusalBody(int status, String message) {
    return "{\"error\": {\"message\": \"" + message + "\"}}";
  }

  @Override
  protected Map<Feature, String> lacking() {
    return Map.of(Feature.CREDENTIAL, "a server on this machine needs none");
  }
}
