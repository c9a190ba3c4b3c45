package dev.weir.providers.google;

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

/** What is sent, against https://ai.google.dev/api/generate-content. */
class GeminiRequestTest {

  private static final JsonMapper JSON = new JsonMapper();

  @Test
  void asksOneQuestion() {
    assertBody(
        "gemini-2.5-flash",
        Request.of("2+2?"),
        """
        {"contents": [{"role": "user", "parts": [{"text": "2+2?"}]}]}
        """);
  }

  @Test
  void takesAllSettings() {
    GenerationSettings settings =
        GenerationSettings.NONE
            .withTemperature(0.5)
            .withTopP(0.9)
            .withMaxTokens(100)
            .withSeed(42)
            .withStop(List.of("END"))
            .withResponseSchema(new ResponseSchema("sum", "{\"type\": \"object\"}", true))
            .withExtraBody(Map.of("safetySettings", "[]"));

    assertBody(
        "gemini-2.5-flash",
        Request.of(List.of(Message.instructions("Be brief."), Message.user("2+2?"))).with(settings),
        """
        {"systemInstruction": {"parts": [{"text": "Be brief."}]},
         "contents": [{"role": "user", "parts": [{"text": "2+2?"}]}],
         "generationConfig": {"temperature": 0.5, "topP": 0.9, "maxOutputTokens": 100, "seed": 42,
           "stopSequences": ["END"], "responseMimeType": "application/json",
           "responseJsonSchema": {"type": "object"}},
         "safetySettings": []}
        """);
  }

  @Test
  void sendsResultsOfOneTurnTogether() {
    List<Message> messages =
        List.of(
            new Message.User(
                List.of(
                    new Content.Image("https://example.com/a.png"),
                    Content.Image.data("image/png", "aGk="))),
            new Message.Assistant(
                "",
                "",
                List.of(
                    new ToolCall("fc-1", "add", "{\"a\": 1}"),
                    new ToolCall(CallIds.make(1), "add", "{\"a\": ")),
                Optional.empty()),
            new Message.ToolResult("fc-1", "add", "3", false),
            new Message.ToolResult(CallIds.make(1), "add", "not JSON", true));

    assertBody(
        "gemini-2.5-flash",
        Request.of(messages)
            .withTools(
                List.of(new Tool("add", "Adds.", "{\"type\": \"object\"}")),
                new ToolChoice.Named("add")),
        """
        {"contents": [
           {"role": "user", "parts": [
             {"fileData": {"mimeType": "image/png", "fileUri": "https://example.com/a.png"}},
             {"inlineData": {"mimeType": "image/png", "data": "aGk="}}]},
           {"role": "model", "parts": [
             {"functionCall": {"id": "fc-1", "name": "add", "args": {"a": 1}}},
             {"functionCall": {"name": "add", "args": {"malformed": "{\\"a\\": "}}}]},
           {"role": "user", "parts": [
             {"functionResponse": {"id": "fc-1", "name": "add", "response": {"output": "3"}}},
             {"functionResponse": {"name": "add", "response": {"error": "not JSON"}}}]}],
         "tools": [{"functionDeclarations": [
           {"name": "add", "description": "Adds.",
            "parametersJsonSchema": {"type": "object"}}]}],
         "toolConfig": {"functionCallingConfig":
           {"mode": "ANY", "allowedFunctionNames": ["add"]}}}
        """);
  }

  /** As https://ai.google.dev/gemini-api/docs/thought-signatures asks for. */
  @Test
  void saysThatCallsOfAnotherModelAreNotSigned() {
    Message call =
        new Message.Assistant(
            "",
            "",
            List.of(new ToolCall("a", "f", "{}"), new ToolCall("b", "f", "{}")),
            Optional.of(new Message.NativeForm("another", "{}")));

    JsonNode parts =
        body("gemini-3-pro", Request.of(List.of(Message.user("Hi"), call))).at("/contents/1/parts");

    assertThat(parts.at("/0/thoughtSignature").asString())
        .isEqualTo("skip_thought_signature_validator");
    assertThat(parts.get(1).has("thoughtSignature")).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"AUTO", "ANY", "NONE"})
  void choosesTools(String word) {
    ToolChoice choice =
        switch (word) {
          case "ANY" -> new ToolChoice.Required();
          case "NONE" -> new ToolChoice.None();
          default -> new ToolChoice.Auto();
        };
    Request request = Request.of("Hi").withTools(List.of(new Tool("t", "", "{}")), choice);

    assertThat(body("m", request).at("/toolConfig/functionCallingConfig"))
        .isEqualTo(JSON.readTree("{\"mode\": \"%s\"}".formatted(word)));
  }

  /** Budgets as in https://ai.google.dev/gemini-api/docs/openai, levels as in …/docs/thinking. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          gemini-2.5-flash        | none    | {"thinkingBudget": 0}
          gemini-2.5-flash        | minimal | {"thinkingBudget": 1024, "includeThoughts": true}
          gemini-2.5-pro          | medium  | {"thinkingBudget": 8192, "includeThoughts": true}
          gemini-2.5-pro          | xhigh   | {"thinkingBudget": 24576, "includeThoughts": true}
          gemini-3-flash-preview  | none    | {"thinkingLevel": "minimal"}
          gemini-3.8-flash        | low     | {"thinkingLevel": "low", "includeThoughts": true}
          gemini-flash-latest     | high    | {"thinkingLevel": "high", "includeThoughts": true}
          """)
  void thinksAsMuchAsItIsTold(String model, String effort, String expected) {
    ReasoningEffort asked = ReasoningEffort.valueOf(effort.toUpperCase(Locale.ROOT));
    Request request = Request.of("Hi").with(GenerationSettings.NONE.withReasoningEffort(asked));

    assertThat(body(model, request).at("/generationConfig/thinkingConfig"))
        .isEqualTo(JSON.readTree(expected));
  }

  private static void assertBody(String model, Request request, String expected) {
    assertThat(body(model, request)).isEqualTo(JSON.readTree(expected));
  }

  private static JsonNode body(String model, Request request) {
    return JSON.readTree(new GeminiRequest(GeminiModel.of(model)).body(request));
  }
}
