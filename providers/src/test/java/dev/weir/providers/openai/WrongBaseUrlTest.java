package dev.weir.providers.openai;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.retry.Outcome;
import dev.weir.model.Adapter;
import dev.weir.model.Response;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A base URL that lacks a part, or has one too many, is recognised from the server's answer. */
class WrongBaseUrlTest {

  private static final String UNEXPECTED =
      "{\"error\":\"Unexpected endpoint or method. (POST /chat/completions)\"}";

  private RecordedServer server;

  @BeforeEach
  void start() throws Exception {
    server = new RecordedServer();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private Response.InvalidRequest asked(Adapter adapter) throws Exception {
    Response response = adapter.exchange(RecordedServer.question());
    assertThat(response).isInstanceOf(Response.InvalidRequest.class);
    return (Response.InvalidRequest) response;
  }

  @ParameterizedTest
  @CsvSource({
    "openai/gpt-4o,",
    "openai/gpt-4o, api=responses",
    "openai/gpt-4o, stream=true",
    "openai-api/acme/m,",
    "ollama/llama3.2,",
    "vllm/m,",
  })
  void aMissingVersionIsNamed(String model, String argument) throws Exception {
    server.says(404, Map.of(), "{\"detail\":\"Not Found\"}");
    String[] arguments = argument == null ? new String[0] : new String[] {argument};
    Response.InvalidRequest failure = asked(server.openAt("", model, arguments));
    assertThat(failure.message())
        .startsWith("404")
        .contains("Not Found; ")
        .endsWith(
            "the base URL %s has no /v1 at its end, which most servers need; set it to %s/v1"
                .formatted(server.address(), server.address()));
    assertThat(failure.reach())
        .as("no other request would fare better")
        .isEqualTo(Outcome.Reach.MODEL);
  }

  @Test
  void aSentenceOfTheServerLosesItsFullStop() throws Exception {
    server.says(404, Map.of(), "{\"error\": {\"message\": \"There is nothing here.\"}}");
    assertThat(asked(server.openAt("", "openai/gpt-4o")).message())
        .contains("There is nothing here; the base URL ");
  }

  @Test
  void aPathThatTakesNoPostIsNoServerOfModels() throws Exception {
    server.says(405, Map.of(), "<html><body>Method Not Allowed</body></html>");
    assertThat(asked(server.openAt("/llm", "openai/gpt-4o")).message())
        .endsWith("set it to " + server.address() + "/llm/v1");
  }

  /** LM Studio says so with status 200. */
  @Test
  void anErrorInsideAnAnswerIsRecognised() throws Exception {
    server.says(UNEXPECTED);
    Response.InvalidRequest failure = asked(server.openAt("", "lm-studio/m"));
    assertThat(failure.message()).endsWith("set it to " + server.address() + "/v1");
    assertThat(failure.reach()).isEqualTo(Outcome.Reach.MODEL);
  }

  @ParameterizedTest
  @CsvSource({"/v1/chat/completions, /chat/completions", "/v1/responses, /responses"})
  void thePathOfTheApiDoesNotBelongToIt(String given, String superfluous) throws Exception {
    server.says(404, Map.of(), "404 page not found");
    assertThat(asked(server.openAt(given, "openai/gpt-4o")).message())
        .endsWith(
            "the base URL must not include %s; set it to %s/v1"
                .formatted(superfluous, server.address()));
  }

  @Test
  void aModelThatIsUnknownSaysNothingAboutTheAddress() throws Exception {
    server.says(
        404,
        Map.of(),
        "{\"error\":{\"message\":\"model \\\"m\\\" not found, try pulling it first\"}}");
    assertThat(asked(server.openAt("", "ollama/m")).message()).doesNotContain("base URL");
    server.says(404, Map.of(), "{\"detail\":\"Not Found\"}");
    assertThat(asked(server.openAt("/openai/v1", "vllm/m")).message()).doesNotContain("base URL");
    assertThat(asked(server.openAt("/v1beta/openai", "vllm/m")).message())
        .doesNotContain("base URL");
  }
}
