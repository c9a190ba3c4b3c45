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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The Responses API as its reference documents it
 * (platform.openai.com/docs/api-reference/responses, .../responses-streaming, guides/reasoning),
 * over a real connection.
 */
class ResponsesWireTest {

  private static final String ANSWER =
      """
      {"id":"resp_1","object":"response","created_at":1741476542,"status":"completed","error":null,
       "incomplete_details":null,"model":"gpt-4.1-2025-04-14","output":[
         {"type":"message","id":"msg_1","status":"completed","role":"assistant","content":[
           {"type":"output_text","text":"Paris.","annotations":[]}]}],
       "usage":{"input_tokens":36,"input_tokens_details":{"cached_tokens":12},
                "output_tokens":87,"output_tokens_details":{"reasoning_tokens":64},
                "total_tokens":123}}
      """;

  private static final String THOUGHT_AND_CALLED =
      """
      {"id":"resp_2","object":"response","status":"completed","error":null,"model":"o4-mini",
       "output":[
         {"id":"rs_1","type":"reasoning","encrypted_content":"gAAAA-secret-thoughts",
          "summary":[{"type":"summary_text","text":"Ask for the weather."}]},
         {"id":"fc_1","type":"function_call","status":"completed","call_id":"call_1",
          "name":"get_weather","arguments":"{\\"city\\":\\"Oslo\\"}"}],
       "usage":{"input_tokens":10,"output_tokens":20}}
      """;

  private static final Tool WEATHER =
      new Tool("get_weather", "Tells the weather.", "{\"type\":\"object\",\"properties\":{}}");

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
    var call = new ToolCall("call_1", "get_weather", "{}");
    Request request =
        Request.of(
                List.of(
                    Message.instructions("Be brief."),
                    Message.instructions("Be kind."),
                    new Message.User(
                        List.of(
                            new Content.Text("What is this?"),
                            Content.Image.data("image/png", "AAAA"))),
                    new Message.Assistant("Let me see.", "", List.of(call), Optional.empty()),
                    new Message.ToolResult("call_1", "get_weather", "rain", false),
                    Message.instructions("Answer now.")))
            .withTools(List.of(WEATHER), new ToolChoice.Named("get_weather"));
    server.says(ANSWER).open("openai/gpt-4.1", "api=responses").exchange(request);

    assertThat(server.last().path()).isEqualTo("/v1/responses");
    assertThat(server.asked())
        .isEqualTo(
            RecordedServer.json(
                """
                {"model":"gpt-4.1","store":false,"instructions":"Be brief.\\n\\nBe kind.","input":[
                  {"role":"user","content":[
                    {"type":"input_text","text":"What is this?"},
                    {"type":"input_image","image_url":"data:image/png;base64,AAAA"}]},
                  {"role":"assistant","content":"Let me see."},
                  {"type":"function_call","call_id":"call_1","name":"get_weather","arguments":"{}"},
                  {"type":"function_call_output","call_id":"call_1","output":"rain"},
                  {"role":"system","content":"Answer now."}],
                 "tools":[{"type":"function","name":"get_weather",
                   "description":"Tells the weather.",
                   "parameters":{"type":"object","properties":{}},"strict":false}],
                 "tool_choice":{"type":"function","name":"get_weather"}}
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
            .withReasoningEffort(ReasoningEffort.HIGH)
            .withResponseSchema(new ResponseSchema("city", "{\"type\":\"object\"}", true))
            .withExtraBody(Map.of("store", "true"));
    server
        .says(ANSWER)
        .open("openai/gpt-5-mini", "api=responses", "service_tier=flex")
        .exchange(RecordedServer.question().with(settings));

    assertThat(server.asked())
        .isEqualTo(
            RecordedServer.json(
                """
                {"model":"gpt-5-mini","service_tier":"flex","store":true,
                 "input":[{"role":"user","content":"What is the capital of France?"}],
                 "temperature":0.5,"top_p":0.9,"max_output_tokens":100,
                 "text":{"format":{"type":"json_schema","name":"city",
                                   "schema":{"type":"object"},"strict":true}},
                 "reasoning":{"effort":"high"},
                 "include":["reasoning.encrypted_content"]}
                """));
  }

  @Test
  void instructionsAloneAreAnInput() throws Exception {
    server
        .says(ANSWER)
        .open("openai/gpt-4.1", "api=responses")
        .exchange(Request.of(List.of(Message.instructions("Say hello."))));
    assertThat(server.asked().at("/input/0/role").asString()).isEqualTo("system");
    assertThat(server.asked().has("instructions")).isFalse();
  }

  @Test
  void readsAnAnswer() throws Exception {
    Response.Reply reply = reply(ANSWER);
    assertThat(reply.message()).isEqualTo(Message.assistant("Paris."));
    assertThat(reply.stopReason()).isEqualTo(StopReason.STOP);
    assertThat(reply.usage()).isEqualTo(new Usage(36, 87, 12, 0, 64));
  }

  /** A model that reasons demands to see its thoughts again beside the calls they led to. */
  @Test
  void thoughtsGoBackUntouchedInAToolLoop() throws Exception {
    Response.Reply reply = reply(THOUGHT_AND_CALLED);
    assertThat(reply.stopReason()).isEqualTo(StopReason.TOOL_CALLS);
    assertThat(reply.message().reasoning()).isEqualTo("Ask for the weather.");
    assertThat(reply.message().toolCalls())
        .containsExactly(new ToolCall("call_1", "get_weather", "{\"city\":\"Oslo\"}"));

    List<Message> next = new ArrayList<>(RecordedServer.question().messages());
    next.add(reply.message());
    next.add(new Message.ToolResult("call_1", "get_weather", "rain", false));
    server.says(ANSWER).open("openai/o4-mini", "api=responses").exchange(Request.of(next));
    assertThat(server.asked().at("/input"))
        .isEqualTo(
            RecordedServer.json(
                """
                [{"role":"user","content":"What is the capital of France?"},
                 {"id":"rs_1","type":"reasoning","encrypted_content":"gAAAA-secret-thoughts",
                  "summary":[{"type":"summary_text","text":"Ask for the weather."}]},
                 {"id":"fc_1","type":"function_call","status":"completed","call_id":"call_1",
                  "name":"get_weather","arguments":"{\\"city\\":\\"Oslo\\"}"},
                 {"type":"function_call_output","call_id":"call_1","output":"rain"}]
                """));

    // Another API does not know what to do with them.
    server.says("{}").open("openai/gpt-4.1", "api=chat").exchange(Request.of(next));
    assertThat(server.last().text()).doesNotContain("secret-thoughts").contains("call_1");
  }

  /** Thoughts that OpenAI would have to look up are not there, since it is told to keep nothing. */
  @Test
  void thoughtsThatAreNotThereAreNotSentBack() throws Exception {
    Response.Reply reply =
        reply(THOUGHT_AND_CALLED.replace("\"encrypted_content\":\"gAAAA-secret-thoughts\",", ""));
    assertThat(reply.message().nativeForm()).isEmpty();
    assertThat(reply.message().toolCalls()).hasSize(1);
  }

  @Test
  void readsWhatIsIncomplete() throws Exception {
    String body =
        """
        {"status":"incomplete","incomplete_details":{"reason":"%s"},"output":[
          {"type":"message","content":[{"type":"output_text","text":"Par"}]}]}
        """;
    assertThat(reply(body.formatted("max_output_tokens")).stopReason())
        .isEqualTo(StopReason.MAX_TOKENS);
    assertThat(reply(body.formatted("content_filter")).stopReason())
        .isEqualTo(StopReason.CONTENT_FILTER);
    assertThat(reply(body.formatted("something new")).stopReason()).isEqualTo(StopReason.UNKNOWN);
  }

  @Test
  void aRefusalOfTheModelIsAnAnswer() throws Exception {
    Response.Reply reply =
        reply(
            """
            {"status":"completed","output":[{"type":"message","content":[
              {"type":"refusal","refusal":"I cannot help with that."}]}]}
            """);
    assertThat(reply.message().text()).isEqualTo("I cannot help with that.");
    assertThat(reply.stopReason()).isEqualTo(StopReason.CONTENT_FILTER);
  }

  @Test
  void aFailureInsideAnAnswerIsOne() throws Exception {
    assertThat(exchange(failed("rate_limit_exceeded", "Please try again in 2s.")))
        .isInstanceOfSatisfying(
            Response.RateLimited.class,
            limited -> assertThat(limited.facts().serverWait()).contains(Duration.ofSeconds(2)));
    assertThat(exchange(failed("server_error", "The model failed.")))
        .isInstanceOf(Response.Transient.class);
    assertThat(exchange(failed("server_is_overloaded", "Try later.")))
        .isInstanceOf(Response.Overloaded.class);
    assertThat(exchange(failed("invalid_prompt", "It was flagged.")))
        .isInstanceOf(Response.RefusedByPolicy.class);
    assertThat(exchange(failed("invalid_image", "It is none.")))
        .isInstanceOf(Response.InvalidRequest.class);
    assertThat(exchange(failed("insufficient_quota", "Nothing left.")))
        .isInstanceOf(Response.QuotaExhausted.class);
    assertThat(exchange("{\"status\":\"failed\",\"error\":null,\"instructions\":\"a prompt\"}"))
        .isInstanceOfSatisfying(
            Response.Transient.class,
            failure -> assertThat(failure.message()).doesNotContain("a prompt"));
    assertThat(exchange("{\"status\":\"cancelled\",\"output\":[]}"))
        .isInstanceOf(Response.Transient.class);
  }

  @Test
  void whatIsNotAnAnswerIsUnreadable() throws Exception {
    for (String body : List.of("{}", "{\"status\":\"queued\",\"output\":[]}", "[]", "<html>")) {
      assertThat(exchange(body)).as(body).isInstanceOf(Response.UnreadableReply.class);
    }
  }

  @Test
  void tellsThePiecesOfAStream() throws Exception {
    var pieces = new Pieces();
    String whole = THOUGHT_AND_CALLED.replace("\n", " ");
    Response response =
        server
            .streams(
                """
                event: response.created
                data: {"type":"response.created","response":{"status":"in_progress","output":[]}}

                event: response.reasoning_summary_text.delta
                data: {"type":"response.reasoning_summary_text.delta","output_index":0,"delta":"Ask."}

                event: response.output_text.delta
                data: {"type":"response.output_text.delta","output_index":1,"delta":"Let"}

                event: response.output_text.delta
                data: {"type":"response.output_text.delta","output_index":1,"delta":" me see"}

                event: response.output_item.added
                data: {"type":"response.output_item.added","output_index":2,"item":{"type":"function_call","call_id":"call_1","name":"get_weather","arguments":""}}

                event: response.function_call_arguments.delta
                data: {"type":"response.function_call_arguments.delta","output_index":2,"delta":"{\\"city\\":"}

                event: response.function_call_arguments.delta
                data: {"type":"response.function_call_arguments.delta","output_index":2,"delta":"\\"Oslo\\"}"}

                event: response.completed
                data: {"type":"response.completed","response":%s}

                """
                    .formatted(whole))
            .open("openai/o4-mini", "api=responses")
            .exchange(RecordedServer.question(), pieces);
    assertThat(pieces.chunks)
        .containsExactly(
            new Chunk.Reasoning("Ask."),
            new Chunk.Text("Let"),
            new Chunk.Text(" me see"),
            new Chunk.ToolCallPart(0, "call_1", "get_weather", ""),
            new Chunk.ToolCallPart(0, "", "", "{\"city\":"),
            new Chunk.ToolCallPart(0, "", "", "\"Oslo\"}"));
    assertThat(((Response.Reply) response).message())
        .isEqualTo(reply(THOUGHT_AND_CALLED).message());
    assertThat(((Response.Reply) response).usage()).isEqualTo(new Usage(10, 20));
  }

  @Test
  void readsAStreamThatDoesNotRepeatItself() throws Exception {
    Response response =
        stream(
            """
            data: {"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"Paris"}]}}

            data: {"type":"response.completed","response":{"status":"completed","output":[]}}

            """);
    assertThat(((Response.Reply) response).message().text()).isEqualTo("Paris");
  }

  @Test
  void anErrorInTheMiddleOfAStreamIsOne() throws Exception {
    assertThat(
            stream(
                """
                data: {"type":"response.output_text.delta","delta":"Par"}

                data: {"type":"error","code":"rate_limit_exceeded","message":"Please try again in 3s.","param":null,"sequence_number":1}

                """))
        .isInstanceOf(Response.RateLimited.class);
    assertThat(
            stream(
                """
                data: {"type":"error","error":{"type":"server_error","code":"server_error","message":"Sorry"}}

                """))
        .isInstanceOf(Response.Transient.class);
    assertThat(
            stream(
                "data: {\"type\":\"response.failed\",\"response\":%s}\n\n"
                    .formatted(failed("server_error", "x").strip())))
        .isInstanceOf(Response.Transient.class);
  }

  @Test
  void aStreamThatBreaksOffIsTriedAgain() throws Exception {
    assertThat(stream("data: {\"type\":\"response.output_text.delta\",\"delta\":\"Par\"}\n\n"))
        .isInstanceOf(Response.Transient.class);
  }

  @Test
  void reasoningModelsAreKnownByName() {
    for (String name :
        List.of(
            "o1",
            "o3-mini",
            "o4-mini-2025-04-16",
            "gpt-5",
            "gpt-5.1-codex",
            "gpt-10",
            "ft:o4-mini:x")) {
      assertThat(ReasoningModels.isOne(name)).as(name).isTrue();
    }
    for (String name :
        List.of(
            "gpt-4.1",
            "gpt-4o",
            "gpt-5-chat-latest",
            "gpt-3.5-turbo",
            "gpt-35-turbo",
            "omni-moderation")) {
      assertThat(ReasoningModels.isOne(name)).as(name).isFalse();
    }
  }

  private static String failed(String code, String message) {
    return "{\"status\":\"failed\",\"error\":{\"code\":\"%s\",\"message\":\"%s\"},\"output\":[]}"
        .formatted(code, message);
  }

  private Response.Reply reply(String body) throws Exception {
    return (Response.Reply) exchange(body);
  }

  private Response exchange(String body) throws Exception {
    return server
        .says(body)
        .open("openai/o4-mini", "api=responses")
        .exchange(RecordedServer.question());
  }

  private Response stream(String events) throws Exception {
    return server
        .streams(events)
        .open("openai/o4-mini", "api=responses", "stream=true")
        .exchange(RecordedServer.question());
  }
}
