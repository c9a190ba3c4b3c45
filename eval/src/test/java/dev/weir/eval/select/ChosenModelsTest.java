package dev.weir.eval.select;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Secrets;
import dev.weir.eval.option.Settings;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ChosenModelsTest {

  private static ChosenModels of(Settings settings) {
    var secrets = new Secrets(Map.of("OPENAI_API_KEY", "sk-from-the-environment"));
    return new ChosenModels(RunOptions.parse(settings), secrets);
  }

  @Test
  void modelsThatWereNotChosenStay() {
    Settings settings =
        Settings.NONE
            .with("model", "openai/fixed")
            .with("model_args", Map.of("api", "chat"))
            .with("model_base_url", "http://127.0.0.1:8080/v1")
            .with("model_role", Map.of("grader", "openai/judge"));
    assertThat(of(settings).options(Map.of("critic", "openai/c")))
        .isEqualTo(
            Map.of(
                "model",
                "openai/fixed",
                "model_args",
                Map.of("api", "chat"),
                "model_base_url",
                "http://127.0.0.1:8080/v1",
                "model_role",
                Map.of("grader", "openai/judge", "critic", "openai/c")));
  }

  @Test
  void aCandidateWithItsOwnArgumentsTakesNoOthers() {
    Settings settings = Settings.NONE.with("model_args", Map.of("api", "chat"));
    assertThat(
            of(settings)
                .options(
                    Map.of("model", "{\"model\": \"openai/a\", \"base_url\": \"http://h/v1\"}")))
        .isEqualTo(Map.of("model", "openai/a", "model_base_url", "http://h/v1"));
  }

  @Test
  void credentialsAreLeftOut() {
    Settings settings =
        Settings.NONE.with(
            "model_args", Map.of("api_key", "abc", "other", "sk-from-the-environment"));
    Map<String, Object> options =
        of(settings)
            .options(
                Map.of(
                    "model",
                    "openai/a",
                    "critic",
                    "{\"model\": \"openai/b\", \"model_args\": {\"api_key\": \"abc\", \"api\":"
                        + " \"chat\"}, \"base_url\": \"http://me:abc@h/v1\"}"));
    assertThat(options)
        .isEqualTo(
            Map.of(
                "model",
                "openai/a",
                "model_role",
                Map.of(
                    "critic", Map.of("model", "openai/b", "model_args", Map.of("api", "chat")))));
  }
}
