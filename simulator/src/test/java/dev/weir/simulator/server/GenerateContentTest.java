package dev.weir.simulator.server;

import static dev.weir.simulator.server.RunningSimulator.documents;
import static dev.weir.simulator.server.RunningSimulator.joined;
import static dev.weir.simulator.server.RunningSimulator.json;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Gemini's API over real sockets of this machine. */
@Timeout(60)
class GenerateContentTest {

  private static final String PATH = "/v1beta/models/gemini-x:generateContent";
  private static final String STREAM = "/v1beta/models/gemini-x:streamGenerateContent?alt=sse";
  private static final String VERTEX =
      "/v1/projects/p/locations/l/publishers/google/models/gemini-x:generateContent";
  private static final String TOOLS =
      ",\"tools\":[{\"functionDeclarations\":[{\"name\":\"add\"},{\"name\":\"now\"}]}]";

  private RunningSimulator simulator;

  @BeforeEach
  void start() throws Exception {
    simulator = RunningSimulator.with();
  }

  @AfterEach
  void close() {
    simulator.close();
  }

  private static String body(String prompt, String more) {
    return "{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":%s}]}]%s}"
        .formatted(new JsonMapper().writeValueAsString(prompt), more);
  }

  private JsonNode ask(String prompt, String more) throws Exception {
    HttpResponse<String> response = simulator.post(PATH, body(prompt, more));
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return json(response);
  }

  @ParameterizedTest
  @ValueSource(strings = {PATH, VERTEX, "/v1beta/models/gemini-x%3AgenerateContent"})
  void answers(String path) throws Exception {
    String system = ",\"systemInstruction\":{\"parts\":[{\"text\":\"[[echo: hello there]]\"}]}";
    JsonNode answer = json(simulator.post(path, body("x [[cached: 10]]", system)));
    assertThat(answer.at("/candidates/0/content/parts/0/text").asString()).isEqualTo("hello there");
    assertThat(answer.at("/candidates/0/content/role").asString()).isEqualTo("model");
    assertThat(answer.at("/candidates/0/finishReason").asString()).isEqualTo("STOP");
    assertThat(answer.at("/modelVersion").asString()).isEqualTo("gemini-x");
    JsonNode usage = answer.at("/usageMetadata");
    assertThat(usage.at("/candidatesTokenCount").asInt()).isEqualTo(3);
    assertThat(usage.at("/cachedContentTokenCount").asInt()).isEqualTo(10);
    assertThat(usage.at("/totalTokenCount").asInt())
        .isEqualTo(usage.at("/promptTokenCount").asInt() + 3);
    assertThat(simulator.stats().at("/answers").asInt()).isEqualTo(1);
  }

  @Test
  void streams() throws Exception {
    HttpResponse<String> response = simulator.post(STREAM, body("[[echo: one two three]]", ""));
    assertThat(response.headers().firstValue("content-type")).contains("text/event-stream");
    List<JsonNode> chunks = documents(response);
    assertThat(chunks).hasSize(3);
    assertThat(joined(chunks, "/candidates/0/content/parts/0/text")).isEqualTo("one two three");
    assertThat(joined(chunks, "/candidates/0/finishReason")).isEqualTo("STOP");
    assertThat(chunks.getLast().at("/candidates/0/finishReason").asString()).isEqualTo("STOP");
    assertThat(chunks.getLast().at("/usageMetadata/candidatesTokenCount").asInt()).isEqualTo(4);
    HttpResponse<String> array = simulator.post(STREAM.replace("?alt=sse", ""), body("x", ""));
    assertThat(array.statusCode()).isEqualTo(400);
    assertThat(json(array).at("/error/message").asString()).contains("alt=sse");
  }

  @Test
  void callsTools() throws Exception {
    JsonNode parts =
        ask("[[tool: add {\"a\": 1}]] [[tool: now]]", TOOLS).at("/candidates/0/content/parts");
    assertThat(parts.size()).isEqualTo(2);
    assertThat(parts.at("/0/functionCall/name").asString()).isEqualTo("add");
    assertThat(parts.at("/0/functionCall/args/a").asInt()).isEqualTo(1);
    assertThat(parts.at("/1/functionCall/args").isObject()).isTrue();
    List<JsonNode> chunks =
        documents(simulator.post(STREAM, body("[[tool: add {\"a\": 1}]] [[tool: now]]", TOOLS)));
    assertThat(joined(chunks, "/candidates/0/content/parts/0/functionCall/name"))
        .isEqualTo("addnow");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"mode\":\"ANY\"                                     | add",
        "\"mode\":\"ANY\",\"allowedFunctionNames\":[\"now\"]  | now",
        "\"mode\":\"AUTO\"                                    | ",
        "\"mode\":\"NONE\"                                    | ",
      })
  void obeysTheChoice(String config, String name) throws Exception {
    JsonNode answer =
        ask("x", TOOLS + ",\"toolConfig\":{\"functionCallingConfig\":{%s}}".formatted(config));
    assertThat(answer.at("/candidates/0/content/parts/0/functionCall/name").asString(null))
        .isEqualTo(name);
  }

  @ParameterizedTest
  @CsvSource({"'', ''", "'\"id\":\"i1\",', '\"id\":\"i2\",'"})
  void resultsOfToolsAreRepeated(String first, String second) throws Exception {
    String body =
        """
        {"contents":[{"role":"user","parts":[{"text":"go"},\
        {"inlineData":{"mimeType":"image/png","data":"AAAA"}}]},\
        {"role":"model","parts":[{"functionCall":{%1$s"name":"add","args":{}}},\
        {"functionCall":{%2$s"name":"add","args":{}}}]},\
        {"role":"user","parts":[\
        {"functionResponse":{%1$s"name":"add","response":{"result":"one"}}},\
        {"functionResponse":{%2$s"name":"%3$s","response":{"result":"two"}}}]}]}\
        """;
    JsonNode answer = json(simulator.post(PATH, body.formatted(first, second, "add")));
    assertThat(answer.at("/candidates/0/content/parts/0/text").asString()).contains("one", "two");
    assertThat(answer.at("/usageMetadata/promptTokenCount").asInt()).isGreaterThan(256);
    if (first.isEmpty()) {
      assertThat(simulator.post(PATH, body.formatted(first, second, "sub")).statusCode())
          .isEqualTo(400);
    }
  }

  @Test
  void thinksCutsAndStops() throws Exception {
    String prompt = "[[reasoning: let me see]] [[echo: one two]]";
    JsonNode shown =
        ask(prompt, ",\"generationConfig\":{\"thinkingConfig\":{\"includeThoughts\":true}}");
    assertThat(shown.at("/candidates/0/content/parts/0/thought").asBoolean()).isTrue();
    assertThat(shown.at("/candidates/0/content/parts/0/text").asString()).isEqualTo("let me see");
    assertThat(shown.at("/candidates/0/content/parts/1/text").asString()).isEqualTo("one two");
    JsonNode hidden = ask(prompt, "");
    assertThat(hidden.at("/candidates/0/content/parts").size()).isEqualTo(1);
    assertThat(hidden.at("/usageMetadata/thoughtsTokenCount").asInt()).isEqualTo(3);
    assertThat(hidden.at("/usageMetadata/candidatesTokenCount").asInt()).isEqualTo(2);
    JsonNode cut = ask("[[echo: 123456789]]", ",\"generationConfig\":{\"maxOutputTokens\":2}");
    assertThat(cut.at("/candidates/0/finishReason").asString()).isEqualTo("MAX_TOKENS");
    JsonNode stopped =
        ask("[[echo: one two]]", ",\"generationConfig\":{\"stopSequences\":[\" two\"]}");
    assertThat(stopped.at("/candidates/0/content/parts/0/text").asString()).isEqualTo("one");
    JsonNode sample =
        ask(
            "x",
            """
            ,"generationConfig":{"responseMimeType":"application/json","responseSchema":\
            {"type":"OBJECT","required":["ok"],"properties":{"ok":{"type":"BOOLEAN"}}}}\
            """);
    assertThat(sample.at("/candidates/0/content/parts/0/text").asString())
        .isEqualTo("{\"ok\":true}");
  }

  @Test
  void refusalsTellTheQuotaInTheBody() throws Exception {
    try (RunningSimulator limited = RunningSimulator.with("rpm=1", "burst=1")) {
      assertThat(limited.post(PATH, body("x", "")).statusCode()).isEqualTo(200);
      HttpResponse<String> refused = limited.post(PATH, body("x", ""));
      assertThat(refused.statusCode()).isEqualTo(429);
      assertThat(json(refused).at("/error/status").asString()).isEqualTo("RESOURCE_EXHAUSTED");
      assertThat(refused.body()).contains("QuotaFailure", "RetryInfo");
      assertThat(refused.headers().map().keySet()).noneMatch(name -> name.contains("ratelimit"));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "[[status: 529]], 503, UNAVAILABLE",
    "[[status: 500]], 500, INTERNAL",
    "[[status: 404]], 404, NOT_FOUND",
    "[[stream-error: UNAVAILABLE]], 503, UNAVAILABLE",
    "[[cached: x]], 400, INVALID_ARGUMENT"
  })
  void errorsHaveTheirStatus(String prompt, int code, String status) throws Exception {
    HttpResponse<String> response = simulator.post(PATH, body(prompt, ""));
    assertThat(response.statusCode()).isEqualTo(code);
    assertThat(json(response).at("/error/code").asInt()).isEqualTo(code);
    assertThat(json(response).at("/error/status").asString()).isEqualTo(status);
  }

  @Test
  void aStreamTellsOfAnError() throws Exception {
    HttpResponse<String> response =
        simulator.post(STREAM, body("[[stream-error: UNAVAILABLE]] [[echo: one two three]]", ""));
    assertThat(response.statusCode()).isEqualTo(200);
    List<JsonNode> chunks = documents(response);
    assertThat(chunks.getFirst().has("candidates")).isTrue();
    assertThat(chunks.getLast().at("/error/code").asInt()).isEqualTo(503);
  }

  @Test
  void aKeyIsNeeded() throws Exception {
    try (RunningSimulator closed = RunningSimulator.with("api-key=right")) {
      HttpResponse<String> refused = closed.post(PATH, body("x", ""), "x-goog-api-key", "wrong");
      assertThat(refused.statusCode()).isEqualTo(400);
      assertThat(json(refused).at("/error/details/0/reason").asString())
          .isEqualTo("API_KEY_INVALID");
      HttpResponse<String> vertex = closed.post(VERTEX, body("x", ""));
      assertThat(vertex.statusCode()).isEqualTo(401);
      assertThat(json(vertex).at("/error/status").asString()).isEqualTo("UNAUTHENTICATED");
      assertThat(closed.post(PATH, body("x", ""), "x-goog-api-key", "right").statusCode())
          .isEqualTo(200);
      assertThat(closed.post(VERTEX, body("x", ""), "authorization", "Bearer right").statusCode())
          .isEqualTo(200);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/v1beta/models/gemini-x:countTokens",
        "/v1beta/models/gemini-x",
        "/v1beta/other",
        "/v1/projects/p/gemini-x:generateContent"
      })
  void otherPathsAreNotFound(String path) throws Exception {
    HttpResponse<String> response = simulator.post(path, body("x", ""));
    assertThat(response.statusCode()).isEqualTo(404);
    assertThat(json(response).at("/error/status").asString()).isEqualTo("NOT_FOUND");
  }

  @Test
  void otherMethodsAreRefused() throws Exception {
    HttpResponse<String> response = simulator.send(simulator.to(PATH));
    assertThat(response.statusCode()).isEqualTo(405);
    assertThat(json(response).at("/error/code").asInt()).isEqualTo(405);
  }
}
