package dev.weir.providers.bedrock;

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
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Whole exchanges in the shapes of AWS's public documentation, over a real connection. */
class BedrockReplayTest {

  /**
   * In the shape of the example at
   * docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-call.html, with a cache.
   */
  static final String ANSWER =
      """
      {"output": {"message": {"role": "assistant", "content": [
         {"text": "The most popular song on WZPZ is Elemental Hotel by 8 Storey Hike."}]}},
       "stopReason": "end_turn",
       "usage": {"inputTokens": 30, "outputTokens": 62, "totalTokens": 192,
         "cacheReadInputTokens": 80, "cacheWriteInputTokens": 20},
       "metrics": {"latencyMs": 1175}}
      """;

  private static final JsonMapper JSON = new JsonMapper();

  /** After docs.aws.amazon.com/bedrock/latest/userguide/tool-use-inference-call.html. */
  private static final List<Tool> TOOLS =
      List.of(
          new Tool(
              "top_song",
              "Get the most popular song played on a radio station.",
              "{\"type\": \"object\", \"properties\": {\"sign\": {\"type\": \"string\"}},"
                  + " \"required\": [\"sign\"]}"));

  /** The same, after a thought as in …/APIReference/API_runtime_ReasoningTextBlock.html. */
  private static final String CALL =
      """
      {"output": {"message": {"role": "assistant", "content": [
         {"reasoningContent": {"reasoningText": {"text": "Ask the tool.", "signature": "c2ln"}}},
         {"text": "Let me look."},
         {"toolUse": {"toolUseId": "tooluse_hbTgdi0CSLq_hM4P8csZJA", "name": "top_song",
           "input": {"sign": "WZPZ"}}}]}},
       "stopReason": "tool_use",
       "usage": {"inputTokens": 10, "outputTokens": 5, "totalTokens": 15}}
      """;

  private static final Map<String, String> API_KEY =
      Map.of("AWS_BEARER_TOKEN_BEDROCK", "bedrock-key-1", "AWS_REGION", "us-east-1");

  @Test
  void goesThroughALoopOfTools() throws Exception {
    try (var server =
        ScriptedServer.of(
            Answer.json(200, CALL).with("x-amzn-RequestId", "r-1"), Answer.json(200, ANSWER))) {
      HttpAdapter model = model(server);
      Message question = Message.user("What is the most popular song on WZPZ?");

      Response.Reply first =
          (Response.Reply)
              model.exchange(Request.of(List.of(question)).withTools(TOOLS, new ToolChoice.Auto()));

      assertThat(first.stopReason()).isEqualTo(StopReason.TOOL_CALLS);
      assertThat(first.message().reasoning()).isEqualTo("Ask the tool.");
      assertThat(first.message().text()).isEqualTo("Let me look.");
      assertThat(first.message().toolCalls())
          .containsExactly(
              new ToolCall("tooluse_hbTgdi0CSLq_hM4P8csZJA", "top_song", "{\"sign\":\"WZPZ\"}"));
      assertThat(first.origin().requestId()).contains("r-1");

      Response.Reply second =
          (Response.Reply)
              model.exchange(
                  Request.of(
                          List.of(
                              question,
                              first.message(),
                              new Message.ToolResult(
                                  "tooluse_hbTgdi0CSLq_hM4P8csZJA",
                                  "top_song",
                                  "Elemental Hotel",
                                  false)))
                      .withTools(TOOLS, new ToolChoice.Auto()));

      assertThat(second.message().text()).contains("8 Storey Hike");
      assertThat(second.message().nativeForm()).isEmpty();
      assertThat(second.stopReason()).isEqualTo(StopReason.STOP);
      assertThat(second.usage()).isEqualTo(new Usage(130, 62, 80, 20, 0));

      ScriptedServer.Received sent = server.received().get(1);
      assertThat(sent.method()).isEqualTo("POST");
      assertThat(sent.target()).isEqualTo("/model/us.anthropic.claude-sonnet-4-5%3A0/converse");
      assertThat(sent.headers())
          .containsEntry("authorization", "Bearer bedrock-key-1")
          .containsEntry("content-type", "application/json")
          .containsEntry("accept", "application/json");
      JsonNode messages = JSON.readTree(sent.body()).get("messages");
      assertThat(messages.at("/1/content"))
          .isEqualTo(JSON.readTree(CALL).at("/output/message/content"));
      assertThat(messages.at("/2/content/0/toolResult/toolUseId").asString())
          .isEqualTo("tooluse_hbTgdi0CSLq_hM4P8csZJA");
    }
  }

  @Test
  void tellsAWholeAnswerAsPieces() throws Exception {
    try (var server = ScriptedServer.of(Answer.json(200, CALL))) {
      var pieces = new Opened.Pieces();

      assertThat(model(server).exchange(Request.of("Hi"), pieces))
          .isInstanceOf(Response.Reply.class);

      assertThat(pieces.chunks())
          .containsExactly(
              new Chunk.Reasoning("Ask the tool."),
              new Chunk.Text("Let me look."),
              new Chunk.ToolCallPart(
                  0, "tooluse_hbTgdi0CSLq_hM4P8csZJA", "top_song", "{\"sign\":\"WZPZ\"}"));
    }
  }

  /** As listed at …/APIReference/API_runtime_Converse.html, response field stopReason. */
  @ParameterizedTest
  @CsvSource({
    "end_turn, STOP",
    "stop_sequence, STOP",
    "tool_use, TOOL_CALLS",
    "max_tokens, MAX_TOKENS",
    "model_context_window_exceeded, MAX_TOKENS",
    "guardrail_intervened, CONTENT_FILTER",
    "content_filtered, CONTENT_FILTER",
    "malformed_tool_use, UNKNOWN"
  })
  void saysWhyAnAnswerEnded(String word, StopReason expected) throws Exception {
    try (var server = ScriptedServer.of(Answer.json(200, ANSWER.replace("end_turn", word)))) {
      Response.Reply reply = (Response.Reply) model(server).exchange(Request.of("Hi"));

      assertThat(reply.stopReason()).isEqualTo(expected);
    }
  }

  @Test
  void saysThatAReplyIsNoAnswer() throws Exception {
    try (var server = ScriptedServer.of(Answer.json(200, "{\"output\": {}}"))) {
      assertThat(model(server).exchange(Request.of("Hi")))
          .isInstanceOfSatisfying(
              Response.UnreadableReply.class,
              reply -> assertThat(reply.message()).contains("`output.message.content` is missing"));
    }
  }

  @Test
  void knowsTheUsualPlace() {
    var surroundings = new Surroundings(Time.system(), 7, API_KEY, Optional.empty());

    assertThat(Opened.model("bedrock/m", Map.of("region", "eu-central-1"), surroundings).endpoint())
        .isEqualTo("https://bedrock-runtime.eu-central-1.amazonaws.com");
    assertThat(Opened.model("bedrock/m", Map.of(), surroundings).endpoint())
        .isEqualTo("https://bedrock-runtime.us-east-1.amazonaws.com");
  }

  @Test
  void namesWhatIsMissing() {
    assertWrong(Map.of(), Map.of(), "AWS_REGION");
    assertWrong(Map.of("region", "us east"), Map.of(), "such as us-east-1");
    assertWrong(
        Map.of("region", "us-east-1"), Map.of(), "AWS_BEARER_TOKEN_BEDROCK or AWS_ACCESS_KEY_ID");
    assertWrong(
        Map.of("region", "us-east-1"), Map.of("AWS_ACCESS_KEY_ID", "A"), "AWS_SECRET_ACCESS_KEY");
  }

  private static void assertWrong(
      Map<String, String> arguments, Map<String, String> environment, String words) {
    var surroundings = new Surroundings(Time.system(), 7, environment, Optional.empty());
    assertThatThrownBy(() -> Opened.model("bedrock/m", arguments, surroundings))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(words);
  }

  private static HttpAdapter model(ScriptedServer server) {
    return Opened.model(
        "bedrock/us.anthropic.claude-sonnet-4-5:0", Map.of(), API_KEY, server.address());
  }
}
