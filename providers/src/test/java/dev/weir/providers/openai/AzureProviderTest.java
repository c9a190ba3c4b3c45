package dev.weir.providers.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.model.Adapter;
import dev.weir.model.ConfigurationException;
import dev.weir.model.GenerationSettings;
import dev.weir.model.ModelName;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.Usage;
import dev.weir.model.spi.Surroundings;
import dev.weir.time.Time;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AzureProviderTest {

  private static final String RESOURCE = "https://my-resource.openai.azure.com";

  private static Adapter open(Map<String, String> environment) {
    return new AzureProvider()
        .open(
            ModelName.parse("azure/my-deployment"),
            Map.of(),
            new Surroundings(Time.system(), 1, environment, Optional.empty()));
  }

  @Test
  void findsItsResource() {
    var key = Map.of("AZURE_OPENAI_API_KEY", "k");
    assertThatThrownBy(() -> open(key))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("AZURE_OPENAI_ENDPOINT");
    for (String endpoint :
        new String[] {
          RESOURCE, RESOURCE + "/", RESOURCE + "/openai/v1", RESOURCE + "/openai/v1/"
        }) {
      assertThat(
              open(Map.of("AZURE_OPENAI_API_KEY", "k", "AZURE_OPENAI_ENDPOINT", endpoint))
                  .endpoint())
          .isEqualTo(RESOURCE + "/openai/v1");
    }
    assertThat(
            open(Map.of(
                    "AZURE_OPENAI_API_KEY", "k",
                    "AZURE_OPENAI_BASE_URL", "https://gateway.example.com/ai",
                    "AZURE_OPENAI_ENDPOINT", RESOURCE))
                .endpoint())
        .isEqualTo("https://gateway.example.com/ai");
  }

  @Test
  void namesTheCredentialsThatAreMissing() {
    assertThatThrownBy(() -> open(Map.of("AZURE_OPENAI_ENDPOINT", RESOURCE)))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("AZURE_OPENAI_API_KEY")
        .hasMessageContaining("AZURE_OPENAI_AD_TOKEN");
  }

  @Test
  void limitsBelongToADeploymentOfAResource() {
    Adapter adapter = open(Map.of("AZURE_OPENAI_API_KEY", "k", "AZURE_OPENAI_ENDPOINT", RESOURCE));
    assertThat(adapter.key().engine()).isEqualTo("azure");
    assertThat(adapter.key().model()).isEqualTo("my-deployment");
    assertThat(
            open(Map.of(
                    "AZURE_OPENAI_API_KEY",
                    "k",
                    "AZURE_OPENAI_ENDPOINT",
                    "https://other.openai.azure.com"))
                .key())
        .isNotEqualTo(adapter.key());
  }

  /**
   * An exchange built from Azure's reference of the v1 API (learn.microsoft.com,
   * azure/ai-foundry/openai/latest): the answer of OpenAI, with what the filters found.
   */
  @Test
  void asksWithAKey() throws Exception {
    try (var server = new RecordedServer()) {
      Response response =
          server
              .says(
                  """
                  {"id":"chatcmpl-1","object":"chat.completion","model":"gpt-4o-2024-08-06",
                   "prompt_filter_results":[{"prompt_index":0,"content_filter_results":{
                     "hate":{"filtered":false,"severity":"safe"}}}],
                   "choices":[{"index":0,"finish_reason":"content_filter",
                     "content_filter_results":{"violence":{"filtered":true,"severity":"high"}},
                     "message":{"role":"assistant","content":"Par"}}],
                   "usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}
                  """)
              .open("azure/my-deployment")
              .exchange(RecordedServer.question().with(GenerationSettings.NONE.withMaxTokens(10)));
      assertThat(((Response.Reply) response).stopReason()).isEqualTo(StopReason.CONTENT_FILTER);
      assertThat(((Response.Reply) response).usage()).isEqualTo(new Usage(9, 1));
      assertThat(server.last().path()).isEqualTo("/v1/chat/completions");
      assertThat(server.last().header("api-key")).contains(RecordedServer.KEY);
      assertThat(server.last().header("authorization")).isEmpty();
      assertThat(server.asked().at("/model").asString()).isEqualTo("my-deployment");
      assertThat(server.asked().at("/max_completion_tokens").asInt()).isEqualTo(10);
    }
  }

  /** The first piece of a stream holds what the filters found in the prompt, and no choice. */
  @Test
  void readsAStreamThatBeginsWithFilters() throws Exception {
    try (var server = new RecordedServer()) {
      Response response =
          server
              .streams(
                  """
                  data: {"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[{"prompt_index":0,"content_filter_results":{}}]}

                  data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Paris"},"finish_reason":null,"content_filter_results":{}}]}

                  data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop","content_filter_results":{}}]}

                  data: [DONE]

                  """)
              .open("azure/my-deployment", "stream=true")
              .exchange(RecordedServer.question());
      assertThat(((Response.Reply) response).message().text()).isEqualTo("Paris");
    }
  }

  @Test
  void asksWithATokenAndOverTheResponsesApi() throws Exception {
    try (var server = new RecordedServer()) {
      server
          .says("{\"status\":\"completed\",\"output\":[]}")
          .open(
              "azure/my-deployment",
              Map.of("AZURE_OPENAI_API_KEY", "", "AZURE_OPENAI_AD_TOKEN", "eyJ0-token"),
              "api=responses")
          .exchange(RecordedServer.question());
      assertThat(server.last().path()).isEqualTo("/v1/responses");
      assertThat(server.last().header("authorization")).contains("Bearer eyJ0-token");
      assertThat(server.last().header("api-key")).isEmpty();
    }
  }
}
