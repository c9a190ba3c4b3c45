package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.model.spi.Providers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ModelNameTest {

  @Test
  void splitsAtTheFirstSlash() {
    assertThat(ModelName.parse("openai-api/vllm/llama-3"))
        .isEqualTo(new ModelName("openai-api", "vllm/llama-3"))
        .hasToString("openai-api/vllm/llama-3");
  }

  @ParameterizedTest
  @CsvSource({
    "exec:./model.sh, exec, ./model.sh",
    "exec:/opt/model.yaml, exec, /opt/model.yaml",
    "exec/conf/model.yaml, exec, conf/model.yaml",
    "http:model.yaml, http, model.yaml",
    "sim/exec:x, sim, exec:x",
  })
  void aFileMayFollowAColon(String text, String provider, String model) {
    assertThat(ModelName.parse(text)).isEqualTo(new ModelName(provider, model));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "demo", "/demo", "sim/", "exec:", "sim:demo"})
  void refusesWhatHasNoTwoParts(String text) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> ModelName.parse(text))
        .withMessageContaining("'" + text + "'")
        .withMessageContaining("provider/model");
  }

  @ParameterizedTest
  @CsvSource({
    "gpt-4o, openai/gpt-4o",
    "o3-mini, openai/o3-mini",
    "claude-sonnet-4-5, anthropic/claude-sonnet-4-5",
    "gemini-2.5-pro, google/gemini-2.5-pro",
    "grok-4, xai/grok-4",
    "mistral-large-latest, mistral/mistral-large-latest",
    "deepseek-chat, deepseek/deepseek-chat",
    "llama3.2:3b, ollama/llama3.2:3b",
    "gpt-oss:20b, ollama/gpt-oss:20b",
    "openai:chat:gpt-4o, openai/gpt-4o",
    "sim:demo, sim/demo",
  })
  void suggestsTheProviderOfAModelThatIsKnown(String text, String suggested) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> ModelName.parse(text))
        .withMessageEndingWith(
            "'%s' is not of the form provider/model; did you mean '%s'?", text, suggested);
  }

  @Test
  void unknownProvidersAreNamed() {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Providers.find(ModelName.parse("nobody/x")))
        .withMessageContaining("there is no provider 'nobody'");
  }
}
