package dev.weir.providers.contract;

import dev.weir.model.ModelName;
import java.util.Map;

/** OpenAI's chat completions. */
class OpenAiChatContractTest extends SimulatorContract {

  @Override
  protected ModelName model() {
    return ModelName.parse("openai/gpt-4o");
  }

  @Override
  protected Map<String, String> environment(String credential) {
    return Map.of("OPENAI_API_KEY", credential);
  }

  @Override
  String path() {
    return "/v1";
  }

  @Override
  String refusalBody(int status, String message) {
    return "{\"error\": {\"message\": \"" + message + "\"}}";
  }
}
