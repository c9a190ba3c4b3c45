package dev.weir.providers.google;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.model.Chunk;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Message;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.Tool;
import dev.weir.model.ToolCall;
import dev.weir.model.ToolChoice;
import dev.weir.model.Usage;
import dev.weir.model.spi.HttpAdapter;
import dev.weir.model.spi.Surroundings;
import dev.weir.providers.replay.Opened;
import dev.weir.providers.replay.ScriptedServer;
import dev.weir.providers.replay.ScriptedServer.Answer;
import dev.weir.time.Time;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Whole exchanges in the shapes of Google's public documentation, over a real connection. */
class GoogleReplayTest {

  private static final JsonMapper JSON = new JsonMapper();

  private static final Map<String, String> KEY = Map.of("GEMINI_API_KEY", "AIza-1");

  private static final List<Tool> TOOLS =
      List.of(
          new Tool(
              "check_flight",
              "Gets the current status of a flight.",
              "{\"type\": \"object\", \"properties\": {\"flight\": {\"type\": \"string\"}}}"));

  /** In the shape of https://ai.google.dev/api/generate-content, section "Response body". */
  private static final String ANSWER =
      """
      {"candidates": [{"content": {"parts": [{"text": "Flight AA100 "}, {"text": "is delayed."}],
         "role": "model"}, "finishReason": "STOP", "index": 0}],
       "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 7,
         "thoughtsTokenCount": 30, "totalTokenCount": 137, "cachedContentTokenCount": 64},
       "modelVersion": "gemini-3-pro", "responseId": "r1"}
      """;

  /** After the first example of https://ai.google.dev/gemini-api/docs/thought-signatures. */
  private static final String CALL =
      """
      {"candidates": [{"content": {"role": "model", "parts": [
         {"text": "The flight comes first.", "thought": true},
         {"functionCall": {"name": "check_flight", "args": {"flight": "AA100"}},
          "thoughtSignature": "c2lnbmF0dXJlIEE="}]}, "finishReason": "STOP"}],
       "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 3}}
      """;

  @Test
  void goesThroughALoopOfToolsWithSignedThoughts() throws Exception {
    try (var server = ScriptedServer.of(Answer.json(200, CALL), Answer.json(200, ANSWER))) {
      HttpAdapter model = Opened.model("google/gemini-3-pro", Map.of(), KEY, server.address());
      Message question = Message.user("Check flight status for AA100.");

      Response.Reply first =
          (Response.Reply)
              model.exchange(Request.of(List.of(question)).withTools(TOOLS, new ToolChoice.Auto()));

      assertThat(first.stopReason()).isEqualTo(StopReason.TOOL_CALLS);
      assertThat(first.message().reasoning()).isEqualTo("The flight comes first.");
      assertThat(first.message().text()).isEmpty();
      ToolCall call = first.message().toolCalls().getFirst();
      assertThat(call.name()).isEqualTo("check_flight");
      assertThat(call.arguments()).isEqualTo("{\"flight\":\"AA100\"}");

      Response.Reply second =
          (Response.Reply)
              model.exchange(
                  Request.of(
                          List.of(
                              question,
                              first.message(),
                              new Message.ToolResult(call.id(), call.name(), "delayed", false)))
                      .withTools(TOOLS, new ToolChoice.Auto()));

      assertThat(second.message().text()).isEqualTo("Flight AA100 is delayed.");
      assertThat(second.message().nativeForm()).isEmpty();
      assertThat(second.stopReason()).isEqualTo(StopReason.STOP);
      assertThat(second.usage()).isEqualTo(new Usage(100, 37, 64, 0, 30));

      ScriptedServer.Received sent = server.received().get(1);
      assertThat(sent.target()).isEqualTo("/v1beta/models/gemini-3-pro:generateContent");
      assertThat(sent.headers()).containsEntry("x-goog-api-key", "AIza-1");
      JsonNode contents = JSON.readTree(sent.body()).get("contents");
      assertThat(contents.at("/1/parts"))
          .isEqualTo(JSON.readTree(CALL).at("/candidates/0/content/parts"));
      assertThat(contents.at("/2/parts/0"))
          .isEqualTo(
              JSON.readTree(
                  """
                  {"functionResponse": {"name": "check_flight", "response": {"output": "delayed"}}}
                  """));
    }
  }

  @Test
  void putsAStreamTogether() throws Exception {
    // In the shape of
    // https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent
    String stream =
        """
        data: {"candidates": [{"content": {"parts": [{"text": "Hm.", "thought": true}], "role": "model"}}], "usageMetadata": {"promptTokenCount": 4}}

        data: {"candidates": [{"content": {"parts": [{"text": "Once "}], "role": "model"}}], "usageMetadata": {"promptTokenCount": 4, "candidatesTokenCount": 1}}

        data: {"candidates": [{"content": {"parts": [{"text": "upon"}], "role": "model"}}]}

        data: {"candidates": [{"content": {"parts": [{"functionCall": {"id": "fc1", "name": "f", "args": {"a": 1}}}], "role": "model"}}]}

        data: {"candidates": [{"content": {"parts": [{"text": "", "thoughtSignature": "c2ln"}], "role": "model"}, "finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 4, "candidatesTokenCount": 9, "thoughtsTokenCount": 2}}

        """;
    try (var server = ScriptedServer.of(Answer.events(stream))) {
      var pieces = new Opened.Pieces();

      Response.Reply reply =
          (Response.Reply)
              Opened.model("google/gemini-3-pro", Map.of(), KEY, server.address())
                  .exchange(Request.of("Tell a story."), pieces);

      assertThat(server.only().target())
          .isEqualTo("/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse");
      assertThat(reply.message().text()).isEqualTo("Once upon");
      assertThat(reply.stopReason()).isEqualTo(StopReason.TOOL_CALLS);
      assertThat(reply.usage()).isEqualTo(new Usage(4, 11, 0, 0, 2));
      assertThat(pieces.chunks())
          .containsExactly(
              new Chunk.Reasoning("Hm."),
              new Chunk.Text("Once "),
              new Chunk.Text("upon"),
              new Chunk.ToolCallPart(0, "fc1", "f", "{\"a\":1}"));
      assertThat(JSON.readTree(reply.message().nativeForm().orElseThrow().json()).get("parts"))
          .isEqualTo(
              JSON.readTree(
                  """
                  [{"text": "Hm.", "thought": true}, {"text": "Once upon"},
                   {"functionCall": {"id": "fc1", "name": "f", "args": {"a": 1}}},
                   {"text": "", "thoughtSignature": "c2ln"}]
                  """));
    }
  }

  /** A blocked question: https://ai.google.dev/api/generate-content#PromptFeedback. */
  @Test
  void takesABlockedQuestionForAnAnswer() throws Exception {
    String body =
        """
        {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
         "usageMetadata": {"promptTokenCount": 12, "totalTokenCount": 12}}
        """;
    try (var server =
        ScriptedServer.of(
            Answer.json(200, body), Answer.events("data: " + body.replace("\n", "") + "\n\n"))) {
      HttpAdapter model = Opened.model("google/m", Map.of(), KEY, server.address());

      for (Response response :
          List.of(
              model.exchange(Request.of("Hi")),
              model.exchange(Request.of("Hi"), new Opened.Pieces()))) {
        Response.Reply reply = (Response.Reply) response;
        assertThat(reply.message().text()).isEmpty();
        assertThat(reply.stopReason()).isEqualTo(StopReason.CONTENT_FILTER);
        assertThat(reply.usage().inputTokens()).isEqualTo(12);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "STOP, STOP",
    "MAX_TOKENS, MAX_TOKENS",
    "SAFETY, CONTENT_FILTER",
    "RECITATION, CONTENT_FILTER",
    "BLOCKLIST, CONTENT_FILTER",
    "PROHIBITED_CONTENT, CONTENT_FILTER",
    "SPII, CONTENT_FILTER",
    "MALFORMED_FUNCTION_CALL, UNKNOWN",
    "OTHER, UNKNOWN"
  })
  void saysWhyAnAnswerEnded(String word, StopReason expected) throws Exception {
    String body = "{\"candidates\": [{\"finishReason\": \"%s\"}]}".formatted(word);
    try (var server = ScriptedServer.of(Answer.json(200, body))) {
      Response.Reply reply =
          (Response.Reply)
              Opened.model("google/m", Map.of(), KEY, server.address()).exchange(Request.of("Hi"));

      assertThat(reply.stopReason()).isEqualTo(expected);
      assertThat(reply.message().text()).isEmpty();
    }
  }

  @Test
  void saysThatAReplyIsNoAnswer() throws Exception {
    try (var server =
        ScriptedServer.of(
            Answer.json(200, "{}"),
            Answer.events("data: {\"candidates\": [{\"content\": {\"parts\": []}}]}\n\n"))) {
      HttpAdapter model = Opened.model("google/m", Map.of(), KEY, server.address());

      assertThat(model.exchange(Request.of("Hi")))
          .isInstanceOfSatisfying(
              Response.UnreadableReply.class,
              reply -> assertThat(reply.message()).contains("`candidates` is missing"));
      assertThat(model.exchange(Request.of("Hi"), new Opened.Pieces()))
          .isInstanceOfSatisfying(
              Response.Transient.class,
              broken -> assertThat(broken.message()).contains("broke off"));
    }
  }

  /** After cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference. */
  @Test
  void findsAModelOnVertex() throws Exception {
    Map<String, String> environment =
        Map.of(
            "GOOGLE_CLOUD_PROJECT", "my-project",
            "GOOGLE_CLOUD_LOCATION", "us-central1",
            "VERTEX_ACCESS_TOKEN", "ya29.token");
    try (var server = ScriptedServer.of(Answer.json(200, ANSWER))) {
      Response response =
          Opened.model("vertex/gemini-2.5-pro", Map.of(), environment, server.address())
              .exchange(Request.of("Hi"));

      assertThat(response).isInstanceOf(Response.Reply.class);
      assertThat(server.only().target())
          .isEqualTo(
              "/v1beta1/projects/my-project/locations/us-central1/publishers/google/models/"
                  + "gemini-2.5-pro:generateContent");
      assertThat(server.only().headers()).containsEntry("authorization", "Bearer ya29.token");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "global, https://aiplatform.googleapis.com",
    "europe-west4, https://europe-west4-aiplatform.googleapis.com"
  })
  void knowsTheUsualPlacesOfVertex(String location, String expected) {
    var surroundings =
        new Surroundings(
            Time.system(),
            7,
            Map.of("GOOGLE_CLOUD_PROJECT", "p", "GOOGLE_ACCESS_TOKEN", "ya29.token"),
            java.util.Optional.empty());

    assertThat(
            Opened.model("vertex/gemini-2.5-pro", Map.of("location", location), surroundings)
                .endpoint())
        .isEqualTo(expected);
  }

  @Test
  void limitsBelongToTheProjectNotToTheToken() {
    Map<String, String> first =
        Map.of(
            "GOOGLE_CLOUD_PROJECT", "p",
            "GOOGLE_CLOUD_LOCATION", "global",
            "VERTEX_ACCESS_TOKEN", "ya29.morning");
    Map<String, String> later =
        Map.of(
            "GOOGLE_CLOUD_PROJECT", "p",
            "GOOGLE_CLOUD_LOCATION", "global",
            "VERTEX_ACCESS_TOKEN", "ya29.evening");

    assertThat(vertex(first).key()).isEqualTo(vertex(later).key());
  }

  @Test
  void namesWhatIsMissing() {
    var bare = new Surroundings(Time.system(), 7);
    assertThatThrownBy(() -> Opened.model("google/m", Map.of(), bare))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("GEMINI_API_KEY");
    assertThatThrownBy(() -> Opened.model("vertex/m", Map.of(), bare))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("GOOGLE_CLOUD_PROJECT");
    assertThatThrownBy(() -> Opened.model("vertex/m", Map.of("project", "p"), bare))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("GOOGLE_CLOUD_LOCATION");
    assertThatThrownBy(
            () -> Opened.model("vertex/m", Map.of("project", "p", "location", "l"), bare))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("VERTEX_ACCESS_TOKEN");
  }

  private static HttpAdapter vertex(Map<String, String> environment) {
    return Opened.model(
        "vertex/m",
        Map.of(),
        new Surroundings(Time.system(), 7, environment, java.util.Optional.empty()));
  }
}
