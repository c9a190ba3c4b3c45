package dev.weir.simulator.server;

import static dev.weir.simulator.server.RunningSimulator.json;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Bedrock's API over real sockets of this machine. */
@Timeout(60)
class ConverseTest {

  private static final String PATH = "/model/anthropic.claude-x%3A0/converse";
  private static final String TOOLS =
      """
      ,"toolConfig":{"tools":[{"toolSpec":{"name":"add","inputSchema":{"json":{}}}},\
      {"toolSpec":{"name":"now","inputSchema":{"json":{}}}}]%s}\
      """;

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
    return "{\"messages\":[{\"role\":\"user\",\"content\":[{\"text\":%s}]}]%s}"
        .formatted(new JsonMapper().writeValueAsString(prompt), more);
  }

  private JsonNode ask(String prompt, String more) throws Exception {
    HttpResponse<String> response = simulator.post(PATH, body(prompt, more));
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return json(response);
  }

  @ParameterizedTest
  @ValueSource(strings = {PATH, "/model/anthropic.claude-x:0/converse", "/model/a%2Fb/converse"})
  void answers(String path) throws Exception {
    HttpResponse<String> response =
        simulator.post(
            path,
            body(
                "x [[cached: 10]] [[cache-write: 5]]",
                ",\"system\":[{\"text\":\"[[echo: hello there]]\"}]"),
            "x-weir-latency",
            "3ms");
    assertThat(response.headers().firstValue("x-amzn-requestid")).isPresent();
    JsonNode answer = json(response);
    assertThat(answer.at("/output/message/role").asString()).isEqualTo("assistant");
    assertThat(answer.at("/output/message/content/0/text").asString()).isEqualTo("hello there");
    assertThat(answer.at("/stopReason").asString()).isEqualTo("end_turn");
    assertThat(answer.at("/metrics/latencyMs").asInt()).isEqualTo(3);
    JsonNode usage = answer.at("/usage");
    assertThat(usage.at("/outputTokens").asInt()).isEqualTo(3);
    assertThat(usage.at("/cacheReadInputTokens").asInt()).isEqualTo(10);
    assertThat(usage.at("/cacheWriteInputTokens").asInt()).isEqualTo(5);
    assertThat(usage.at("/totalTokens").asInt())
        .isEqualTo(usage.at("/inputTokens").asInt() + 10 + 5 + 3);
    assertThat(simulator.stats().at("/answers").asInt()).isEqualTo(1);
  }

  @Test
  void callsTools() throws Exception {
    JsonNode answer = ask("[[tool: add {\"a\": 1}]] [[tool: now]]", TOOLS.formatted(""));
    assertThat(answer.at("/stopReason").asString()).isEqualTo("tool_use");
    JsonNode content = answer.at("/output/message/content");
    assertThat(content.size()).isEqualTo(2);
    assertThat(content.at("/0/toolUse/name").asString()).isEqualTo("add");
    assertThat(content.at("/0/toolUse/input/a").asInt()).isEqualTo(1);
    assertThat(content.at("/0/toolUse/toolUseId").asString())
        .startsWith("tooluse_")
        .isNotEqualTo(content.at("/1/toolUse/toolUseId").asString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"any\":{}}                  | add",
        "{\"tool\":{\"name\":\"now\"}} | now",
        "{\"auto\":{}}                 | "
      })
  void obeysTheChoice(String choice, String name) throws Exception {
    JsonNode answer = ask("x", TOOLS.formatted(",\"toolChoice\":" + choice));
    assertThat(answer.at("/output/message/content/0/toolUse/name").asString(null)).isEqualTo(name);
  }

  @Test
  void resultsOfToolsAreRepeated() throws Exception {
    String body =
        """
        {"messages":[{"role":"user","content":[{"text":"go"},\
        {"image":{"format":"png","source":{"bytes":"AAAA"}}}]},\
        {"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"add","input":{}}},\
        {"toolUse":{"toolUseId":"b","name":"add","input":{}}}]},\
        {"role":"user","content":[\
        {"toolResult":{"toolUseId":"a","content":[{"text":"one"}]}},\
        {"toolResult":{"toolUseId":"%s","content":[{"json":{"n":"two"}}]}}]}]}\
        """;
    JsonNode answer = json(simulator.post(PATH, body.formatted("b")));
    assertThat(answer.at("/output/message/content/0/text").asString()).contains("one", "two");
    assertThat(answer.at("/usage/inputTokens").asInt()).isGreaterThan(256);
    HttpResponse<String> wrong = simulator.post(PATH, body.formatted("c"));
    assertThat(wrong.statusCode()).isEqualTo(400);
    assertThat(wrong.headers().firstValue("x-amzn-errortype")).contains("ValidationException");
  }

  @Test
  void thinksCutsAndStops() throws Exception {
    JsonNode thought =
        ask(
            "[[reasoning: let me see]]",
            ",\"additionalModelRequestFields\":{\"thinking\":{\"type\":\"enabled\"}}");
    assertThat(
            thought.at("/output/message/content/0/reasoningContent/reasoningText/text").asString())
        .isEqualTo("let me see");
    JsonNode cut = ask("[[echo: 123456789]]", ",\"inferenceConfig\":{\"maxTokens\":2}");
    assertThat(cut.at("/stopReason").asString()).isEqualTo("max_tokens");
    JsonNode stopped =
        ask("[[echo: one two]]", ",\"inferenceConfig\":{\"stopSequences\":[\" two\"]}");
    assertThat(stopped.at("/stopReason").asString()).isEqualTo("stop_sequence");
    JsonNode sample =
        ask(
            "x",
            """
            ,"outputConfig":{"textFormat":{"type":"json_schema","structure":{"jsonSchema":\
            {"schema":"{\\"required\\":[\\"ok\\"],\\"properties\\":{\\"ok\\":{\\"const\\":7}}}"}}}}\
            """);
    assertThat(sample.at("/output/message/content/0/text").asString()).isEqualTo("{\"ok\":7}");
  }

  @Test
  void refusalsAreThrottlingExceptions() throws Exception {
    try (RunningSimulator limited = RunningSimulator.with("rpm=1", "burst=1")) {
      assertThat(limited.post(PATH, body("x", "")).statusCode()).isEqualTo(200);
      HttpResponse<String> refused = limited.post(PATH, body("x", ""));
      assertThat(refused.statusCode()).isEqualTo(429);
      assertThat(refused.headers().firstValue("x-amzn-errortype")).contains("ThrottlingException");
      assertThat(refused.headers().firstValue("retry-after")).isEmpty();
      assertThat(json(refused).at("/message").asString())
          .isEqualTo("Too many requests, please wait before trying again.");
    }
    try (RunningSimulator limited = RunningSimulator.with("tpm=10")) {
      assertThat(limited.post(PATH, body("x".repeat(100), "")).body()).contains("Too many tokens");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "529, 503, ServiceUnavailableException",
    "500, 500, InternalServerException",
    "408, 408, ModelTimeoutException",
    "404, 404, ResourceNotFoundException"
  })
  void errorsHaveTheirType(int asked, int status, String type) throws Exception {
    HttpResponse<String> response =
        simulator.post(PATH, body("[[status: %d]]".formatted(asked), ""));
    assertThat(response.statusCode()).isEqualTo(status);
    assertThat(response.headers().firstValue("x-amzn-errortype")).contains(type);
    assertThat(json(response).at("/message").asString()).isNotEmpty();
  }

  @Test
  void aSignatureOrATokenIsNeeded() throws Exception {
    try (RunningSimulator closed = RunningSimulator.with("api-key=right")) {
      String signature =
          "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260101/us-east-1/bedrock/aws4_request,"
              + " SignedHeaders=content-type;host;x-amz-date, Signature="
              + "ab".repeat(32);
      for (String accepted : new String[] {"Bearer right", signature}) {
        assertThat(closed.post(PATH, body("x", ""), "authorization", accepted).statusCode())
            .isEqualTo(200);
      }
      for (String wrong : new String[] {"Bearer wrong", "AWS4-HMAC-SHA256 Credential=x"}) {
        HttpResponse<String> refused = closed.post(PATH, body("x", ""), "authorization", wrong);
        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(refused.headers().firstValue("x-amzn-errortype"))
            .contains("AccessDeniedException");
      }
      assertThat(closed.post("/v1/chat/completions", "{}", "authorization", signature).statusCode())
          .as("other APIs know no signatures")
          .isEqualTo(401);
    }
  }

  @Test
  void otherPathsAreNotFound() throws Exception {
    for (String path : new String[] {"/model/x/converse-stream", "/model/x/invoke"}) {
      HttpResponse<String> response = simulator.post(path, body("x", ""));
      assertThat(response.statusCode()).isEqualTo(404);
      assertThat(response.headers().firstValue("x-amzn-errortype"))
          .contains("ResourceNotFoundException");
    }
    HttpResponse<String> wrong = simulator.send(simulator.to(PATH));
    assertThat(wrong.statusCode()).isEqualTo(405);
    assertThat(json(wrong).at("/message").asString()).contains("POST");
  }
}
