package dev.weir.providers.openai;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.Chunk;
import dev.weir.model.Content;
import dev.weir.model.GenerationSettings;
import dev.weir.model.Message;
import dev.weir.model.ReasoningEffort;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.ResponseSchema;
import dev.weir.model.StopReason;
import dev.weir.model.Tool;
import dev.weir.model.ToolCall;
import dev.weir.model.ToolChoice;
import dev.weir.model.Usage;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Chat completions as the reference documents them, over a real connection. */
class ChatCompletionsWireTest {

  private static final String ANSWER =
      """
      {"id":"chatcmpl-1","object":"chat.completion","created":1741569952,"model":"gpt-4.1",
       "choices":[{"index":0,"message":{"role":"assistant","content":"Paris.","refusal":null},
                   "logprobs":null,"finish_reason":"stop"}],
       "usage":{"prompt_tokens":19,"completion_tokens":10,"total_tokens":29,
                "prompt_tokens_details":{"cached_tokens":8},
                "completion_tokens_details":{"reasoning_tokens":4}}}
      """;

  private static final Tool WEATHER =
      new Tool(
          "get_weather",
          "Tells the weather.",
          "{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"}}}");

  private RecordedServer server;

  @BeforeEach
  void start() throws Exception {
    server = new RecordedServer();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void writesAConversation() throws Exception {
    var call = new ToolCall("call_1", "get_weather", "{\"city\":\"Oslo\"}");
    Request request =
        Request.of(
                List.of(
                    Message.instructions("Be brief."),
                    new Message.User(
                        List.of(
                            new Content.Text("What is this?"),
                            new Content.Image("https://example.com/cat.png"))),
                    new Message.Assistant("", "", List.of(call), Optional.empty()),
                    new Message.ToolResult("call_1", "get_weather", "rain", false)))
            .withTools(List.of(WEATHER), new ToolChoice.Named("get_weather"));
    server.says(ANSWER).open("openai/gpt-4.1").exchange(request);

    assertThat(server.asked())
        .isEqualTo(
            RecordedServer.json(
                """
                {"model":"gpt-4.1","messages":[
                  {"role":"system","content":"Be brief."},
                  {"role":"user","content":[
                    {"type":"text","text":"What is this?"},
                    {"type":"image_url","image_url":{"url":"https://example.com/cat.png"}}]},
                  {"role":"assistant","content":"","tool_calls":[
                    {"id":"call_1","type":"function",
                     "function":{"name":"get_weather","arguments":"{\\"city\\":\\"Oslo\\"}"}}]},
                  {"role":"tool","tool_call_id":"call_1","content":"rain"}],
                 "tools":[{"type":"function","function":{
                   "name":"get_weather","description":"Tells the weather.",
                   "parameters":{"type":"object","properties":{"city":{"type":"string"}}}}}],
                 "tool_choice":{"type":"function","function":{"name":"get_weather"}}}
                """));
  }

  @Test
  void writesAllSettingsAndLetsExtraFieldsWin() throws Exception {
    GenerationSettings settings =
        GenerationSettings.NONE
            .withTemperature(0.5)
            .withTopP(0.9)
            .withMaxTokens(100)
            .withSeed(7)
            .withStop(List.of("END"))
            .withReasoningEffort(ReasoningEffort.LOW)
            .withResponseSchema(new ResponseSchema("city", "{\"type\":\"object\"}", true))
            .withExtraBody(Map.of("temperature", "1", "logit_bias", "{\"50256\":-100}"));
    server
        .says(ANSWER)
        .open("openai/gpt-4.1", "service_tier=flex")
        .exchange(RecordedServer.question().with(settings));

    assertThat(server.asked())
        .isEqualTo(
            RecordedServer.json(
                """
                {"model":"gpt-4.1","service_tier":"flex",
                 "messages":[{"role":"user","content":"What is the capital of France?"}],
                 "temperature":1,"top_p":0.9,"max_completion_tokens":100,"seed":7,"stop":["END"],
                 "response_format":{"type":"json_schema",
                   "json_schema":{"name":"city","schema":{"type":"object"},"strict":true}},
                 "reasoning_effort":"low","logit_bias":{"50256":-100}}
                """));
  }

  @Test
  void equalRequestsAreWrittenEqually() throws Exception {
    var adapter = server.says(ANSWER).open("openai/gpt-4.1");
    Request request =
        RecordedServer.question().withTools(List.of(WEATHER), new ToolChoice.Required());
    adapter.exchange(request);
    assertThat(server.last().text())
        .isEqualTo(
            "{\"model\":\"gpt-4.1\",\"messages\":[{\"role\":\"user\",\"content\":\"What is the"
                + " capital of France?\"}],\"tools\":[{\"type\":\"function\",\"function\":"
                + "{\"name\":\"get_weather\",\"description\":\"Tells the weather.\","
                + "\"parameters\":{\"type\":\"object\",\"properties\":{\"city\":"
                + "{\"type\":\"string\"}}}}}],\"tool_choice\":\"required\"}");
  }

  @Test
  void readsAnAnswer() throws Exception {
    Response response =
        server.says(ANSWER).open("openai/gpt-4.1").exchange(RecordedServer.question());
    assertThat(response)
        .isInstanceOfSatisfying(
            Response.Reply.class,
            reply -> {
              assertThat(reply.message()).isEqualTo(Message.assistant("Paris."));
              assertThat(reply.stopReason()).isEqualTo(StopReason.STOP);
              assertThat(reply.usage()).isEqualTo(new Usage(19, 10, 8, 0, 4));
            });
    assertThat(server.last().path()).isEqualTo("/v1/chat/completions");
    assertThat(server.last().header("authorization")).contains("Bearer " + RecordedServer.KEY);
  }

  @Test
  void readsToolCalls() throws Exception {
    Response.Reply reply =
        reply(
            """
            {"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[
               {"id":"call_abc","type":"function",
                "function":{"name":"get_weather","arguments":"{\\"city\\":\\"Oslo\\"}"}},
               {"type":"function","function":{"name":"get_time","arguments":{"zone":"CET"}}}]},
              "finish_reason":"stop"}]}
            """);
    assertThat(reply.message().toolCalls())
        .containsExactly(
            new ToolCall("call_abc", "get_weather", "{\"city\":\"Oslo\"}"),
            new ToolCall("call_1", "get_time", "{\"zone\":\"CET\"}"));
    assertThat(reply.stopReason()).isEqualTo(StopReason.TOOL_CALLS);
    assertThat(reply.usage()).isEqualTo(Usage.NONE);
  }

  @Test
  void aRefusalOfTheModelIsAnAnswer() throws Exception {
    Response.Reply reply =
        reply(
            """
            {"choices":[{"message":{"role":"assistant","content":null,
              "refusal":"I cannot help with that."},"finish_reason":"stop"}]}
            """);
    assertThat(reply.message().text()).isEqualTo("I cannot help with that.");
    assertThat(reply.stopReason()).isEqualTo(StopReason.CONTENT_FILTER);
  }

  @Test
  void knowsWhyAnAnswerEnded() throws Exception {
    for (var expected :
        Map.of(
                "length", StopReason.MAX_TOKENS,
                "model_length", StopReason.MAX_TOKENS,
                "content_filter", StopReason.CONTENT_FILTER,
                "eos", StopReason.STOP,
                "something new", StopReason.UNKNOWN)
            .entrySet()) {
      Response.Reply reply =
          reply(
              "{\"choices\":[{\"message\":{\"content\":\"x\"},\"finish_reason\":\"%s\"}]}"
                  .formatted(expected.getKey()));
      assertThat(reply.stopReason()).as(expected.getKey()).isEqualTo(expected.getValue());
    }
  }

  @Test
  void anAnswerThatTheServerGaveUpIsNone() throws Exception {
    String body = "{\"choices\":[{\"message\":{\"content\":\"Par\"},\"finish_reason\":\"%s\"}]}";
    assertThat(exchange(body.formatted("insufficient_system_resource")))
        .isInstanceOf(Response.Overloaded.class);
    assertThat(exchange(body.formatted("abort"))).isInstanceOf(Response.Transient.class);
  }

  @Test
  void whatIsNotAnAnswerIsUnreadable() throws Exception {
    for (String body :
        List.of("{}", "{\"choices\":[]}", "{\"choices\":[{}]}", "{\"choices\":", "<html></html>")) {
      assertThat(exchange(body)).as(body).isInstanceOf(Response.UnreadableReply.class);
    }
  }

  @Test
  void putsAStreamTogether() throws Exception {
    var pieces = new Pieces();
    Response response =
        server
            .streams(
                """
                data: {"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":null}

                : keep-alive

                data: {"id":"c","choices":[{"index":0,"delta":{"reasoning_content":"France"},"finish_reason":null}],"usage":null}

                data: {"id":"c","choices":[{"index":0,"delta":{"content":"Par"},"finish_reason":null}],"usage":null}

                data: {"id":"c","choices":[{"index":0,"delta":{"content":"is"},"finish_reason":null}],"usage":null}

                data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}

                data: {"id":"c","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}

                data: [DONE]

                """)
            .open("openai/gpt-4.1")
            .exchange(RecordedServer.question(), pieces);
    assertThat(response)
        .isInstanceOfSatisfying(
            Response.Reply.class,
            reply -> {
              assertThat(reply.message().text()).isEqualTo("Paris");
              assertThat(reply.message().reasoning()).isEqualTo("France");
              assertThat(reply.stopReason()).isEqualTo(StopReason.STOP);
              assertThat(reply.usage()).isEqualTo(new Usage(5, 2));
            });
    assertThat(pieces.chunks)
        .containsExactly(
            new Chunk.Reasoning("France"), new Chunk.Text("Par"), new Chunk.Text("is"));
    assertThat(server.asked().at("/stream").asBoolean()).isTrue();
    assertThat(server.asked().at("/stream_options/include_usage").asBoolean()).isTrue();
    assertThat(server.last().header("accept")).contains("text/event-stream");
  }

  @Test
  void putsToolCallsTogetherThatAreSplitOverPieces() throws Exception {
    var pieces = new Pieces();
    Response response =
        server
            .streams(
                """
                data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"get_weather","arguments":""}}]}}]}

                data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\\"city\\":"}}]}}]}

                data: {"choices":[{"delta":{"tool_calls":[{"index":1,"id":"call_b","function":{"name":"get_time","arguments":"{}"}}]}}]}

                data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\\"Oslo\\"}"}}]}}]}

                data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}

                data: [DONE]

                """)
            .open("openai/gpt-4.1")
            .exchange(RecordedServer.question(), pieces);
    assertThat(((Response.Reply) response).message().toolCalls())
        .containsExactly(
            new ToolCall("call_a", "get_weather", "{\"city\":\"Oslo\"}"),
            new ToolCall("call_b", "get_time", "{}"));
    assertThat(((Response.Reply) response).stopReason()).isEqualTo(StopReason.TOOL_CALLS);
    assertThat(pieces.chunks)
        .contains(
            new Chunk.ToolCallPart(0, "call_a", "get_weather", ""),
            new Chunk.ToolCallPart(1, "call_b", "get_time", "{}"),
            new Chunk.ToolCallPart(0, "", "", "\"Oslo\"}"));
  }

  /** Servers that send calls whole do not all count them. */
  @Test
  void aNewIdBeginsANewToolCall() throws Exception {
    Response response =
        stream(
            """
            data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}}]}

            data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"g","arguments":"{}"}}]}}]}

            data: {"choices":[{"delta":{"tool_calls":[{"id":"c","function":{"name":"h","arguments":{"x":1}}}]},"finish_reason":"tool_calls"}]}

            data: [DONE]

            """);
    assertThat(((Response.Reply) response).message().toolCalls())
        .containsExactly(
            new ToolCall("a", "f", "{}"),
            new ToolCall("b", "g", "{}"),
            new ToolCall("c", "h", "{\"x\":1}"));
  }

  @Test
  void anIdForEachPieceDoesNotMakeACallOfEach() throws Exception {
    Response response =
        stream(
            """
            data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\\"x\\""}}]}}]}

            data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"f","arguments":":"}}]}}]}

            data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"","arguments":"1"}}]}}]}

            data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"d","function":{"arguments":"}"}}]}}]}

            data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"e","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}

            data: [DONE]

            """);
    assertThat(((Response.Reply) response).message().toolCalls())
        .containsExactly(new ToolCall("a", "f", "{\"x\":1}"), new ToolCall("e", "f", "{}"));
  }

  @Test
  void anErrorInTheMiddleOfAStreamIsOne() throws Exception {
    Response response =
        stream(
            """
            data: {"choices":[{"delta":{"content":"Par"}}]}

            data: {"error":{"message":"Rate limit reached on tokens per min (TPM): Limit 15000, Used 11972, Requested 4351. Please try again in 5.289s.","type":"tokens","code":"rate_limit_exceeded"}}

            """);
    assertThat(response)
        .isInstanceOfSatisfying(
            Response.RateLimited.class,
            limited -> {
              assertThat(limited.facts().serverWait()).contains(java.time.Duration.ofMillis(5289));
              assertThat(limited.facts().limitKind()).contains("tokens");
              assertThat(limited.origin().status()).hasValue(200);
              assertThat(limited.message()).startsWith("429: Rate limit reached");
            });
  }

  @Test
  void aStreamThatBreaksOffIsTriedAgain() throws Exception {
    assertThat(stream("data: {\"choices\":[{\"delta\":{\"content\":\"Par\"}}]}\n\n"))
        .isInstanceOf(Response.Transient.class);
    assertThat(stream("data: [DONE]\n\n")).isInstanceOf(Response.Transient.class);
  }

  /** An answer that is whole is kept, even if the end of the stream is not as it should be. */
  @Test
  void aStreamMayForgetItsLastWord() throws Exception {
    Response response =
        stream(
            "data:"
                + " {\"choices\":[{\"delta\":{\"content\":\"Paris\"},\"finish_reason\":\"stop\"}]}\n\n");
    assertThat(((Response.Reply) response).message().text()).isEqualTo("Paris");
    Response without =
        stream("data: {\"choices\":[{\"delta\":{\"content\":\"Paris\"}}]}\n\ndata: [DONE]\n\n");
    assertThat(((Response.Reply) without).stopReason()).isEqualTo(StopReason.UNKNOWN);
  }

  @Test
  void aStreamThatIsNotJsonIsUnreadable() throws Exception {
    assertThat(stream("data: {\"choices\":[{\n\n")).isInstanceOf(Response.UnreadableReply.class);
  }

  /** Organisations must be verified before OpenAI streams some models to them. */
  @Test
  void streamsOnlyIfToldToOrIfSomebodyReads() throws Exception {
    server.says(ANSWER);
    server.open("openai/gpt-4.1").exchange(RecordedServer.question());
    assertThat(server.asked().has("stream")).isFalse();
    server.open("openai/gpt-4.1", "stream=true").exchange(RecordedServer.question());
    assertThat(server.asked().at("/stream").asBoolean()).isTrue();

    var pieces = new Pieces();
    server.open("openai/gpt-4.1", "stream=false").exchange(RecordedServer.question(), pieces);
    assertThat(server.asked().has("stream")).isFalse();
    assertThat(pieces.text()).isEqualTo("Paris.");
  }

  private Response.Reply reply(String body) throws Exception {
    return (Response.Reply) exchange(body);
  }

  private Response exchange(String body) throws Exception {
    return server.says(body).open("openai/gpt-4.1").exchange(RecordedServer.question());
  }

  private Response stream(String events) throws Exception {
    return server
        .streams(events)
        .open("openai/gpt-4.1", "stream=true")
        .exchange(RecordedServer.question());
  }
}
