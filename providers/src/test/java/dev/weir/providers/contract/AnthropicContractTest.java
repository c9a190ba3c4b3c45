package dev.weir.providers.contract;

import dev.weir.model.ModelName;
import java.util.Map;

/** Anthropic's messages, as a stream. */
class AnthropicContractTest extends SimulatorContract {

  @Override
  protected ModelName model() {
    return ModelName.parse("anthropic/claude-sonnet-4-5");
  }

  @Override
  protected Map<String, String> environment(String credential) {
    return Map.of("ANTHROPIC_API_KEY", credential);
  }

  @Override
  String path() {
    return "";
  }

  @Override
  String refusalBody(int status, String message) {
    return "{\"type\": \"error\", \"error\": {\"type\": \"api_error\", \"message\": \""
        + message
        + "\"}}";
  }
}
