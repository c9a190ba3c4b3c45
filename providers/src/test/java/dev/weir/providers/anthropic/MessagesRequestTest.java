package dev.weir.providers.anthropic;

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
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What is sent, against https://platform.claude.com/docs/en/api/messages. */
class MessagesRequestTest {

  private static final JsonMapper JSON = new JsonMapper();

  @Test
  void asksOneQuestion() {
    assertBody(
        "claude-opus-4-5",
        Request.of("2+2?"),
        """
        {"model": "claude-opus-4-5", "max_tokens": 4096,
         "messages": [{"role": "user", "content": [{"type": "text", "text": "2+2?"}]}]}
        """);
  }

  @Test
  void takesAllSettings() {
    GenerationSettings settings =
        GenerationSettings.NONE
            .withTemperature(0.5)
            .withTopP(0.9)
            .withMaxTokens(100)
            .withSeed(1)
            .withStop(List.of("END"))
            .withResponseSchema(new ResponseSchema("sum", "{\"type\": \"object\"}", true))
            .withExtraBody(Map.of("metadata", "{\"user_id\": \"u\"}", "max_tokens", "7"));

    assertBody(
        "claude-opus-4-6",
        Request.of(List.of(Message.instructions("Be brief."), Message.user("2+2?"))).with(settings),
        """
        {"model": "claude-opus-4-6", "max_tokens": 7, "system": "Be brief.",
         "messages": [{"role": "user", "content": [{"type": "text", "text": "2+2?"}]}],
         "temperature": 0.5, "top_p": 0.9, "stop_sequences": ["END"],
         "output_config": {"format": {"type": "json_schema", "schema": {"type": "object"}}},
         "metadata": {"user_id": "u"}}
        """);
  }

  @Test
  void sendsResultsOfOneTurnTogether() {
    List<Message> messages =
        List.of(
            new Message.User(
                List.of(
                    new Content.Text("See."),
                    new Content.Image("https://example.com/a.png"),
                    Content.Image.data("image/png", "aGk="))),
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
        "claude-opus-4-5",
        Request.of(messages)
            .withTools(
                List.of(new Tool("add", "Adds.", "{\"type\": \"object\"}")),
                new ToolChoice.Named("add")),
        """
        {"model": "claude-opus-4-5", "max_tokens": 4096,
         "messages": [
           {"role": "user", "content": [
             {"type": "text", "text": "See."},
             {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}},
             {"type": "image",
              "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}]},
           {"role": "assistant", "content": [
             {"type": "text", "text": "Wait."},
             {"type": "tool_use", "id": "t1", "name": "add", "input": {"a": 1}},
             {"type": "tool_use", "id": "t2", "name": "add", "input": {"malformed": "{\\"a\\": "}}]},
           {"role": "user", "content": [
             {"type": "tool_result", "tool_use_id": "t1", "content": "3"},
             {"type": "tool_result", "tool_use_id": "t2", "content": "not JSON",
              "is_error": true}]},
           {"role": "user", "content": [{"type": "text", "text": "Go on."}]}],
         "tools": [
           {"name": "add", "description": "Adds.", "input_schema": {"type": "object"}}],
         "tool_choice": {"type": "tool", "name": "add"}}
        """);
  }

  @Test
  void leavesOutWhatTheApiRefuses() {
    JsonNode body =
        body(
            "claude-opus-4-5",
            Request.of(List.of(Message.user("Hi"), Message.assistant(""), Message.user("Hello?"))));

    assertThat(body.get("messages")).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource({"auto", "any", "none"})
  void choosesTools(String word) {
    ToolChoice choice =
        switch (word) {
          case "any" -> new ToolChoice.Required();
          case "none" -> new ToolChoice.None();
          default -> new ToolChoice.Auto();
        };
    Request request = Request.of("Hi").withTools(List.of(new Tool("t", "", "{}")), choice);

    assertThat(body("m", request).at("/tool_choice/type").asString()).isEqualTo(word);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          claude-sonnet-4-5 | medium  | {"type":"enabled","budget_tokens":8192} | -                  | 12288
          claude-sonnet-4-5 | minimal | {"type":"enabled","budget_tokens":1024} | -                  | 5120
          claude-sonnet-4-5 | none    | {"type":"disabled"}                     | -                  | 4096
          claude-opus-4-6   | low     | {"type":"adaptive"}                     | {"effort":"low"}   | 16384
          claude-opus-4-6   | xhigh   | {"type":"adaptive"}                     | {"effort":"max"}   | 32768
          claude-opus-4-7   | xhigh   | {"type":"adaptive"}                     | {"effort":"xhigh"} | 32768
          claude-fable-5-1  | high    | {"type":"adaptive"}                     | {"effort":"high"}  | 32768
          claude-sonnet-5   | none    | {"type":"disabled"}                     | -                  | 16384
          """)
  void thinksAsMuchAsItIsTold(
      String model, String effort, String thinking, String output, int maxTokens) {
    JsonNode body =
        body(
            model,
            Request.of("Hi")
                .with(
                    GenerationSettings.NONE.withReasoningEffort(
                        ReasoningEffort.valueOf(effort.toUpperCase(java.util.Locale.ROOT)))));

    assertThat(body.get("thinking")).isEqualTo(JSON.readTree(thinking));
    assertThat(body.get("max_tokens").asInt()).isEqualTo(maxTokens);
    if (output.equals("-")) {
      assertThat(body.has("output_config")).isFalse();
    } else {
      assertThat(body.get("output_config")).isEqualTo(JSON.readTree(output));
    }
  }

  @Test
  void leavesRoomForTheAnswerBesideThoughts() {
    GenerationSettings settings =
        GenerationSettings.NONE.withReasoningEffort(ReasoningEffort.HIGH).withMaxTokens(4_000);

    assertThat(body("claude-sonnet-4-5", Request.of("Hi").with(settings)).at("/thinking"))
        .isEqualTo(JSON.readTree("{\"type\":\"enabled\",\"budget_tokens\":3000}"));
    Request little = Request.of("Hi").with(settings.withMaxTokens(1_024));
    assertThat(body("claude-sonnet-4-5", little).has("thinking")).isFalse();
    Request more = Request.of("Hi").with(settings.withMaxTokens(1_025));
    assertThat(body("claude-sonnet-4-5", more).at("/thinking/budget_tokens").asInt())
        .isEqualTo(1_024);
  }

  /** Pools as in https://platform.claude.com/docs/en/api/rate-limits, October 2026. */
  @ParameterizedTest
  @CsvSource({
    "claude-opus-4-8, claude-opus-4.x",
    "claude-opus-4-20250514, claude-opus-4.x",
    "claude-opus-4-1-20250805, claude-opus-4.x",
    "claude-sonnet-4-5@20250929, claude-sonnet-4.x",
    "claude-haiku-4-5, -",
    "claude-opus-5, -",
    "claude-opus-5-5, -",
    "claude-3-5-sonnet-latest, -",
    "something-else, -"
  })
  void knowsWhichModelsShareALimit(String model, String pool) {
    assertThat(ClaudeModel.of(model).pool().orElse("-")).isEqualTo(pool);
  }

  private static void assertBody(String model, Request request, String expected) {
    assertThat(body(model, request)).isEqualTo(JSON.readTree(expected));
  }

  private static JsonNode body(String model, Request request) {
    return JSON.readTree(new MessagesRequest(model, ClaudeModel.of(model)).body(request, false));
  }
}
