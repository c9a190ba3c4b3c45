package dev.weir.providers.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.model.Adapter;
import dev.weir.model.ConfigurationException;
import dev.weir.model.ModelName;
import dev.weir.model.spi.Surroundings;
import dev.weir.time.Time;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class OpenAiProviderTest {

  private static final ModelName MODEL = ModelName.parse("openai/gpt-4.1");

  private static Adapter open(Map<String, String> environment, String... arguments) {
    return new OpenAiProvider()
        .open(
            MODEL,
            RecordedServer.arguments(arguments),
            new Surroundings(Time.system(), 1, environment, Optional.empty()));
  }

  @Test
  void namesTheCredentialThatIsMissing() {
    assertThatThrownBy(() -> open(Map.of()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("openai/gpt-4.1")
        .hasMessageContaining("OPENAI_API_KEY");
  }

  @Test
  void namesTheArgumentThatWasMeant() {
    assertThatThrownBy(() -> open(Map.of("OPENAI_API_KEY", "k"), "organisation=x"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("did you mean 'organization'?");
    assertThatThrownBy(() -> open(Map.of("OPENAI_API_KEY", "k"), "stream=perhaps"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("true or false");
  }

  @Test
  void limitsBelongToKeyOrganisationProjectAndPlace() {
    var key = Map.of("OPENAI_API_KEY", "sk-one");
    Adapter plain = open(key);
    assertThat(plain.key().engine()).isEqualTo("openai");
    assertThat(plain.key().model()).isEqualTo("gpt-4.1");
    assertThat(plain.key().family()).isEmpty();
    assertThat(plain.endpoint()).isEqualTo("https://api.openai.com/v1");
    assertThat(open(key).key()).isEqualTo(plain.key());
    assertThat(open(key, "organization=o").key()).isNotEqualTo(plain.key());
    assertThat(open(key, "project=o").key()).isNotEqualTo(open(key, "organization=o").key());
    assertThat(open(Map.of("OPENAI_API_KEY", "sk-two")).key()).isNotEqualTo(plain.key());
    assertThat(
            open(Map.of("OPENAI_API_KEY", "sk-one", "OPENAI_BASE_URL", "http://127.0.0.1:1/v1"))
                .key())
        .isNotEqualTo(plain.key());
    assertThat(plain.key().toString()).doesNotContain("sk-one");
  }

  @Test
  void tellsOrganisationAndProject() throws Exception {
    try (var server = new RecordedServer()) {
      server
          .says("{}")
          .open("openai/gpt-4.1", Map.of("OPENAI_PROJECT_ID", "proj_1"), "organization=org_1")
          .exchange(RecordedServer.question());
      assertThat(server.last().header("openai-organization")).contains("org_1");
      assertThat(server.last().header("openai-project")).contains("proj_1");
    }
  }

  /** Only at OpenAI itself: another server may not have the Responses API. */
  @Test
  void modelsThatReasonAreAskedOverTheResponsesApi() throws Exception {
    var surroundings =
        new Surroundings(Time.system(), 1, Map.of("OPENAI_API_KEY", "k"), Optional.empty());
    assertThat(OpenAiProvider.api(ModelName.parse("openai/o4-mini"), Map.of(), surroundings))
        .isEqualTo(Api.RESPONSES);
    assertThat(OpenAiProvider.api(MODEL, Map.of(), surroundings)).isEqualTo(Api.CHAT);
    assertThat(OpenAiProvider.api(MODEL, Map.of("api", "responses"), surroundings))
        .isEqualTo(Api.RESPONSES);
    assertThat(
            OpenAiProvider.api(
                ModelName.parse("openai/o4-mini"), Map.of("api", "chat"), surroundings))
        .isEqualTo(Api.CHAT);
    try (var server = new RecordedServer()) {
      server.says("{}").open("openai/o4-mini").exchange(RecordedServer.question());
      assertThat(server.last().path()).isEqualTo("/v1/chat/completions");
    }
  }
}
