package dev.weir.simulator.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class AnthropicBatchesTest {

  private static final String PATH = "/v1/messages/batches";

  private static String request(String id, String prompt) {
    return "{\"custom_id\":\"%s\",\"params\":%s}"
        .formatted(id, RunningSimulator.message(prompt, ""));
  }

  private static HttpResponse<String> post(RunningSimulator simulator, String... requests)
      throws Exception {
    return simulator.post(PATH, "{\"requests\":[" + String.join(",", requests) + "]}");
  }

  private static String create(RunningSimulator simulator, String... requests) throws Exception {
    HttpResponse<String> created = post(simulator, requests);
    assertThat(created.statusCode()).as(created.body()).isEqualTo(200);
    return RunningSimulator.json(created).get("id").asString();
  }

  private static HttpResponse<String> get(RunningSimulator simulator, String path)
      throws Exception {
    return simulator.send(simulator.to(path));
  }

  @Test
  void answersEachRequest() throws Exception {
    try (var simulator = RunningSimulator.with("batch-time=0s", "rpm=1", "burst=1")) {
      String id =
          create(
              simulator,
              request("one", "[[echo: first]]"),
              request("two", "[[status: 529]]"),
              request("three", "[[expired]]"),
              "{\"custom_id\":\"four\",\"params\":{}}");
      JsonNode batch = RunningSimulator.json(get(simulator, PATH + "/" + id));
      assertThat(batch.get("processing_status").asString()).isEqualTo("ended");
      assertThat(batch.get("request_counts").toString())
          .isEqualTo(
              "{\"processing\":0,\"succeeded\":1,\"errored\":2,\"canceled\":0,\"expired\":1}");
      List<JsonNode> results =
          get(simulator, batch.get("results_url").asString())
              .body()
              .lines()
              .map(RunningSimulator::json)
              .toList();
      assertThat(results).hasSize(4);
      assertThat(results.get(0).at("/result/message/content/0/text").asString()).isEqualTo("first");
      assertThat(results.get(1).at("/result/error/error/type").asString())
          .isEqualTo("overloaded_error");
      assertThat(results.get(2).at("/result/type").asString()).isEqualTo("expired");
      assertThat(results.get(3).at("/result/error/error/type").asString())
          .isEqualTo("invalid_request_error");
      assertThat(simulator.stats().get("requests").asInt()).as("no limit is touched").isZero();
      assertThat(simulator.stats().at("/batched/requests").asInt()).isEqualTo(4);
    }
  }

  @Test
  void oneThatRunsHasNoResultsAndCanBeCancelled() throws Exception {
    try (var simulator = RunningSimulator.with("batch-time=1h")) {
      String id = create(simulator, request("one", "x"));
      JsonNode batch = RunningSimulator.json(get(simulator, PATH + "/" + id));
      assertThat(batch.get("processing_status").asString()).isEqualTo("in_progress");
      assertThat(batch.at("/request_counts/processing").asInt()).isEqualTo(1);
      assertThat(batch.get("results_url").isNull()).isTrue();
      assertThat(get(simulator, PATH + "/" + id + "/results").statusCode()).isEqualTo(400);
      JsonNode cancelled = RunningSimulator.json(simulator.post(PATH + "/" + id + "/cancel", ""));
      assertThat(cancelled.get("processing_status").asString()).isEqualTo("canceling");
    }
  }

  @Test
  void theListIsPaged() throws Exception {
    try (var simulator = RunningSimulator.with("batch-time=1h")) {
      String first = create(simulator, request("one", "x"));
      create(simulator, request("one", "x"));
      String last = create(simulator, request("one", "x"));
      JsonNode page = RunningSimulator.json(get(simulator, PATH + "?limit=2"));
      assertThat(page.at("/data/0/id").asString()).isEqualTo(last);
      assertThat(page.get("has_more").asBoolean()).isTrue();
      JsonNode rest =
          RunningSimulator.json(
              get(simulator, PATH + "?limit=2&after_id=" + page.get("last_id").asString()));
      assertThat(rest.at("/data/0/id").asString()).isEqualTo(first);
      assertThat(rest.get("has_more").asBoolean()).isFalse();
    }
  }

  @Test
  void badCallsAreTold() throws Exception {
    try (var simulator = RunningSimulator.with("api-key=secret")) {
      assertThat(get(simulator, PATH).statusCode()).isEqualTo(401);
    }
    try (var simulator = RunningSimulator.with()) {
      assertThat(post(simulator).statusCode()).isEqualTo(400);
      assertThat(post(simulator, request("a b", "x")).statusCode()).isEqualTo(400);
      assertThat(post(simulator, request("a", "x"), request("a", "y")).statusCode()).isEqualTo(400);
      assertThat(get(simulator, PATH + "/none").statusCode()).isEqualTo(404);
      assertThat(get(simulator, PATH + "/none/results").statusCode()).isEqualTo(404);
      assertThat(simulator.post(PATH + "/none/cancel", "").statusCode()).isEqualTo(404);
    }
  }

  @Test
  void outagesAndErrorsMeetBatchesToo() throws Exception {
    try (var simulator = RunningSimulator.with("error-rate=1")) {
      for (String path : List.of(PATH)) {
        var failed = simulator.post(path, "{}");
        assertThat(failed.statusCode()).isEqualTo(500);
        assertThat(RunningSimulator.json(failed).at("/error/message").asString()).contains("error");
      }
      assertThat(simulator.stats().at("/failures/error").asInt()).isEqualTo(List.of(PATH).size());
    }
    try (var simulator = RunningSimulator.with("outage=0s+1h")) {
      assertThat(simulator.send(simulator.to(PATH)).statusCode()).isEqualTo(503);
      assertThat(simulator.send(simulator.to(PATH + "/some")).statusCode()).isEqualTo(503);
    }
  }
}
