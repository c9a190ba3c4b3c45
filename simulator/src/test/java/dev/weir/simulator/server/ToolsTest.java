package dev.weir.simulator.server;

import static dev.weir.simulator.server.RunningSimulator.chat;
import static dev.weir.simulator.server.RunningSimulator.documents;
import static dev.weir.simulator.server.RunningSimulator.joined;
import static dev.weir.simulator.server.RunningSimulator.json;
import static dev.weir.simulator.server.RunningSimulator.message;
import static dev.weir.simulator.server.RunningSimulator.names;
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

/**
 * Tools, images, JSON and details of usage in OpenAI's chat completions and Anthropic's messages.
 */
@Timeout(60)
class ToolsTest {

  private static final String CHAT = "/v1/chat/completions";
  private static final String MESSAGES = "/v1/messages";

  private static final String CHAT_TOOLS =
      """
      ,"tools":[{"type":"function","function":{"name":"add","parameters":{"type":"object"}}},\
      {"type":"function","function":{"name":"now"}}]\
      """;
  private static final String MESSAGE_TOOLS =
      """
      ,"tools":[{"name":"add","input_schema":{"type":"object"}},\
      {"name":"now","input_schema":{"type":"object"}}]\
      """;

  private static final String TWO_CALLS =
      "[[tool: add {\"a\": [[1]], \"b\": \"ü]]\"}]] [[tool: now]]";

  private RunningSimulator simulator;

  @BeforeEach
  void start() throws Exception {
    simulator = RunningSimulator.with();
  }

  @AfterEach
  void close() {
    simulator.close();
  }

  private JsonNode chatted(String prompt, String more) throws Exception {
    HttpResponse<String> response = simulator.post(CHAT, chat(prompt, more));
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return json(response);
  }

  private JsonNode messaged(String prompt, String more) throws Exception {
    HttpResponse<String> response = simulator.post(MESSAGES, message(prompt, more));
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return json(response);
  }

  @Test
  void openAiCallsTools() throws Exception {
    JsonNode answer = chatted(TWO_CALLS, CHAT_TOOLS);
    JsonNode choice = answer.at("/choices/0");
    assertThat(choice.at("/finish_reason").asString()).isEqualTo("tool_calls");
    assertThat(choice.at("/message/content").isNull()).isTrue();
    JsonNode calls = choice.at("/message/tool_calls");
    assertThat(calls.size()).isEqualTo(2);
    assertThat(calls.at("/0/type").asString()).isEqualTo("function");
    assertThat(calls.at("/0/function/name").asString()).isEqualTo("add");
    assertThat(calls.at("/0/function/arguments").asString())
        .isEqualTo("{\"a\": [[1]], \"b\": \"ü]]\"}");
    assertThat(calls.at("/1/function/arguments").asString()).isEqualTo("{}");
    assertThat(calls.at("/0/id").asString())
        .startsWith("call_")
        .isNotEqualTo(calls.at("/1/id").asString());
    assertThat(chatted("[[tool: add {}]]", "").at("/choices/0/finish_reason").asString())
        .as("no tools are offered")
        .isEqualTo("stop");
    assertThat(
            chatted("[[tool: add {]]", CHAT_TOOLS)
                .at("/choices/0/message/tool_calls/0/function/arguments")
                .asString())
        .as("as broken as it was asked for")
        .isEqualTo("{");
  }

  @Test
  void openAiStreamsCalls() throws Exception {
    HttpResponse<String> response =
        simulator.post(
            CHAT, chat("[[echo: one moment]] " + TWO_CALLS, CHAT_TOOLS + ",\"stream\":true"));
    List<JsonNode> chunks = documents(response);
    assertThat(joined(chunks, "/choices/0/delta/content")).isEqualTo("one moment");
    for (int index = 0; index < 2; index++) {
      int wanted = index;
      List<JsonNode> pieces =
          chunks.stream()
              .map(chunk -> chunk.at("/choices/0/delta/tool_calls/0"))
              .filter(piece -> piece.path("index").asInt(-1) == wanted)
              .toList();
      assertThat(pieces.getFirst().at("/id").asString()).startsWith("call_");
      assertThat(pieces.stream().skip(1).noneMatch(piece -> piece.has("id"))).isTrue();
      assertThat(joined(pieces, "/function/name")).isEqualTo(index == 0 ? "add" : "now");
      assertThat(joined(pieces, "/function/arguments"))
          .isEqualTo(index == 0 ? "{\"a\": [[1]], \"b\": \"ü]]\"}" : "{}");
      assertThat(pieces).hasSizeGreaterThan(index == 0 ? 3 : 1);
    }
    assertThat(chunks.getLast().at("/choices/0/finish_reason").asString()).isEqualTo("tool_calls");
    assertThat(response.body()).endsWith("data: [DONE]\n\n");
  }

  @Test
  void anthropicCallsTools() throws Exception {
    JsonNode answer = messaged("[[echo: one moment]] " + TWO_CALLS, MESSAGE_TOOLS);
    assertThat(answer.at("/stop_reason").asString()).isEqualTo("tool_use");
    assertThat(answer.at("/content/0/text").asString()).isEqualTo("one moment");
    JsonNode call = answer.at("/content/1");
    assertThat(call.at("/type").asString()).isEqualTo("tool_use");
    assertThat(call.at("/id").asString()).startsWith("toolu_");
    assertThat(call.at("/name").asString()).isEqualTo("add");
    assertThat(call.at("/input/b").asString()).isEqualTo("ü]]");
    assertThat(answer.at("/content/2/input").isObject()).isTrue();
    assertThat(messaged("[[tool: now]]", MESSAGE_TOOLS).at("/content").size())
        .as("no text beside the call")
        .isEqualTo(1);
  }

  @Test
  void anthropicStreamsCalls() throws Exception {
    HttpResponse<String> response =
        simulator.post(MESSAGES, message(TWO_CALLS, MESSAGE_TOOLS + ",\"stream\":true"));
    List<JsonNode> events = documents(response);
    List<JsonNode> starts = events.stream().filter(event -> event.has("content_block")).toList();
    assertThat(starts).hasSize(2);
    assertThat(starts.getFirst().at("/content_block/type").asString()).isEqualTo("tool_use");
    assertThat(starts.getFirst().at("/content_block/input").isEmpty()).isTrue();
    List<JsonNode> first =
        events.stream()
            .filter(event -> event.path("index").asInt(-1) == 0 && event.has("delta"))
            .toList();
    assertThat(joined(first, "/delta/partial_json")).isEqualTo("{\"a\": [[1]], \"b\": \"ü]]\"}");
    assertThat(names(response))
        .containsSubsequence(
            "content_block_start",
            "content_block_delta",
            "content_block_stop",
            "content_block_start",
            "content_block_stop",
            "message_delta",
            "message_stop");
    assertThat(joined(events, "/delta/stop_reason")).isEqualTo("tool_use");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"required\"                                      | hi                   | add | {}",
        "\"required\"                                      | [[tool: now {\"a\":1}]] | now |"
            + " {\"a\":1}",
        "{\"type\":\"function\",\"function\":{\"name\":\"now\"}} | hi             | now | {}",
        "\"auto\"                                          | hi                   |     |",
        "\"none\"                                          | [[tool: now {}]]     |     |",
      })
  void openAiObeysTheChoice(String choice, String prompt, String name, String arguments)
      throws Exception {
    JsonNode answer = chatted(prompt, CHAT_TOOLS + ",\"tool_choice\":" + choice);
    JsonNode call = answer.at("/choices/0/message/tool_calls/0/function");
    assertThat(call.path("name").asString(null)).isEqualTo(name);
    assertThat(call.path("arguments").asString(null)).isEqualTo(arguments);
  }

  @ParameterizedTest
  @CsvSource({"any, add", "tool, now", "auto, ", "none, "})
  void anthropicObeysTheChoice(String type, String name) throws Exception {
    String choice = ",\"tool_choice\":{\"type\":\"%s\",\"name\":\"now\"}".formatted(type);
    JsonNode answer = messaged("hi", MESSAGE_TOOLS + choice);
    assertThat(answer.at("/content/0/name").asString(null)).isEqualTo(name);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ",\"tool_choice\":\"required\"",
        ",\"tool_choice\":\"maybe\"",
        ",\"tools\":[{\"type\":\"function\"}]",
        ",\"response_format\":{\"type\":\"yaml\"}",
        ",\"stop\":[1]"
      })
  void wrongWishesAreRefused(String more) throws Exception {
    assertThat(simulator.post(CHAT, chat("x", more)).statusCode()).isEqualTo(400);
  }

  @Test
  void resultsOfToolsAreRepeated() throws Exception {
    String asked = "{\"role\":\"user\",\"content\":\"add [[tool: add {}]]\"}";
    String called =
        """
        {"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function",\
        "function":{"name":"add","arguments":"{}"}}]}\
        """;
    String result = "{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"it is 42\"}";
    String form = "{\"model\":\"m\",\"messages\":[%s]" + CHAT_TOOLS + "}";
    JsonNode answer =
        json(simulator.post(CHAT, form.formatted(String.join(",", asked, called, result))));
    assertThat(answer.at("/choices/0/message/content").asString()).contains("it is 42");
    assertThat(answer.at("/choices/0/finish_reason").asString()).isEqualTo("stop");
    HttpResponse<String> unasked =
        simulator.post(CHAT, form.formatted(String.join(",", asked, result)));
    assertThat(unasked.statusCode()).isEqualTo(400);
    assertThat(unasked.body()).contains("no such call before it");
    HttpResponse<String> unanswered =
        simulator.post(CHAT, form.formatted(String.join(",", asked, called)));
    assertThat(unanswered.statusCode()).isEqualTo(400);
    assertThat(unanswered.body()).contains("no result for the tool call 'c1'");
  }

  @Test
  void resultsOfToolsAreRepeatedAsAnthropic() throws Exception {
    String body =
        """
        {"model":"m","max_tokens":99%s,"messages":[{"role":"user","content":"[[tool: add {}]]"},\
        {"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"add","input":{}}]},\
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"%s",\
        "content":[{"type":"text","text":"it is 42"}]}]}]}\
        """;
    JsonNode answer = json(simulator.post(MESSAGES, body.formatted(MESSAGE_TOOLS, "t1")));
    assertThat(answer.at("/content/0/text").asString()).contains("it is 42");
    assertThat(answer.at("/stop_reason").asString()).isEqualTo("end_turn");
    assertThat(simulator.post(MESSAGES, body.formatted(MESSAGE_TOOLS, "t2")).statusCode())
        .isEqualTo(400);
  }

  @Test
  void imagesAreCounted() throws Exception {
    String chat =
        """
        {"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"abcd"},\
        {"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}]}\
        """;
    assertThat(json(simulator.post(CHAT, chat)).at("/usage/prompt_tokens").asInt()).isEqualTo(257);
    String message =
        """
        {"model":"m","max_tokens":9,"messages":[{"role":"user","content":[\
        {"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]}]}\
        """;
    assertThat(json(simulator.post(MESSAGES, message)).at("/usage/input_tokens").asInt())
        .isEqualTo(256);
  }

  @Test
  void jsonIsAsItsSchemaDemands() throws Exception {
    String schema =
        """
        {"type":"object","required":["name","age","kind","tags","inner","maybe"],"properties":{\
        "name":{"type":"string","minLength":3},"age":{"type":"integer","minimum":18},\
        "kind":{"enum":["a","b"]},"tags":{"type":"array","minItems":2,"items":{"type":"number"}},\
        "inner":{"$ref":"#/$defs/inner"},"maybe":{"anyOf":[{"type":"boolean"},{"type":"null"}]},\
        "unused":{"type":"string"}},"$defs":{"inner":{"type":"object",\
        "properties":{"again":{"$ref":"#/$defs/inner"}}}}}\
        """;
    String format =
        ",\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"n\",\"schema\":%s}}"
            .formatted(schema);
    JsonNode made = json(chatted("x", format).at("/choices/0/message/content").asString());
    assertThat(made.propertyNames())
        .containsExactly("name", "age", "kind", "tags", "inner", "maybe");
    assertThat(made.at("/name").asString()).hasSize(3);
    assertThat(made.at("/age").asInt()).isEqualTo(18);
    assertThat(made.at("/kind").asString()).isEqualTo("a");
    assertThat(made.at("/tags").size()).isEqualTo(2);
    assertThat(made.at("/inner/again").isObject()).isTrue();
    assertThat(made.at("/maybe").isBoolean()).isTrue();
    assertThat(chatted("[[echo: {\"a\":{}}]]", format).at("/choices/0/message/content").asString())
        .isEqualTo("{\"a\":{}}");
    String output =
        ",\"output_config\":{\"format\":{\"type\":\"json_schema\",\"schema\":%s}}"
            .formatted(schema);
    assertThat(json(messaged("x", output).at("/content/0/text").asString()).at("/age").asInt())
        .isEqualTo(18);
    JsonNode any = chatted("x", ",\"response_format\":{\"type\":\"json_object\"}");
    assertThat(json(any.at("/choices/0/message/content").asString()).isObject()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\":\"array\",\"minItems\":1000000000,\"items\":{\"$ref\":\"#/$defs/a\"},\"$defs\":{\"a\":{\"type\":\"array\",\"minItems\":9,\"items\":{\"$ref\":\"#/$defs/a\"}}}}",
        "{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"$ref\":\"#/$defs/a\"}}}",
        "{\"anyOf\":[{\"$ref\":\"#/nowhere\"}],\"required\":[1,{}]}",
        "{\"type\":\"string\",\"minLength\":-1}",
        "{\"type\":[],\"required\":[{}],\"properties\":7}"
      })
  void noSchemaIsTooStrange(String schema) throws Exception {
    String format =
        ",\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"n\",\"schema\":%s}}"
            .formatted(schema);
    String made = chatted("x", format).at("/choices/0/message/content").asString();
    assertThat(made).hasSizeLessThan(10_000);
    assertThat(json(made).isMissingNode()).isFalse();
  }

  @Test
  void anAnswerEndsBeforeAStop() throws Exception {
    JsonNode openAi =
        chatted("[[echo: one two three]]", ",\"stop\":[\"three\",\" two\"],\"seed\":1");
    assertThat(openAi.at("/choices/0/message/content").asString()).isEqualTo("one");
    assertThat(openAi.at("/choices/0/finish_reason").asString()).isEqualTo("stop");
    JsonNode anthropic = messaged("[[echo: one two]]", ",\"stop_sequences\":[\" two\"]");
    assertThat(anthropic.at("/content/0/text").asString()).isEqualTo("one");
    assertThat(anthropic.at("/stop_reason").asString()).isEqualTo("stop_sequence");
    assertThat(anthropic.at("/stop_sequence").asString()).isEqualTo(" two");
  }

  @Test
  void usageTellsOfCacheAndReasoning() throws Exception {
    String prompt = "[[cached: 100]] [[cache-write: 20]] [[reasoning: 12345678]] [[echo: abcd]]";
    int plain = Conversation.tokens(prompt);
    JsonNode openAi = chatted(prompt, "").at("/usage");
    assertThat(openAi.at("/prompt_tokens").asInt()).isEqualTo(plain + 120);
    assertThat(openAi.at("/prompt_tokens_details/cached_tokens").asInt()).isEqualTo(100);
    assertThat(openAi.at("/completion_tokens").asInt()).isEqualTo(3);
    assertThat(openAi.at("/completion_tokens_details/reasoning_tokens").asInt()).isEqualTo(2);
    JsonNode anthropic = messaged(prompt, "").at("/usage");
    assertThat(anthropic.at("/input_tokens").asInt()).isEqualTo(plain);
    assertThat(anthropic.at("/cache_read_input_tokens").asInt()).isEqualTo(100);
    assertThat(anthropic.at("/cache_creation_input_tokens").asInt()).isEqualTo(20);
    assertThat(anthropic.at("/output_tokens").asInt()).as("it does not think").isEqualTo(1);
    assertThat(simulator.chat("[[cached: many]]").statusCode()).isEqualTo(400);
  }

  @Test
  void anthropicThinksWhenItMay() throws Exception {
    String body =
        """
        {"model":"m","max_tokens":2000,"thinking":{"type":"enabled","budget_tokens":%d}%s,\
        "messages":[{"role":"user","content":"[[reasoning: let me see]] [[echo: yes]]"}]}\
        """;
    JsonNode answer = json(simulator.post(MESSAGES, body.formatted(1024, "")));
    assertThat(answer.at("/content/0/type").asString()).isEqualTo("thinking");
    assertThat(answer.at("/content/0/thinking").asString()).isEqualTo("let me see");
    assertThat(answer.at("/content/0/signature").asString()).isNotEmpty();
    assertThat(answer.at("/content/1/text").asString()).isEqualTo("yes");
    assertThat(answer.at("/usage/output_tokens").asInt()).isEqualTo(4);
    List<JsonNode> events =
        documents(simulator.post(MESSAGES, body.formatted(1024, ",\"stream\":true")));
    assertThat(joined(events, "/delta/thinking")).isEqualTo("let me see");
    assertThat(joined(events, "/delta/signature")).isNotEmpty();
    assertThat(joined(events, "/delta/text")).isEqualTo("yes");
    assertThat(simulator.post(MESSAGES, body.formatted(2000, "")).statusCode())
        .as("no room is left for the answer")
        .isEqualTo(400);
  }
}
