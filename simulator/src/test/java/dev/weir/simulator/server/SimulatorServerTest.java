package dev.weir.simulator.server;

import static dev.weir.simulator.server.RunningSimulator.chat;
import static dev.weir.simulator.server.RunningSimulator.data;
import static dev.weir.simulator.server.RunningSimulator.json;
import static dev.weir.simulator.server.RunningSimulator.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.limits.header.BodyHints;
import dev.weir.limits.header.Dimension;
import dev.weir.limits.header.QuotaSnapshot;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.header.ResponseFactsParser;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The simulator as clients meet it, over real sockets of this machine. */
@Timeout(60)
class SimulatorServerTest {

  private static final String CHAT = "/v1/chat/completions";
  private static final String MESSAGES = "/v1/messages";

  @TempDir Path directory;

  private final List<RunningSimulator> running = new ArrayList<>();

  @AfterEach
  void close() {
    running.forEach(RunningSimulator::close);
  }

  private RunningSimulator start(String... settings) throws Exception {
    RunningSimulator simulator = RunningSimulator.with(settings);
    running.add(simulator);
    return simulator;
  }

  private static ResponseFacts facts(HttpResponse<String> response, BodyHints hints) {
    return ResponseFactsParser.parse(
        response.headers().map(), hints, RunningSimulator.TIME.instant());
  }

  private static BodyHints hints(JsonNode error) {
    return BodyHints.NONE
        .withErrorType(error.path("type").asString(""))
        .withMessage(error.path("message").asString(""));
  }

  private static QuotaSnapshot quota(ResponseFacts facts, Dimension dimension) {
    return facts.quotas().stream()
        .filter(quota -> quota.dimension() == dimension)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void answersAsOpenAi() throws Exception {
    RunningSimulator simulator = start();
    HttpResponse<String> response = simulator.chat("say [[echo: hello there]]");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.headers().firstValue("x-request-id")).isPresent();
    JsonNode answer = json(response);
    assertThat(answer.at("/object").asString()).isEqualTo("chat.completion");
    assertThat(answer.at("/id").asString()).startsWith("chatcmpl-");
    assertThat(answer.at("/choices/0/message/content").asString()).isEqualTo("hello there");
    assertThat(answer.at("/choices/0/finish_reason").asString()).isEqualTo("stop");
    assertThat(answer.at("/usage/prompt_tokens").asInt()).isEqualTo(7);
    assertThat(answer.at("/usage/completion_tokens").asInt()).isEqualTo(3);
    assertThat(answer.at("/usage/total_tokens").asInt()).isEqualTo(10);
  }

  @Test
  void streamsAsOpenAi() throws Exception {
    RunningSimulator simulator = start();
    String more = ",\"stream\":true,\"stream_options\":{\"include_usage\":true}";
    HttpResponse<String> response = simulator.post(CHAT, chat("[[echo: one two three]]", more));
    assertThat(response.headers().firstValue("content-type")).contains("text/event-stream");
    List<String> data = data(response);
    assertThat(data.getLast()).isEqualTo("[DONE]");
    List<JsonNode> chunks =
        data.subList(0, data.size() - 1).stream().map(RunningSimulator::json).toList();
    assertThat(chunks.getFirst().at("/choices/0/delta/role").asString()).isEqualTo("assistant");
    assertThat(
            chunks.stream()
                .map(chunk -> chunk.at("/choices/0/delta/content").asString(""))
                .collect(Collectors.joining()))
        .isEqualTo("one two three");
    assertThat(chunks).hasSizeGreaterThan(5);
    assertThat(chunks.get(chunks.size() - 2).at("/choices/0/finish_reason").asString())
        .isEqualTo("stop");
    assertThat(chunks.getLast().at("/usage/completion_tokens").asInt()).isEqualTo(4);
    HttpResponse<String> bare = simulator.post(CHAT, chat("x", ",\"stream\":true"));
    assertThat(bare.body()).doesNotContain("usage").endsWith("data: [DONE]\n\n");
    assertThat(simulator.stats().at("/streams").asInt()).isEqualTo(2);
  }

  @Test
  void answersAsAnthropic() throws Exception {
    HttpResponse<String> response =
        start()
            .post(
                MESSAGES,
                message(
                    "x", ",\"system\":[{\"type\":\"text\",\"text\":\"[[echo: from system]]\"}]"));
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.headers().firstValue("request-id")).isPresent();
    JsonNode answer = json(response);
    assertThat(answer.at("/type").asString()).isEqualTo("message");
    assertThat(answer.at("/content/0/text").asString()).isEqualTo("from system");
    assertThat(answer.at("/stop_reason").asString()).isEqualTo("end_turn");
    assertThat(answer.at("/usage/output_tokens").asInt()).isEqualTo(3);
  }

  @Test
  void streamsAsAnthropic() throws Exception {
    HttpResponse<String> response =
        start().post(MESSAGES, message("[[echo: one two]]", ",\"stream\":true"));
    List<String> names =
        response
            .body()
            .lines()
            .filter(line -> line.startsWith("event: "))
            .map(line -> line.substring("event: ".length()))
            .toList();
    assertThat(names)
        .containsExactly(
            "message_start",
            "content_block_start",
            "content_block_delta",
            "content_block_delta",
            "content_block_stop",
            "message_delta",
            "message_stop");
    List<JsonNode> events = data(response).stream().map(RunningSimulator::json).toList();
    assertThat(events.stream().map(event -> event.get("type").asString())).isEqualTo(names);
    assertThat(
            events.stream()
                .map(event -> event.at("/delta/text").asString(""))
                .collect(Collectors.joining()))
        .isEqualTo("one two");
    assertThat(events.get(5).at("/usage/output_tokens").asInt()).isEqualTo(2);
    assertThat(events.get(5).at("/delta/stop_reason").asString()).isEqualTo("end_turn");
  }

  @Test
  void anAnswerIsCutAtMaxTokens() throws Exception {
    RunningSimulator simulator = start();
    JsonNode cut = json(simulator.post(CHAT, chat("[[echo: 123456789]]", ",\"max_tokens\":2")));
    assertThat(cut.at("/choices/0/message/content").asString()).isEqualTo("12345678");
    assertThat(cut.at("/choices/0/finish_reason").asString()).isEqualTo("length");
    assertThat(cut.at("/usage/completion_tokens").asInt()).isEqualTo(2);
  }

  @Test
  void modelsHaveTheShapeOfTheApi() throws Exception {
    RunningSimulator simulator = start();
    JsonNode openAi = json(simulator.send(simulator.to("/v1/models")));
    assertThat(openAi.at("/object").asString()).isEqualTo("list");
    assertThat(openAi.at("/data/0/object").asString()).isEqualTo("model");
    JsonNode anthropic =
        json(simulator.send(simulator.to("/v1/models").header("anthropic-version", "2023-06-01")));
    assertThat(anthropic.at("/data/0/type").asString()).isEqualTo("model");
    assertThat(anthropic.at("/has_more").asBoolean(true)).isFalse();
    assertThat(json(simulator.send(simulator.to("/v1/models/gpt-4o"))).at("/id").asString())
        .isEqualTo("gpt-4o");
  }

  @Test
  void aRequestQuotaIsAdvertisedAndEnforcedAsOpenAi() throws Exception {
    RunningSimulator simulator = start("rpm=1", "burst=2", "tpm=1000");
    HttpResponse<String> first = simulator.chat("x");
    assertThat(first.statusCode()).isEqualTo(200);
    QuotaSnapshot requests = quota(facts(first, BodyHints.NONE), Dimension.REQUESTS);
    assertThat(requests.limit()).hasValue(2);
    assertThat(requests.remaining()).hasValue(1);
    assertThat(first.headers().firstValue("x-ratelimit-reset-requests")).contains("1m0s");
    simulator.chat("x");
    HttpResponse<String> refused = simulator.chat("x");
    assertThat(refused.statusCode()).isEqualTo(429);
    JsonNode error = json(refused).get("error");
    assertThat(error.get("type").asString()).isEqualTo("requests");
    assertThat(error.get("code").asString()).isEqualTo("rate_limit_exceeded");
    ResponseFacts facts = facts(refused, hints(error));
    assertThat(facts.limitKind()).contains("requests");
    assertThat(facts.serverWait().orElseThrow())
        .isBetween(Duration.ofSeconds(30), Duration.ofSeconds(60));
    assertThat(quota(facts, Dimension.REQUESTS).remaining()).hasValue(0);
    JsonNode stats = simulator.stats();
    assertThat(stats.at("/requests").asInt()).isEqualTo(3);
    assertThat(stats.at("/answers").asInt()).isEqualTo(2);
    assertThat(stats.at("/refusals/total").asInt()).isEqualTo(1);
    assertThat(stats.at("/refusals/requests").asInt()).isEqualTo(1);
    assertThat(stats.at("/duplicates").asInt()).as("the same body").isEqualTo(1);
    assertThat(stats.at("/makespan_seconds").asDouble()).isPositive();
    assertThat(stats.at("/first_request").asString()).endsWith("Z");
  }

  @Test
  void aTokenQuotaIsReservedByMaxTokensAndAdvertisedAsAnthropic() throws Exception {
    RunningSimulator simulator = start("tpm=60");
    HttpResponse<String> first = simulator.post(MESSAGES, message("abcd", ""));
    assertThat(first.statusCode()).isEqualTo(200);
    assertThat(quota(facts(first, BodyHints.NONE), Dimension.TOKENS).limit()).hasValue(60);
    // 7 were used of the 51 that were reserved; now 53 are left.
    assertThat(simulator.post(MESSAGES, message("abcd", "")).statusCode()).isEqualTo(200);
    HttpResponse<String> refused = simulator.post(MESSAGES, message("abcd", ""));
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(json(refused).at("/type").asString()).isEqualTo("error");
    assertThat(json(refused).at("/error/type").asString()).isEqualTo("rate_limit_error");
    assertThat(refused.headers().firstValue("anthropic-ratelimit-tokens-reset")).isPresent();
    ResponseFacts facts = facts(refused, hints(json(refused).get("error")));
    assertThat(facts.serverWait().orElseThrow()).isBetween(Duration.ZERO, Duration.ofSeconds(10));
    assertThat(simulator.stats().at("/refusals/tokens").asInt()).isEqualTo(1);
  }

  @Test
  void aRequestThatCanNeverPassIsToldSo() throws Exception {
    HttpResponse<String> refused =
        start("tpm=100").post(CHAT, chat("x", ",\"max_completion_tokens\":1000"));
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(json(refused).at("/error/message").asString())
        .contains("Request too large", "Limit 100, Requested 1001");
    assertThat(refused.headers().firstValue("retry-after")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "openai, x-ratelimit-limit-requests, true",
    "azure, x-ratelimit-remaining-requests, true",
    "anthropic, anthropic-ratelimit-requests-limit, true",
    "retry-after, , true",
    "gemini, , false",
    "none, , false"
  })
  void limitsAreToldInTheChosenStyle(String style, String header, boolean retryAfter)
      throws Exception {
    RunningSimulator simulator = start("rpm=1", "burst=1", "headers=" + style);
    HttpResponse<String> first = simulator.chat("x");
    HttpResponse<String> refused = simulator.chat("x");
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(refused.headers().firstValue("retry-after").isPresent()).isEqualTo(retryAfter);
    if (header == null) {
      assertThat(facts(first, BodyHints.NONE).quotas()).isEmpty();
    } else {
      assertThat(first.headers().firstValue(header)).isPresent();
    }
    if (style.equals("gemini")) {
      assertThat(refused.body()).contains("RESOURCE_EXHAUSTED", "RetryInfo", "QuotaFailure");
    } else if (style.equals("none")) {
      assertThat(facts(refused, hints(json(refused).get("error"))))
          .as("nothing is told, not even by the message")
          .isEqualTo(facts(first, BodyHints.NONE));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/openai/v1/chat/completions", "/openai/v1/responses"})
  void azureServesTheApisOfOpenAi(String path) throws Exception {
    RunningSimulator simulator = start("rpm=1", "burst=1", "api-key=key");
    String body = path.endsWith("responses") ? "{\"model\":\"m\",\"input\":\"x\"}" : chat("x", "");
    HttpResponse<String> first = simulator.post(path, body, "api-key", "key");
    assertThat(first.statusCode()).isEqualTo(200);
    assertThat(first.headers().firstValue("x-ratelimit-remaining-requests")).contains("0");
    assertThat(first.headers().firstValue("x-ratelimit-limit-requests")).isEmpty();
    HttpResponse<String> refused = simulator.post(path, body, "api-key", "key");
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(refused.headers().firstValue("retry-after-ms")).isPresent();
    assertThat(json(refused).at("/error/code").asString()).isEqualTo("rate_limit_exceeded");
    assertThat(simulator.post("/openai/v1/other", body).statusCode()).isEqualTo(404);
  }

  @Test
  void aHiddenLimitIsEnforcedAndNotAdvertised() throws Exception {
    RunningSimulator simulator = start("rpm=600", "hidden-rpm=1:1");
    HttpResponse<String> first = simulator.chat("x");
    assertThat(quota(facts(first, BodyHints.NONE), Dimension.REQUESTS).limit()).hasValue(600);
    assertThat(simulator.chat("y").statusCode()).isEqualTo(429);
  }

  @Test
  void aCapRefusesWhatIsOneTooMany() throws Exception {
    RunningSimulator simulator = start("cap=1", "latency=10m");
    CompletableFuture<HttpResponse<String>> held = simulator.begin(CHAT, chat("held", ""));
    simulator.awaitStats(stats -> stats.at("/in_flight").asInt() == 1);
    assertThat(simulator.chat("x").statusCode()).isEqualTo(429);
    assertThat(simulator.stats().at("/refusals/concurrency").asInt()).isEqualTo(1);
    held.cancel(true);
    JsonNode stats = simulator.awaitStats(s -> s.at("/in_flight").asInt() == 0);
    assertThat(stats.at("/cancelled").asInt()).isEqualTo(1);
    assertThat(stats.at("/peak_in_flight").asInt()).isEqualTo(1);
    assertThat(stats.at("/answers").asInt()).isZero();
  }

  @Test
  void aCapThatQueuesServesInTurn() throws Exception {
    Path answers = directory.resolve("answers.jsonl");
    Files.writeString(answers, "{\"match\": \"slow\", \"answer\": \"s\", \"latency\": \"10m\"}\n");
    RunningSimulator simulator = start("cap=1:queue", "answers=" + answers);
    CompletableFuture<HttpResponse<String>> served = simulator.begin(CHAT, chat("slow", ""));
    simulator.awaitStats(stats -> stats.at("/in_flight").asInt() == 1);
    CompletableFuture<HttpResponse<String>> left = simulator.begin(CHAT, chat("slow, left", ""));
    simulator.awaitStats(stats -> stats.at("/in_flight").asInt() == 2);
    CompletableFuture<HttpResponse<String>> queued = simulator.begin(CHAT, chat("queued", ""));
    simulator.awaitStats(stats -> stats.at("/in_flight").asInt() == 3);
    left.cancel(true);
    simulator.awaitStats(stats -> stats.at("/cancelled").asInt() == 1);
    assertThat(queued).isNotDone();
    served.cancel(true);
    assertThat(queued.get().statusCode()).isEqualTo(200);
    JsonNode stats = simulator.awaitStats(s -> s.at("/in_flight").asInt() == 0);
    assertThat(stats.at("/answers").asInt()).isEqualTo(1);
    assertThat(stats.at("/refusals/total").asInt()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ",\"stream\":true"})
  void aHungCallEndsWhenItsClientLeaves(String stream) throws Exception {
    RunningSimulator simulator = start("hang-rate=1", "cap=1");
    CompletableFuture<HttpResponse<String>> call = simulator.begin(CHAT, chat("x", stream));
    simulator.awaitStats(stats -> stats.at("/in_flight").asInt() == 1);
    assertThat(simulator.chat("y").statusCode()).as("the slot is taken").isEqualTo(429);
    call.cancel(true);
    JsonNode stats = simulator.awaitStats(s -> s.at("/in_flight").asInt() == 0);
    assertThat(stats.at("/hung").asInt()).isEqualTo(1);
    assertThat(stats.at("/cancelled").asInt()).isEqualTo(1);
    CompletableFuture<HttpResponse<String>> next = simulator.begin(CHAT, chat("z", ""));
    simulator.awaitStats(s -> s.at("/in_flight").asInt() == 1);
    next.cancel(true);
  }

  @Test
  void aStreamWhoseReaderLeavesIsCancelled() throws Exception {
    RunningSimulator simulator = start("latency=10m");
    CompletableFuture<HttpResponse<String>> call =
        simulator.begin(MESSAGES, message("x", ",\"stream\":true"));
    simulator.awaitStats(stats -> stats.at("/in_flight").asInt() == 1);
    call.cancel(true);
    JsonNode stats = simulator.awaitStats(s -> s.at("/in_flight").asInt() == 0);
    assertThat(stats.at("/cancelled").asInt()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
    "outage=0+10m, /v1/messages, 503, api_error, outage",
    "outage=0+10m, /v1/chat/completions, 503, server_error, outage",
    "overload=0+10m:1, /v1/messages, 529, overloaded_error, overload",
    "overload=0+10m:1, /v1/chat/completions, 503, server_error, overload",
    "error-rate=1, /v1/messages, 500, api_error, error",
    "error-rate=1, /v1/chat/completions, 500, server_error, error"
  })
  void faultsAreToldInTheWordsOfTheApi(
      String setting, String path, int status, String type, String counted) throws Exception {
    RunningSimulator simulator = start(setting);
    HttpResponse<String> failed =
        simulator.post(path, path.equals(CHAT) ? chat("x", "") : message("x", ""));
    assertThat(failed.statusCode()).isEqualTo(status);
    assertThat(json(failed).at("/error/type").asString()).isEqualTo(type);
    assertThat(simulator.stats().at("/failures/" + counted).asInt()).isEqualTo(1);
  }

  @Test
  void aScriptAnswersFirst() throws Exception {
    Path answers = directory.resolve("answers.jsonl");
    Files.writeString(
        answers,
        """
        {"match": "France", "answer": "Paris"}

        {"match": "/sum of \\\\d+/", "answer": "a sum", "latency": "2ms"}
        {"match": "forbidden", "answer": "not that", "status": 400}
        """);
    RunningSimulator simulator = start("answers=" + answers);
    assertThat(content(simulator.chat("the capital of France? [[echo: no]]"))).isEqualTo("Paris");
    assertThat(content(simulator.chat("the sum of 12"))).isEqualTo("a sum");
    assertThat(content(simulator.chat("the sum of all"))).isEqualTo(Answerer.OTHERWISE);
    HttpResponse<String> error = simulator.chat("forbidden");
    assertThat(error.statusCode()).isEqualTo(400);
    assertThat(json(error).at("/error/message").asString()).isEqualTo("not that");
    assertThat(simulator.stats().at("/failures/scripted").asInt()).isEqualTo(1);
  }

  @Test
  void theCoinIsRightAsOftenAsItShouldBe() throws Exception {
    RunningSimulator simulator = start("accuracy=0.6", "seed=1");
    int right = 0;
    for (int i = 0; i < 200; i++) {
      String answer = content(simulator.chat("question %d [[target: Paris]]".formatted(i)));
      right += answer.equals("Paris") ? 1 : 0;
      assertThat(answer.equals("Paris") || !answer.contains("Paris")).isTrue();
    }
    assertThat(right).isBetween(100, 140);
    String prompt = "question 3 [[target: Paris]]";
    assertThat(content(simulator.chat(prompt))).isEqualTo(content(simulator.chat(prompt)));
    RunningSimulator always = start("accuracy=1");
    assertThat(content(always.post(CHAT, chat("x", ""), "x-weir-target", "Rome")))
        .isEqualTo("Rome");
  }

  private static String content(HttpResponse<String> response) {
    return json(response).at("/choices/0/message/content").asString();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{                                  | could not parse",
        "[]                                 | must be a JSON object",
        "{}                                 | `messages` must be a list",
        "{\"messages\":[]}                  | `messages` must be a list that is not empty",
        "{\"messages\":[1]}                 | `messages[0]` must be an object",
        "{\"messages\":[{}]}                | `messages[0].role` must be a text",
        "{\"messages\":[{\"role\":\"user\",\"content\":1}]} | `messages[0].content` must be a text",
        "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]} | `model` must be a text",
      })
  void bodiesThatAreNotAsTheApiDemandsAreRefused(String body, String explanation) throws Exception {
    RunningSimulator simulator = start();
    HttpResponse<String> bad = simulator.post(CHAT, body);
    assertThat(bad.statusCode()).isEqualTo(400);
    assertThat(json(bad).at("/error/type").asString()).isEqualTo("invalid_request_error");
    assertThat(json(bad).at("/error/message").asString()).contains(explanation);
    assertThat(simulator.stats().at("/bad_requests").asInt()).isEqualTo(1);
    assertThat(simulator.stats().at("/requests").asInt()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ",\"max_tokens\":0",
        ",\"max_tokens\":\"many\"",
        ",\"max_completion_tokens\":1.5",
        ",\"stream\":\"yes\"",
        ",\"stream_options\":true",
        ",\"temperature\":\"hot\"",
        ",\"n\":2"
      })
  void fieldsOfTheWrongTypeAreRefused(String more) throws Exception {
    assertThat(start().post(CHAT, chat("x", more)).statusCode()).isEqualTo(400);
  }

  @Test
  void anthropicDemandsMaxTokens() throws Exception {
    HttpResponse<String> bad = start().post(MESSAGES, chat("x", ""));
    assertThat(bad.statusCode()).isEqualTo(400);
    assertThat(bad.body()).contains("invalid_request_error", "max_tokens");
  }

  @Test
  void aCredentialIsNeededAndNeverEchoed() throws Exception {
    RunningSimulator simulator = start("api-key=sk-right");
    for (HttpResponse<String> refused :
        List.of(
            simulator.chat("x"),
            simulator.post(CHAT, chat("x", ""), "authorization", "Bearer sk-wrong"),
            simulator.post(MESSAGES, message("x", ""), "x-api-key", "sk-wrong"),
            simulator.send(simulator.to("/v1/models")))) {
      assertThat(refused.statusCode()).isEqualTo(401);
      assertThat(refused.body() + refused.headers()).doesNotContain("sk-");
    }
    assertThat(simulator.post(CHAT, chat("x", ""), "authorization", "Bearer sk-right").statusCode())
        .isEqualTo(200);
    assertThat(simulator.post(MESSAGES, message("x", ""), "x-api-key", "sk-right").statusCode())
        .isEqualTo(200);
    assertThat(simulator.post(CHAT, chat("x", ""), "api-key", "sk-right").statusCode())
        .isEqualTo(200);
    assertThat(simulator.stats().at("/unauthorized").asInt()).isEqualTo(4);
  }

  @Test
  void otherPathsMethodsAndSizesAreRefusedAsJson() throws Exception {
    RunningSimulator simulator = start();
    HttpResponse<String> nowhere = simulator.post("/v1/completions", "{}");
    assertThat(nowhere.statusCode()).isEqualTo(404);
    assertThat(json(nowhere).at("/error/type").asString()).isEqualTo("invalid_request_error");
    HttpResponse<String> elsewhere = simulator.post("/v1/messages/other", "{}");
    assertThat(elsewhere.statusCode()).isEqualTo(404);
    assertThat(json(elsewhere).at("/error/type").asString()).isEqualTo("not_found_error");
    HttpResponse<String> wrong = simulator.send(simulator.to(CHAT));
    assertThat(wrong.statusCode()).isEqualTo(405);
    assertThat(wrong.headers().firstValue("allow")).contains("POST");
    HttpResponse<String> large = simulator.chat("x".repeat(200_000));
    assertThat(large.statusCode()).isEqualTo(413);
    assertThat(json(large).at("/error/message").asString()).contains("at most");
  }

  @Test
  void anIdempotencyKeyTellsDuplicatesApart() throws Exception {
    RunningSimulator simulator = start();
    simulator.post(CHAT, chat("x", ""), "idempotency-key", "a");
    simulator.post(CHAT, chat("x", ""), "idempotency-key", "b");
    assertThat(simulator.stats().at("/duplicates").asInt()).isZero();
    simulator.post(CHAT, chat("y", ""), "idempotency-key", "a");
    assertThat(simulator.stats().at("/duplicates").asInt()).isEqualTo(1);
  }

  @Test
  void countsCanBeReset() throws Exception {
    RunningSimulator simulator = start("rpm=1", "burst=1");
    simulator.chat("x");
    HttpResponse<String> reset = simulator.post("/stats/reset", "");
    assertThat(json(reset).at("/requests").asInt()).isZero();
    assertThat(json(reset).at("/first_request").isNull()).isTrue();
    assertThat(simulator.chat("x").statusCode()).as("the quota stays used").isEqualTo(429);
    assertThat(simulator.stats().at("/requests").asInt()).isEqualTo(1);
  }

  @Test
  void requestsOfEachModelAreCounted() throws Exception {
    RunningSimulator simulator = start("rpm=60", "burst=2");
    for (String model : List.of("a", "b", "a")) {
      simulator.post(
          CHAT,
          """
          {"model": "%s", "messages": [{"role": "user", "content": "one two three"}]}
          """
              .formatted(model));
    }
    JsonNode stats = simulator.stats();
    assertThat(stats.at("/requests_per_minute_max").asInt()).isEqualTo(3);
    assertThat(stats.at("/open").asInt()).isZero();
    assertThat(stats.at("/peak_open").asInt()).isEqualTo(1);
    assertThat(stats.at("/open_seconds").asDouble()).isPositive();
    JsonNode first = stats.at("/models/a");
    assertThat(first.at("/requests").asInt()).isEqualTo(2);
    assertThat(first.at("/answers").asInt()).isEqualTo(1);
    assertThat(first.at("/refusals").asInt()).isEqualTo(1);
    assertThat(first.at("/requests_per_minute_max").asInt()).isEqualTo(2);
    assertThat(first.at("/prompt_tokens_per_minute_max").asInt())
        .as("refused requests use no tokens")
        .isEqualTo(first.at("/prompt_tokens").asInt());
    assertThat(first.at("/open_seconds").asDouble() + stats.at("/models/b/open_seconds").asDouble())
        .isCloseTo(stats.at("/open_seconds").asDouble(), within(1e-9));
  }
}
