package dev.weir.providers.bedrock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.Content;
import dev.weir.model.GenerationSettings;
import dev.weir.model.Message;
import dev.weir.model.ReasoningEffort;
import dev.weir.model.Request;
import dev.weir.model.ResponseSchema;
import dev.weir.model.Tool;
import dev.weir.model.ToolCall;
import dev.weir.model.ToolChoice;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What is sent, against
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html.
 */
class ConverseRequestTest {

  private static final JsonMapper JSON = new JsonMapper();
  private static final List<Tool> TOOLS =
      List.of(new Tool("add", "Adds.", "{\"type\": \"object\"}"));

  @Test
  void asksOneQuestion() {
    assertBody(
        Request.of("2+2?"),
        """
        {"messages": [{"role": "user", "content": [{"text": "2+2?"}]}]}
        """);
  }

  @Test
  void takesAllSettings() {
    GenerationSettings settings =
        GenerationSettings.NONE
            .withTemperature(0.5)
            .withTopP(0.9)
            .withMaxTokens(100)
            .withStop(List.of("END"))
            .withResponseSchema(new ResponseSchema("sum", "{\"type\": \"object\"}", true))
            .withExtraBody(
                Map.of(
                    "top_k", "200",
                    "additionalModelRequestFields", "{\"seed\": 1}",
                    "performanceConfig", "{\"latency\": \"optimized\"}"));

    assertBody(
        Request.of(List.of(Message.instructions("Be brief."), Message.user("2+2?"))).with(settings),
        """
        {"system": [{"text": "Be brief."}],
         "messages": [{"role": "user", "content": [{"text": "2+2?"}]}],
         "inferenceConfig": {"maxTokens": 100, "temperature": 0.5, "topP": 0.9,
           "stopSequences": ["END"]},
         "outputConfig": {"textFormat": {"type": "json_schema", "structure":
           {"jsonSchema": {"schema": "{\\"type\\": \\"object\\"}", "name": "sum"}}}},
         "performanceConfig": {"latency": "optimized"},
         "additionalModelRequestFields": {"seed": 1, "top_k": 200}}
        """);
  }

  @Test
  void letsTurnsAlternate() {
    List<Message> messages =
        List.of(
            new Message.User(
                List.of(
                    new Content.Text("See."),
                    Content.Image.data("image/jpeg", "aGk="),
                    new Content.Image("https://example.com/a.webp"))),
            Message.user("Both."),
            new Message.Assistant(
                "Wait.",
                "",
                List.of(
                    new ToolCall("t1", "add", "{\"a\": 1}"), new ToolCall("t2", "add", "{\"a\": ")),
                Optional.empty()),
            new Message.ToolResult("t1", "add", "3", false),
            new Message.ToolResult("t2", "add", "not JSON", true),
            Message.user("Go on."));

    assertBody(
        Request.of(messages).withTools(TOOLS, new ToolChoice.Named("add")),
        """
        {"messages": [
           {"role": "user", "content": [
             {"text": "See."},
             {"image": {"format": "jpeg", "source": {"bytes": "aGk="}}},
             {"image": {"format": "webp",
               "source": {"s3Location": {"uri": "https://example.com/a.webp"}}}},
             {"text": "Both."}]},
           {"role": "assistant", "content": [
             {"text": "Wait."},
             {"toolUse": {"toolUseId": "t1", "name": "add", "input": {"a": 1}}},
             {"toolUse": {"toolUseId": "t2", "name": "add",
               "input": {"malformed": "{\\"a\\": "}}}]},
           {"role": "user", "content": [
             {"toolResult": {"toolUseId": "t1", "content": [{"text": "3"}]}},
             {"toolResult": {"toolUseId": "t2", "content": [{"text": "not JSON"}],
               "status": "error"}},
             {"text": "Go on."}]}],
         "toolConfig": {
           "tools": [{"toolSpec": {"name": "add", "description": "Adds.",
             "inputSchema": {"json": {"type": "object"}}}}],
           "toolChoice": {"tool": {"name": "add"}}}}
        """);
  }

  @Test
  void choosesTools() {
    assertThat(choice(Request.of("Hi").withTools(TOOLS, new ToolChoice.Auto())))
        .isEqualTo(JSON.readTree("{\"auto\": {}}"));
    assertThat(choice(Request.of("Hi").withTools(TOOLS, new ToolChoice.Required())))
        .isEqualTo(JSON.readTree("{\"any\": {}}"));
  }

  @Test
  void leavesToolsOutIfNoneMayBeCalled() {
    assertThat(
            body("m", Request.of("Hi").withTools(TOOLS, new ToolChoice.None())).has("toolConfig"))
        .isFalse();
    // Converse refuses a history of calls without the tools.
    Request history =
        Request.of(
            List.of(
                Message.user("Hi"),
                new Message.Assistant(
                    "", "", List.of(new ToolCall("t", "add", "{}")), Optional.empty()),
                new Message.ToolResult("t", "add", "3", false)));
    JsonNode body = body("m", history.withTools(TOOLS, new ToolChoice.None()));
    assertThat(body.at("/toolConfig/tools")).hasSize(1);
    assertThat(body.at("/toolConfig").has("toolChoice")).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          anthropic.claude-3-7-sonnet-20250219-v1:0    | low    | {"thinking": {"type": "enabled", "budget_tokens": 2048}}
          us.anthropic.claude-sonnet-4-20250514-v1:0   | medium | {"thinking": {"type": "enabled", "budget_tokens": 8192}}
          global.anthropic.claude-haiku-4-5-20251001-v1:0 | none | {"thinking": {"type": "disabled"}}
          us.anthropic.claude-opus-4-6-v1              | xhigh  | {"thinking": {"type": "adaptive"}, "output_config": {"effort": "max"}}
          us.anthropic.claude-sonnet-5-5               | xhigh  | {"thinking": {"type": "adaptive"}, "output_config": {"effort": "xhigh"}}
          amazon.nova-lite-v1:0                        | high   | -
          """)
  void thinksInTheWordsOfTheModel(String model, String effort, String expected) {
    ReasoningEffort asked = ReasoningEffort.valueOf(effort.toUpperCase(Locale.ROOT));
    JsonNode body =
        body(model, Request.of("Hi").with(GenerationSettings.NONE.withReasoningEffort(asked)));

    if (expected.equals("-")) {
      assertThat(body.has("additionalModelRequestFields")).isFalse();
    } else {
      assertThat(body.get("additionalModelRequestFields")).isEqualTo(JSON.readTree(expected));
    }
  }

  @Test
  void doesNotThinkWhereThereIsNoRoom() {
    GenerationSettings settings =
        GenerationSettings.NONE.withReasoningEffort(ReasoningEffort.HIGH).withMaxTokens(1_024);
    String model = "anthropic.claude-3-7-sonnet-20250219-v1:0";
    assertThat(body(model, Request.of("Hi").with(settings)).has("additionalModelRequestFields"))
        .isFalse();
    assertThat(
            body(model, Request.of("Hi").with(settings.withMaxTokens(1_025)))
                .at("/additionalModelRequestFields/thinking/budget_tokens")
                .asInt())
        .isEqualTo(1_024);
  }

  private static JsonNode choice(Request request) {
    return body("m", request).at("/toolConfig/toolChoice");
  }

  private static void assertBody(Request request, String expected) {
    assertThat(body("m", request)).isEqualTo(JSON.readTree(expected));
  }

  private static JsonNode body(String model, Request request) {
    return JSON.readTree(new ConverseRequest(model).body(request));
  }
}
