package dev.weir.model.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.limits.EngineLimits;
import dev.weir.model.ConfigurationException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EngineLimitFileTest {

  @TempDir Path directory;

  private Path file(String text) throws Exception {
    return Files.writeString(directory.resolve("limits.yaml"), text);
  }

  @Test
  void enginesHaveLimitsOfTheirOwnAndModelsMayBePatterns() throws Exception {
    EngineLimits limits =
        EngineLimitFile.read(
            file(
                """
                engines:
                  anthropic:
                    concurrency: 15
                    models:
                      claude-haiku-*: {concurrency: 10, requests: 1000}
                      claude-opus-4-1: 5
                  openai:
                    models: {gpt-*: {total_tokens: 90000}}
                """));
    assertThat(limits.isEnforced()).isTrue();
    assertThat(limits.concurrency("anthropic")).hasValue(15);
    assertThat(limits.ceiling("anthropic", "claude-opus-4-1").concurrency()).hasValue(5);
    assertThat(limits.ceiling("anthropic", "claude-haiku-4-5").concurrency()).hasValue(10);
    assertThat(limits.ceiling("anthropic", "claude-haiku-4-5").rates().requestsPerMinute())
        .hasValue(1000);
    assertThat(limits.ceiling("openai", "gpt-4o").rates().tokensPerMinute()).hasValue(90_000);
    assertThat(limits.concurrency("openai")).isEmpty();
  }

  @Test
  void limitsThatAreOnlyMeasuredAgainst() throws Exception {
    EngineLimits limits =
        EngineLimitFile.read(file("enforce: false\nengines: {openai: {concurrency: 5}}"));
    assertThat(limits.isEnforced()).isFalse();
    assertThat(limits.concurrency("openai")).hasValue(5);
  }

  @Test
  void jsonIsYaml() throws Exception {
    assertThat(
            EngineLimitFile.read(file("{\"engines\": {\"openai\": {\"models\": {\"gpt-4o\": 3}}}}"))
                .ceiling("openai", "gpt-4o")
                .concurrency())
        .hasValue(3);
  }

  /** 4711 stands for a limit, secret-name for the name of a model under contract. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          engines: {openai: {models: {secret-name: -4711}}}              | the limit of model 1 of engine 1 must be a whole number
          engines: {openai: {models: {secret-name: 4711.5}}}             | the limit of model 1 of engine 1 must be a whole number
          engines: {openai: {concurrency: 4711x}}                        | 'concurrency' of engine 1 must be a whole number
          engines: {openai: {concurency: 4711}}                          | engine 1 has an unknown key; did you mean 'concurrency'?
          engines: {openai: {models: {secret-name: {tokens: 4711}}}}     | model 1 of engine 1 has an unknown key
          engines: {openai: {models: {secret-name: 4711, secret-name: 4}}} | the file is not YAML, or has a key twice (line 1, column
          engines: [4711]                                                | 'engines' must be an object
          engines: {openai: 4711}                                        | engine 1 must be an object
          enforce: 4711                                                  | 'enforce' must be true or false
          engines: {null: {concurrency: 4711}}                           | a key is empty
          engines: &a {openai: *a}                                       | the file is
          limits: 4711                                                   | the file has an unknown key
          4711                                                           | the file must be an object
          {4711: [                                                       | the file is not YAML
          """)
  void whatIsWrongIsSaidWithoutTheLimits(String text, String problem) throws Exception {
    Path file = file(text);
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> EngineLimitFile.read(file))
        .withMessageStartingWith(file + ": " + problem)
        .withMessageNotContainingAny("4711", "secret-name")
        .withNoCause();
  }
}
