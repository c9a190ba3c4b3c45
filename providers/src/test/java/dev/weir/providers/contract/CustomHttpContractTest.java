package dev.weir.providers.contract;

import dev.weir.model.ModelName;
import dev.weir.testkit.Feature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A server that a file describes. */
class CustomHttpContractTest extends SimulatorContract {

  private static final String CHAT =
      """
      url: /v1/chat/completions
      headers: {authorization: 'Bearer ${WEIR_TEST_KEY}'}
      model: small
      body:
        model: '{{model}}'
        messages: '{{messages}}'
        max_tokens: '{{max_tokens}}'
        tools: '{{tools}}'
        tool_choice: '{{tool_choice}}'
      response:
        text: $.choices[0].message.content
        tool_calls: $.choices[0].message.tool_calls
        stop_reason: $.choices[0].finish_reason
        usage: {input: $.usage.prompt_tokens, output: $.usage.completion_tokens}
      """;

  @TempDir Path folder;

  @BeforeEach
  void describe() throws IOException {
    Files.writeString(folder.resolve("chat.yaml"), CHAT);
  }

  @Override
  protected ModelName model() {
    return ModelName.parse("http:" + folder.resolve("chat.yaml"));
  }

  @Override
  protected String knownArgument() {
    return "model";
  }

  @Override
  protected Map<String, String> environment(String credential) {
    return Map.of("WEIR_TEST_KEY", credential);
  }

  @Override
  String path() {
    return "";
  }

  @Override
  String refusalBody(int status, String message) {
    return "{\"error\": {\"message\": \"" + message + "\"}}";
  }

  @Override
  protected Map<Feature, String> lacking() {
    return Map.of(Feature.STREAMING, "a described server answers at once");
  }
}
