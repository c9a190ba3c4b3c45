package dev.weir.providers.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.model.ConfigurationException;
import dev.weir.model.ModelName;
import dev.weir.model.spi.Providers;
import dev.weir.model.spi.Surroundings;
import dev.weir.time.Time;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is wrong with how a model is asked for is told before it is asked. */
class OpeningTest {

  private static final Map<String, String> VARIABLES =
      Map.of(
          "OPENAI_API_KEY", "key-of-nobody",
          "ANTHROPIC_API_KEY", "key-of-nobody",
          "GEMINI_API_KEY", "key-of-nobody",
          "VERTEX_ACCESS_TOKEN", "key-of-nobody",
          "GOOGLE_CLOUD_PROJECT", "project",
          "GOOGLE_CLOUD_LOCATION", "global",
          "AWS_ACCESS_KEY_ID", "id-of-nobody",
          "AWS_SECRET_ACCESS_KEY", "key-of-nobody",
          "AWS_SESSION_TOKEN", "key-of-nobody",
          "AWS_REGION", "us-east-1");

  private static void open(String name, Map<String, String> variables) {
    ModelName model = ModelName.parse(name);
    Providers.find(model)
        .open(model, Map.of(), new Surroundings(Time.system(), 1, variables, Optional.empty()));
  }

  private static Map<String, String> with(String variable, String value) {
    Map<String, String> variables = new HashMap<>(VARIABLES);
    variables.put(variable, value);
    return variables;
  }

  @ParameterizedTest
  @CsvSource({
    "openai/gpt-4o, OPENAI_API_KEY",
    "anthropic/claude-sonnet-4-5, ANTHROPIC_API_KEY",
    "google/gemini-2.5-flash, GEMINI_API_KEY",
    "vertex/gemini-2.5-flash, VERTEX_ACCESS_TOKEN",
    "bedrock/some.model, AWS_SECRET_ACCESS_KEY",
    "bedrock/some.model, AWS_SESSION_TOKEN",
  })
  void aCredentialThatFitsIntoNoHeaderIsRefused(String name, String variable) {
    open(name, VARIABLES);
    for (String odd : new String[] {"\n", "\u0007", "\u00fc", "\u201d"}) {
      assertThatThrownBy(() -> open(name, with(variable, "key-of" + odd + "nobody")))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining(variable)
          .satisfies(refused -> assertThat(refused.getMessage()).doesNotContain("key-of"));
    }
    open(name, with(variable, " key-of-nobody\n"));
  }

  @ParameterizedTest
  @CsvSource({
    "google/.., GEMINI_API_KEY, key",
    "google/a/../b, GEMINI_API_KEY, key",
    "google/models/./b, GEMINI_API_KEY, key",
    "vertex/publishers/../b, VERTEX_ACCESS_TOKEN, key",
    "vertex/gemini, GOOGLE_CLOUD_PROJECT, ..",
    "vertex/gemini, GOOGLE_CLOUD_PROJECT, a/../b",
    "vertex/gemini, GOOGLE_CLOUD_LOCATION, .",
    "bedrock/.., AWS_REGION, us-east-1",
    "bedrock/a/../b, AWS_REGION, us-east-1",
  })
  void aNameThatLeadsElsewhereIsRefused(String name, String variable, String value) {
    assertThatThrownBy(() -> open(name, with(variable, value)))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("'..'");
  }
}
