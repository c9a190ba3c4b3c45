package dev.weir.model.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.model.ConfigurationException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileVariablesTest {

  private static final String SECRET = "sk-0123456789";

  @TempDir Path directory;

  private Path file(String text) throws Exception {
    return Files.writeString(directory.resolve("secret"), text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "OPENAI_API_KEY",
        "OPENAI_API_KEY_TEAM_B",
        "ANTHROPIC_AUTH_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_ACCESS_KEY_ID",
        "AZURE_OPENAI_ENDPOINT",
        "OPENAI_BASE_URL",
        "WEIR_MODEL_ENGINE_LIMITS",
        "AIGW_MODEL_ENGINE_CONCURRENCY_LIMITS",
        "WEIR_MAX_CONNECTIONS"
      })
  void theValueStandsInTheFileWithoutItsLineBreak(String name) throws Exception {
    String variable = name + "_FILE";
    assertThat(FileVariables.resolved(Map.of(variable, file(SECRET + "\n").toString())))
        .containsEntry(name, SECRET)
        .containsKey(variable);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SSL_CERT_FILE",
        "COMPOSE_FILE",
        "AWS_CONFIG_FILE",
        "AWS_WEB_IDENTITY_TOKEN_FILE",
        "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
        "AZURE_FEDERATED_TOKEN_FILE"
      })
  void filesOfOthersAreLeftAlone(String variable) throws Exception {
    Map<String, String> environment = Map.of(variable, file(SECRET).toString());
    assertThat(FileVariables.resolved(environment)).isEqualTo(environment);
  }

  @Test
  void anEmptyVariableCountsAsUnset() {
    assertThat(FileVariables.resolved(Map.of("OPENAI_API_KEY_FILE", ""))).hasSize(1);
  }

  @Test
  void aValueThatIsGivenTwiceIsRejected() throws Exception {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(
            () ->
                FileVariables.resolved(
                    Map.of("WEIR_SEED", SECRET, "WEIR_SEED_FILE", file("other").toString())))
        .withMessage("WEIR_SEED and WEIR_SEED_FILE are both set; unset one of them");
    assertThat(
            FileVariables.resolved(
                Map.of("CONSUL_HTTP_TOKEN", "own", "CONSUL_HTTP_TOKEN_FILE", file("x").toString())))
        .containsEntry("CONSUL_HTTP_TOKEN", "own");
  }

  @Test
  void whatCannotBeReadIsNamedWithoutItsContent() throws Exception {
    Path missing = directory.resolve("none");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> FileVariables.resolved(Map.of("OPENAI_API_KEY_FILE", missing.toString())))
        .withMessage("OPENAI_API_KEY_FILE: the file that it names does not exist")
        .withNoCause();
    Path empty = file("\n");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> FileVariables.resolved(Map.of("OPENAI_API_KEY_FILE", empty.toString())))
        .withMessage("OPENAI_API_KEY_FILE: the file that it names is empty");
    Path binary = directory.resolve("binary");
    Files.write(binary, new byte[] {(byte) 0xC3, 0x28});
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> FileVariables.resolved(Map.of("OPENAI_API_KEY_FILE", binary.toString())))
        .withMessage("OPENAI_API_KEY_FILE: the file that it names is not UTF-8 text");
  }
}
