package dev.weir.providers.anthropic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.model.Adapter;
import dev.weir.model.Chunk;
import dev.weir.model.ConfigurationException;
import dev.weir.model.GenerationSettings;
import dev.weir.model.Message;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.ToolCall;
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

/** Whole exchanges in the shapes of platform.claude.com/docs, over a real connection. */
class AnthropicReplayTest {

  private static final JsonMapper JSON = new JsonMapper();
  private static final String NAME = "anthropic/claude-sonnet-4-5";

  /** After platform.claude.com/docs/en/build-with-claude/streaming, thinking and tool use. */
  private static final String THINKING_STREAM =
      """
      event: message_start
      data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"claude-sonnet-4-5","stop_reason":null,"usage":{"input_tokens":20,"cache_creation_input_tokens":5,"cache_read_input_tokens":100,"output_tokens":1}}}

      event: content_block_start
      data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

      event: ping
      data: {"type": "ping"}

      event: content_block_delta
      data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Weather "}}

      event: content_block_delta
      data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"first."}}

      event: content_block_delta
      data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQBCgIYAhIM"}}

      event: content_block_stop
      data: {"type":"content_block_stop","index":0}

      event: content_block_start
      data: {"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"EmwKAhgB"}}

      event: content_block_start
      data: {"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}

      event: content_block_delta
      data: {"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"Okay, "}}

      event: content_block_delta
      data: {"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"let me see."}}

      event: content_block_start
      data: {"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_1","name":"get_weather","input":{}}}

      event: content_block_delta
      data: {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":""}}

      event: content_block_delta
      data: {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\\"location\\":"}}

      event: content_block_delta
      data: {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":" \\"Paris\\"}"}}

      event: content_block_stop
      data: {"type":"content_block_stop","index":3}

      event: message_delta
      data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":89}}

      event: message_stop
      data: {"type":"message_stop"}

      """;

  private static final String ANSWER =
      """
      {"id": "msg_2", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
       "content": [{"type": "text", "text": "Sunny."}], "stop_reason": "end_turn",
       "stop_sequence": null, "usage": {"input_tokens": 9, "output_tokens": 4}}
      """;

  @Test
  void putsAStreamTogether() throws Exception {
    try (var server = ScriptedServer.of(Answer.events(THINKING_STREAM))) {
      var pieces = new Opened.Pieces();

      Response.Reply reply =
          (Response.Reply) model(server).exchange(Request.of("Weather in Paris?"), pieces);

      assertThat(reply.message().text()).isEqualTo("Okay, let me see.");
      assertThat(reply.message().reasoning()).isEqualTo("Weather first.");
      assertThat(reply.message().toolCalls())
          .containsExactly(new ToolCall("toolu_1", "get_weather", "{\"location\": \"Paris\"}"));
      assertThat(reply.stopReason()).isEqualTo(StopReason.TOOL_CALLS);
      assertThat(reply.usage()).isEqualTo(new Usage(125, 89, 100, 5, 0));
      assertThat(pieces.chunks())
          .containsExactly(
              new Chunk.Reasoning("Weather "),
              new Chunk.Reasoning("first."),
              new Chunk.Text("Okay, "),
              new Chunk.Text("let me see."),
              new Chunk.ToolCallPart(0, "toolu_1", "get_weather", ""),
              new Chunk.ToolCallPart(0, "toolu_1", "", "{\"location\":"),
              new Chunk.ToolCallPart(0, "toolu_1", "", " \"Paris\"}"));
    }
  }

  @Test
  void sendsSignedThoughtsBackUntouched() throws Exception {
    try (var server = ScriptedServer.of(Answer.events(THINKING_STREAM), Answer.json(200, ANSWER))) {
      HttpAdapter model = model(server);
      Message question = Message.user("Weather in Paris?");
      Response.Reply first = (Response.Reply) model.exchange(Request.of(List.of(question)));

      Response.Reply second =
          (Response.Reply)
              model.exchange(
                  Request.of(
                      List.of(
                          question,
                          first.message(),
                          new Message.ToolResult("toolu_1", "get_weather", "sunny", false))));

      assertThat(second.message().text()).isEqualTo("Sunny.");
      assertThat(second.message().nativeForm()).isEmpty();
      JsonNode sent = JSON.readTree(server.received().get(1).body());
      assertThat(sent.at("/messages/1/content"))
          .isEqualTo(
              JSON.readTree(
                  """
                  [{"type": "thinking", "thinking": "Weather first.", "signature": "EqQBCgIYAhIM"},
                   {"type": "redacted_thinking", "data": "EmwKAhgB"},
                   {"type": "text", "text": "Okay, let me see."},
                   {"type": "tool_use", "id": "toolu_1", "name": "get_weather",
                    "input": {"location": "Paris"}}]
                  """));
      assertThat(sent.at("/messages/2/content/0/tool_use_id").asString()).isEqualTo("toolu_1");
    }
  }

  @Test
  void readsAWholeAnswerWithThoughts() throws Exception {
    // After platform.claude.com/docs/en/build-with-claude/extended-thinking.
    String body =
        """
        {"type": "message", "role": "assistant", "stop_reason": "tool_use", "content": [
          {"type": "thinking", "thinking": "Hm.", "signature": "WaUjz"},
          {"type": "tool_use", "id": "t", "name": "f", "input": {"a": [1, 2.5]}}],
         "usage": {"input_tokens": 1, "output_tokens": 2}}
        """;
    try (var server = ScriptedServer.of(Answer.json(200, body))) {
      Response.Reply reply =
          (Response.Reply) model(server, Map.of("stream", "false")).exchange(Request.of("Hi"));

      assertThat(reply.message().reasoning()).isEqualTo("Hm.");
      assertThat(reply.message().toolCalls().getFirst().arguments()).isEqualTo("{\"a\":[1,2.5]}");
      assertThat(JSON.readTree(reply.message().nativeForm().orElseThrow().json()).get("content"))
          .isEqualTo(JSON.readTree(body).get("content"));
      assertThat(JSON.readTree(server.only().body()).has("stream")).isFalse();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "end_turn, STOP",
    "stop_sequence, STOP",
    "max_tokens, MAX_TOKENS",
    "model_context_window_exceeded, MAX_TOKENS",
    "tool_use, TOOL_CALLS",
    "refusal, CONTENT_FILTER",
    "pause_turn, UNKNOWN"
  })
  void saysWhyAnAnswerEnded(String word, StopReason expected) throws Exception {
    try (var server = ScriptedServer.of(Answer.json(200, ANSWER.replace("end_turn", word)))) {
      Response.Reply reply = (Response.Reply) model(server).exchange(Request.of("Hi"));

      assertThat(reply.stopReason()).isEqualTo(expected);
    }
  }

  @Test
  void sendsCredentialVersionAndBetas() throws Exception {
    try (var server = ScriptedServer.of(Answer.json(200, ANSWER), Answer.json(200, ANSWER))) {
      var unused =
          model(server, Map.of("betas", "context-1m-2025-08-07")).exchange(Request.of("Hi"));
      var unusedToo =
          Opened.model(NAME, Map.of(), Map.of("ANTHROPIC_AUTH_TOKEN", "token-1"), server.address())
              .exchange(Request.of("Hi"));

      ScriptedServer.Received withKey = server.received().get(0);
      assertThat(withKey.target()).isEqualTo("/v1/messages");
      assertThat(withKey.headers())
          .containsEntry("x-api-key", "sk-ant-1")
          .containsEntry("anthropic-version", "2023-06-01")
          .containsEntry("anthropic-beta", "context-1m-2025-08-07")
          .doesNotContainKey("authorization");
      assertThat(JSON.readTree(withKey.body()).get("stream").asBoolean()).isTrue();
      assertThat(server.received().get(1).headers())
          .containsEntry("authorization", "Bearer token-1")
          .doesNotContainKeys("x-api-key", "anthropic-beta");
      assertThat(List.of(unused, unusedToo)).allMatch(Response.Reply.class::isInstance);
    }
  }

  @Test
  void saysThatAStreamBrokeOff() throws Exception {
    String cut = THINKING_STREAM.substring(0, THINKING_STREAM.indexOf("event: message_delta"));
    try (var server = ScriptedServer.of(Answer.events(cut))) {
      assertThat(model(server).exchange(Request.of("Hi")))
          .isInstanceOfSatisfying(
              Response.Transient.class,
              broken -> assertThat(broken.message()).contains("broke off"));
    }
  }

  @Test
  void reservesWhatItSends() throws Exception {
    try (var server = ScriptedServer.of()) {
      Adapter model = model(server);
      assertThat(model.maxTokens(Request.of("Hi"))).hasValue(4_096);
      assertThat(model.maxTokens(Request.of("Hi").with(GenerationSettings.NONE.withMaxTokens(9))))
          .hasValue(9);
    }
  }

  @ParameterizedTest
  @CsvSource({"{}, `content` is missing", "<html>, it is a web page", "'', it is empty"})
  void saysThatABodyIsNoMessage(String body, String words) throws Exception {
    try (var server = ScriptedServer.of(Answer.json(200, body))) {
      assertThat(model(server).exchange(Request.of("Hi")))
          .isInstanceOfSatisfying(
              Response.UnreadableReply.class,
              unreadable -> assertThat(unreadable.message()).contains(words));
    }
  }

  @Test
  void namesAMissingCredentialAndAWrongArgument() {
    var bare = new Surroundings(Time.system(), 7);
    assertThatThrownBy(() -> Opened.model(NAME, Map.of(), bare))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("ANTHROPIC_API_KEY");
    assertThatThrownBy(() -> Opened.model(NAME, Map.of("beta", "x"), bare))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("did you mean 'betas'?");
  }

  private static HttpAdapter model(ScriptedServer server) {
    return model(server, Map.of());
  }

  private static HttpAdapter model(ScriptedServer server, Map<String, String> arguments) {
    return Opened.model(NAME, arguments, Map.of("ANTHROPIC_API_KEY", "sk-ant-1"), server.address());
  }
}
