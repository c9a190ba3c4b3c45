package dev.weir.simulator.server;

import static dev.weir.simulator.server.RunningSimulator.chat;
import static dev.weir.simulator.server.RunningSimulator.documents;
import static dev.weir.simulator.server.RunningSimulator.json;
import static dev.weir.simulator.server.RunningSimulator.message;
import static dev.weir.simulator.server.RunningSimulator.names;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** What prompts can ask for instead of a proper answer. */
@Timeout(60)
class MisbehaviourTest {

  private static final String CHAT = "/v1/chat/completions";
  private static final String MESSAGES = "/v1/messages";
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

  @Test
  void aRecordedRefusalIsReplayedAsItWas() throws Exception {
    String body = "{\"error\": {\"type\": \"insufficient_quota\", \"deep\": {\"list\": [[1]]}}}";
    HttpResponse<String> response =
        simulator.chat(
            "[[status: 429 %s]] [[header: Retry-After: 2]] [[header: x-should-retry: false]]"
                .formatted(body));
    assertThat(response.statusCode()).isEqualTo(429);
    assertThat(response.body()).isEqualTo(body);
    assertThat(response.headers().firstValue("retry-after")).contains("2");
    assertThat(response.headers().firstValue("x-should-retry")).contains("false");
    assertThat(response.headers().firstValue("content-type")).contains("application/json");
    assertThat(simulator.stats().at("/failures/scripted").asInt()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
    "/v1/chat/completions, 529, 503, server_error",
    "/v1/messages, 529, 529, overloaded_error",
    "/v1/messages, 401, 401, authentication_error"
  })
  void aStatusAloneIsToldInTheWordsOfTheApi(String path, int asked, int told, String type)
      throws Exception {
    HttpResponse<String> response =
        simulator.post(path, message("[[status: %d]]".formatted(asked), ""));
    assertThat(response.statusCode()).isEqualTo(told);
    assertThat(json(response).at("/error/type").asString()).isEqualTo(type);
  }

  @Test
  void aRecordedStreamIsReplayedToo() throws Exception {
    HttpResponse<String> response =
        simulator.chat(
            "[[status: 200 data: {\"x\":1}\n\n]] [[header: content-type: text/event-stream]]");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.headers().firstValue("content-type")).contains("text/event-stream");
    assertThat(response.body()).isEqualTo("data: {\"x\":1}");
    HttpResponse<String> page = simulator.chat("[[status: 502 <html>Bad Gateway</html>]]");
    assertThat(page.headers().firstValue("content-type")).contains("text/html; charset=utf-8");
  }

  @Test
  void aHeaderGoesWithAProperAnswerToo() throws Exception {
    HttpResponse<String> response = simulator.chat("[[header: retry-after: 9]] [[echo: fine]]");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.headers().firstValue("retry-after")).contains("9");
    assertThat(json(response).at("/choices/0/message/content").asString()).isEqualTo("fine");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[[status: 99]]",
        "[[status: 600]]",
        "[[status: 5000]]",
        "[[status]]",
        "[[large: many]]",
        "[[large]]",
        "[[header: no value]]",
        "[[header: content-length: 3]]",
        "[[header: a: b\nc]]",
      })
  void directivesWithoutMeaningAreRefused(String prompt) throws Exception {
    HttpResponse<String> response = simulator.chat(prompt);
    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(json(response).at("/error/message").asString()).contains("The directive");
  }

  @Test
  void troubleIsOverWithTheTurnThatAskedForIt() throws Exception {
    HttpResponse<String> response =
        simulator.post(
            CHAT,
            """
            {"model":"m","messages":[{"role":"user","content":"[[status: 500]]"},\
            {"role":"assistant","content":"no"},{"role":"user","content":"again"}]}\
            """);
    assertThat(response.statusCode()).isEqualTo(200);
  }

  @Test
  void aStreamTellsOfAnErrorAsOpenAi() throws Exception {
    String prompt = "[[stream-error: server_is_overloaded]] [[echo: one two three four five]]";
    HttpResponse<String> response = simulator.post(CHAT, chat(prompt, STREAM));
    assertThat(response.statusCode()).isEqualTo(200);
    List<JsonNode> chunks = documents(response);
    assertThat(chunks.getFirst().has("choices")).isTrue();
    assertThat(chunks.getLast().at("/error/code").asString()).isEqualTo("server_is_overloaded");
    assertThat(response.body()).contains("one").doesNotContain("five", "[DONE]");
  }

  @Test
  void aStreamTellsOfAnErrorAsAnthropic() throws Exception {
    String prompt = "[[stream-error: overloaded_error]] [[echo: one two three four five]]";
    HttpResponse<String> response = simulator.post(MESSAGES, message(prompt, STREAM));
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(names(response)).contains("message_start").doesNotContain("message_stop");
    assertThat(names(response).getLast()).isEqualTo("error");
    JsonNode error = documents(response).getLast();
    assertThat(error.at("/type").asString()).isEqualTo("error");
    assertThat(error.at("/error/type").asString()).isEqualTo("overloaded_error");
    assertThat(simulator.post(MESSAGES, message(prompt, "")).statusCode())
        .as("without a stream the status tells")
        .isEqualTo(529);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", STREAM})
  void aBodyCanBreakOff(String stream) throws Exception {
    String prompt = "[[truncate]] [[echo: one two three]]";
    assertThatThrownBy(() -> simulator.post(CHAT, chat(prompt, stream)))
        .isInstanceOf(IOException.class);
    assertThat(simulator.chat("x").statusCode()).as("the server lives").isEqualTo(200);
  }

  @Test
  void aBodyCanBeOfAnotherKind() throws Exception {
    HttpResponse<String> page = simulator.chat("[[html]]");
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.headers().firstValue("content-type")).contains("text/html; charset=utf-8");
    assertThat(page.body()).startsWith("<!DOCTYPE html>");
    HttpResponse<String> broken = simulator.chat("[[notjson]]");
    assertThat(broken.headers().firstValue("content-type")).contains("application/json");
    assertThatThrownBy(() -> json(broken)).isInstanceOf(JacksonException.class);
    HttpResponse<String> large = simulator.chat("[[large: 3 MB]]");
    assertThat(large.body().length()).isGreaterThanOrEqualTo(3 << 20);
    assertThat(json(large).has("padding")).isTrue();
  }
}
