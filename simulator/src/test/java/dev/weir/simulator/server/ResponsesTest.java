package dev.weir.simulator.server;

import static dev.weir.simulator.server.RunningSimulator.documents;
import static dev.weir.simulator.server.RunningSimulator.joined;
import static dev.weir.simulator.server.RunningSimulator.json;
import static dev.weir.simulator.server.RunningSimulator.names;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** OpenAI's responses over real sockets of this machine. */
@Timeout(60)
class ResponsesTest {

  private static final String PATH = "/v1/responses";
  private static final String TOOLS =
      ",\"tools\":[{\"type\":\"function\",\"name\":\"add\",\"parameters\":{\"type\":\"object\"}}]";
  private static final String STREAM = ",\"stream\":true";

  private RunningSimulator simulator;

  @BeforeEach
  void start() throws Exception {
    simulator = RunningSimulator.with();
  }

  @AfterEach
  void close() {
    simulator.close();
  }

  private static String body(String input, String more) {
    return "{\"model\":\"m\",\"input\":%s%s}"
        .formatted(new JsonMapper().writeValueAsString(input), more);
  }

  private HttpResponse<String> ask(String input, String more) throws Exception {
    return simulator.post(PATH, body(input, more));
  }

  @Test
  void answers() throws Exception {
    HttpResponse<String> response =
        ask("x [[cached: 10]]", ",\"instructions\":\"say [[echo: hello there]]\"");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.headers().firstValue("x-request-id")).isPresent();
    JsonNode answer = json(response);
    assertThat(answer.at("/object").asString()).isEqualTo("response");
    assertThat(answer.at("/status").asString()).isEqualTo("completed");
    assertThat(answer.at("/id").asString()).startsWith("resp_");
    assertThat(answer.at("/output/0/type").asString()).isEqualTo("message");
    assertThat(answer.at("/output/0/content/0/type").asString()).isEqualTo("output_text");
    assertThat(answer.at("/output/0/content/0/text").asString()).isEqualTo("hello there");
    JsonNode usage = answer.at("/usage");
    assertThat(usage.at("/input_tokens_details/cached_tokens").asInt()).isEqualTo(10);
    assertThat(usage.at("/output_tokens").asInt()).isEqualTo(3);
    assertThat(usage.at("/total_tokens").asInt()).isEqualTo(usage.at("/input_tokens").asInt() + 3);
    assertThat(simulator.stats().at("/answers").asInt()).isEqualTo(1);
  }

  @Test
  void streams() throws Exception {
    HttpResponse<String> response = ask("[[echo: one two]]", STREAM);
    assertThat(names(response))
        .containsExactly(
            "response.created",
            "response.in_progress",
            "response.output_item.added",
            "response.content_part.added",
            "response.output_text.delta",
            "response.output_text.delta",
            "response.output_text.done",
            "response.content_part.done",
            "response.output_item.done",
            "response.completed");
    List<JsonNode> events = documents(response);
    assertThat(events.stream().map(event -> event.at("/type").asString()).toList())
        .isEqualTo(names(response));
    assertThat(events.stream().map(event -> event.at("/sequence_number").asInt()).toList())
        .isEqualTo(IntStream.range(0, events.size()).boxed().toList());
    assertThat(joined(events, "/delta")).isEqualTo("one two");
    assertThat(events.getFirst().at("/response/status").asString()).isEqualTo("in_progress");
    assertThat(events.getLast().at("/response/output/0/content/0/text").asString())
        .isEqualTo("one two");
    assertThat(events.getLast().at("/response/usage/output_tokens").asInt()).isEqualTo(2);
  }

  @Test
  void callsTools() throws Exception {
    JsonNode answer = json(ask("[[tool: add {\"a\": 1}]] [[tool: add {}]]", TOOLS));
    assertThat(answer.at("/output").size()).isEqualTo(2);
    JsonNode call = answer.at("/output/0");
    assertThat(call.at("/type").asString()).isEqualTo("function_call");
    assertThat(call.at("/call_id").asString()).startsWith("call_");
    assertThat(call.at("/id").asString()).startsWith("fc_");
    assertThat(call.at("/arguments").asString()).isEqualTo("{\"a\": 1}");
    HttpResponse<String> stream = ask("[[tool: add {\"a\": 1}]]", TOOLS + STREAM);
    assertThat(names(stream))
        .containsSubsequence(
            "response.output_item.added",
            "response.function_call_arguments.delta",
            "response.function_call_arguments.done",
            "response.output_item.done",
            "response.completed");
    assertThat(joined(documents(stream), "/delta")).isEqualTo("{\"a\": 1}");
    JsonNode forced =
        json(ask("x", TOOLS + ",\"tool_choice\":{\"type\":\"function\",\"name\":\"add\"}"));
    assertThat(forced.at("/output/0/name").asString()).isEqualTo("add");
  }

  @Test
  void resultsOfToolsAreRepeated() throws Exception {
    String body =
        """
        {"model":"m","input":[{"role":"user","content":[{"type":"input_text","text":"go"},\
        {"type":"input_image","image_url":"data:image/png;base64,AAAA"}]},\
        {"type":"reasoning","id":"rs_1","summary":[]},\
        {"type":"function_call","call_id":"a","name":"add","arguments":"{}"},\
        {"type":"function_call","call_id":"b","name":"add","arguments":"{}"},\
        {"type":"function_call_output","call_id":"a","output":"first"},\
        {"type":"function_call_output","call_id":"%s","output":"second"}]}\
        """;
    JsonNode answer = json(simulator.post(PATH, body.formatted("b")));
    assertThat(answer.at("/output/0/content/0/text").asString()).contains("first", "second");
    assertThat(answer.at("/usage/input_tokens").asInt()).isGreaterThan(256);
    assertThat(simulator.post(PATH, body.formatted("c")).statusCode()).isEqualTo(400);
  }

  @Test
  void anAnswerThatIsTooLongIsIncomplete() throws Exception {
    JsonNode cut = json(ask("[[echo: 123456789]]", ",\"max_output_tokens\":2"));
    assertThat(cut.at("/status").asString()).isEqualTo("incomplete");
    assertThat(cut.at("/incomplete_details/reason").asString()).isEqualTo("max_output_tokens");
    assertThat(cut.at("/output/0/content/0/text").asString()).isEqualTo("12345678");
    HttpResponse<String> stream = ask("[[echo: 123456789]]", ",\"max_output_tokens\":2" + STREAM);
    assertThat(names(stream).getLast()).isEqualTo("response.incomplete");
  }

  @Test
  void reasoningIsAnItem() throws Exception {
    JsonNode hidden = json(ask("[[echo: abcd]]", ",\"reasoning\":{\"effort\":\"low\"}"));
    assertThat(hidden.at("/output/0/type").asString()).isEqualTo("reasoning");
    assertThat(hidden.at("/output/0/summary").isEmpty()).isTrue();
    assertThat(hidden.at("/output/1/content/0/text").asString()).isEqualTo("abcd");
    assertThat(hidden.at("/usage/output_tokens_details/reasoning_tokens").asInt()).isPositive();
    String shown = ",\"reasoning\":{\"effort\":\"low\",\"summary\":\"auto\"}";
    HttpResponse<String> stream = ask("[[reasoning: let me see]]", shown + STREAM);
    assertThat(names(stream))
        .containsSubsequence(
            "response.reasoning_summary_part.added",
            "response.reasoning_summary_text.delta",
            "response.reasoning_summary_text.done",
            "response.reasoning_summary_part.done",
            "response.output_text.delta");
    assertThat(documents(stream).getLast().at("/response/output/0/summary/0/text").asString())
        .isEqualTo("let me see");
  }

  @Test
  void jsonIsAsItsSchemaDemands() throws Exception {
    String format =
        """
        ,"text":{"format":{"type":"json_schema","name":"n","schema":{"type":"object",\
        "required":["age"],"properties":{"age":{"type":"integer","minimum":18}}}}}\
        """;
    assertThat(json(ask("x", format)).at("/output/0/content/0/text").asString())
        .isEqualTo("{\"age\":18}");
  }

  @ParameterizedTest
  @CsvSource({
    "server_error, response.failed, /response/error/code",
    "server_is_overloaded, error, /code"
  })
  void aStreamTellsOfAnError(String type, String event, String pointer) throws Exception {
    HttpResponse<String> response =
        ask("[[stream-error: %s]] [[echo: one two three]]".formatted(type), STREAM);
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(names(response).getLast()).isEqualTo(event);
    assertThat(names(response)).contains("response.created").doesNotContain("response.completed");
    List<JsonNode> events = documents(response);
    assertThat(events.getLast().at(pointer).asString()).isEqualTo(type);
    assertThat(events.getLast().at("/sequence_number").asInt()).isEqualTo(events.size() - 1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"model\":\"m\"}",
        "{\"model\":\"m\",\"input\":[]}",
        "{\"model\":\"m\",\"input\":[{\"type\":\"item_reference\",\"id\":\"x\"}]}",
        "{\"model\":\"m\",\"input\":\"x\",\"previous_response_id\":\"resp_1\"}",
        "{\"input\":\"x\"}",
      })
  void wrongBodiesAreRefused(String body) throws Exception {
    HttpResponse<String> bad = simulator.post(PATH, body);
    assertThat(bad.statusCode()).isEqualTo(400);
    assertThat(json(bad).at("/error/type").asString()).isEqualTo("invalid_request_error");
  }

  @Test
  void limitsAreTheSameForAllApis() throws Exception {
    try (RunningSimulator limited = RunningSimulator.with("rpm=1", "burst=1")) {
      assertThat(limited.chat("x").statusCode()).isEqualTo(200);
      HttpResponse<String> refused = limited.post(PATH, body("x", ""));
      assertThat(refused.statusCode()).isEqualTo(429);
      assertThat(refused.headers().firstValue("x-ratelimit-limit-requests")).contains("1");
      assertThat(json(refused).at("/error/code").asString()).isEqualTo("rate_limit_exceeded");
    }
  }
}
