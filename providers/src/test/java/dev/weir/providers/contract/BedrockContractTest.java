package dev.weir.providers.contract;

import dev.weir.model.ModelName;
import dev.weir.testkit.Feature;
import java.util.Map;

/** Bedrock's Converse. */
class BedrockContractTest extends SimulatorContract {

  @Override
  protected ModelName model() {
    return ModelName.parse("bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0");
  }

  @Override
  protected Map<String, String> environment(String credential) {
    return Map.of("AWS_BEARER_TOKEN_BEDROCK", credential, "AWS_REGION", "us-east-1");
  }

  @Override
  String path() {
    return "";
  }

  @Override
  String refusalBody(int status, String message) {
    return "{\"message\": \"" + message + "\"}";
  }

  @Override
  protected String knownArgument() {
    return "region";
  }

  @Override
  protected Map<Feature, String> lacking() {
    return Map.of(Feature.STREAMING, "ConverseStream has a form of its own, which is not read");
  }
}
