package dev.weir.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.model.ConfigurationException;
import java.net.URI;
import org.junit.jupiter.api.Test;

class RoleModelTest {

  @Test
  void aNameStandsAlone() {
    RoleModel role = RoleModel.parse("grader", "openai/gpt-4o");
    assertThat(role.name()).hasToString("openai/gpt-4o");
    assertThat(role.arguments()).isEmpty();
    assertThat(role.baseUrl()).isEmpty();
  }

  @Test
  void anObjectTellsArgumentsAndAddress() {
    RoleModel role =
        RoleModel.parse(
            "grader",
            """
            {"model": "sim/judge", "model_args": {"accuracy": 1}, "base_url": "http://127.0.0.1:1/v1"}\
            """);
    assertThat(role.name()).hasToString("sim/judge");
    assertThat(role.arguments()).containsEntry("accuracy", "1");
    assertThat(role.baseUrl()).contains(URI.create("http://127.0.0.1:1/v1"));
  }

  @Test
  void whatCannotBeUsedIsToldWithTheRole() {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> RoleModel.parse("grader", "{\"modle\": \"sim/x\"}"))
        .withMessageContaining("'grader'")
        .withMessageContaining("did you mean 'model'?");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> RoleModel.parse("grader", "{broken"))
        .withMessageContaining("'grader'");
  }
}
