package dev.weir.providers.contract;

import dev.weir.model.ModelName;
import java.util.Map;

/** OpenAI's models on Azure. */
class AzureContractTest extends SimulatorContract {

  @Override
  protected ModelName model() {
    return ModelName.parse("azure/my-deployment");
  }

  @Override
  protected Map<String, String> environment(String credential) {
    return Map.of("AZURE_OPENAI_API_KEY", credential);
  }

  @Override
  String path() {
    return "/openai/v1";
  }

  @Override
  String refusalBody(int status, String message) {
    return "{\"error\": {\"message\": \"" + message + "\"}}";
  }
}
