package dev.weir.simulator.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class OpenAiBatchesTest {

  private static String line(String id, String prompt) {
    return "{\"custom_id\":\"%s\",\"method\":\"POST\",\"url\":\"/v1/chat/completions\",\"body\":%s}"
        .formatted(id, RunningSimulator.chat(prompt, ""));
  }

  private static HttpResponse<String> upload(RunningSimulator simulator, String... lines)
      throws Exception {
    String form =
        "--b\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nbatch\r\n"
            + "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"in.jsonl\"\r\n\r\n"
            + String.join("\n", lines)
            + "\r\n--b--\r\n";
    return simulator.post("/v1/files", form, "content-type", "multipart/form-data; boundary=b");
  }

  private static JsonNode create(RunningSimulator simulator, String... lines) throws Exception {
    String file = RunningSimulator.json(upload(simulator, lines)).get("id").asString();
    HttpResponse<String> created =
        simulator.post(
            "/v1/batches",
            """
            {"input_file_id": "%s", "endpoint": "/v1/chat/completions",
             "completion_window": "24h", "metadata": {"weir": "tag-1"}}\
            """
                .formatted(file));
    assertThat(created.statusCode()).isEqualTo(200);
    return RunningSimulator.json(created);
  }

  private static JsonNode get(RunningSimulator simulator, String path) throws Exception {
    return RunningSimulator.json(simulator.send(simulator.to(path)));
  }

  private static List<JsonNode> content(RunningSimulator simulator, JsonNode file)
      throws Exception {
    return simulator
        .send(simulator.to("/v1/files/" + file.asString() + "/content"))
        .body()
        .lines()
        .map(RunningSimulator::json)
        .toList();
  }

  @Test
  void answersEachLineOfTheFile() throws Exception {
    try (var simulator = RunningSimulator.with("batch-time=0s", "rpm=1", "burst=1")) {
      JsonNode created =
          create(
              simulator,
              line("one", "[[echo: first]]"),
              line("two", "[[status: 400]]"),
              line("three", "[[echo: third]]"));
      assertThat(created.get("metadata").get("weir").asString()).isEqualTo("tag-1");
      JsonNode batch = get(simulator, "/v1/batches/" + created.get("id").asString());
      assertThat(batch.get("status").asString()).isEqualTo("completed");
      assertThat(batch.get("request_counts").toString())
          .isEqualTo("{\"total\":3,\"completed\":2,\"failed\":1}");
      List<JsonNode> output = content(simulator, batch.get("output_file_id"));
      assertThat(output).hasSize(2);
      assertThat(output.getFirst().get("custom_id").asString()).isEqualTo("one");
      JsonNode response = output.getFirst().get("response");
      assertThat(response.get("status_code").asInt()).isEqualTo(200);
      assertThat(response.at("/body/choices/0/message/content").asString()).isEqualTo("first");
      List<JsonNode> errors = content(simulator, batch.get("error_file_id"));
      assertThat(errors).hasSize(1);
      assertThat(errors.getFirst().at("/response/status_code").asInt()).isEqualTo(400);
      assertThat(errors.getFirst().at("/response/body/error/type").asString())
          .isEqualTo("invalid_request_error");
      JsonNode stats = simulator.stats();
      assertThat(stats.get("requests").asInt()).as("no limit is touched").isZero();
      assertThat(stats.get("batched").toString())
          .isEqualTo("{\"batches\":1,\"requests\":3,\"duplicates\":0,\"cancelled\":0}");
    }
  }

  @Test
  void oneThatRunsHasNoOutputAndCanBeCancelled() throws Exception {
    try (var simulator = RunningSimulator.with("batch-time=1h")) {
      JsonNode created = create(simulator, line("one", "x"));
      String path = "/v1/batches/" + created.get("id").asString();
      assertThat(created.get("status").asString()).isEqualTo("validating");
      assertThat(created.get("output_file_id").isNull()).isTrue();
      assertThat(
              simulator
                  .send(
                      simulator.to(
                          "/v1/files/file-output-" + created.get("id").asString() + "/content"))
                  .statusCode())
          .isEqualTo(404);
      JsonNode cancelled = RunningSimulator.json(simulator.post(path + "/cancel", ""));
      assertThat(cancelled.get("status").asString()).isEqualTo("cancelling");
      assertThat(simulator.stats().at("/batched/cancelled").asInt()).isEqualTo(1);
    }
  }

  @Test
  void someExpire() throws Exception {
    try (var simulator = RunningSimulator.with("batch-time=0s")) {
      JsonNode created = create(simulator, line("one", "[[expired]]"));
      JsonNode batch = get(simulator, "/v1/batches/" + created.get("id").asString());
      assertThat(batch.get("status").asString()).isEqualTo("expired");
      assertThat(
              content(simulator, batch.get("error_file_id"))
                  .getFirst()
                  .at("/error/code")
                  .asString())
          .isEqualTo("batch_expired");
    }
  }

  @Test
  void aFileThatIsNotAsItShouldBeFailsTheBatch() throws Exception {
    try (var simulator = RunningSimulator.with("batch-time=0s")) {
      for (String[] lines :
          List.of(
              new String[] {"{"},
              new String[] {line("a", "x"), line("a", "y")},
              new String[] {line("a", "x").replace("/v1/chat/completions", "/v1/other")},
              new String[] {""})) {
        JsonNode created = create(simulator, lines);
        JsonNode batch = get(simulator, "/v1/batches/" + created.get("id").asString());
        assertThat(batch.get("status").asString()).isEqualTo("failed");
        assertThat(batch.at("/errors/data/0/message").asString()).isNotEmpty();
      }
      assertThat(simulator.stats().at("/batched/requests").asInt()).isZero();
    }
  }

  @Test
  void theListIsPaged() throws Exception {
    try (var simulator = RunningSimulator.with("batch-time=1h")) {
      for (int i = 0; i < 3; i++) {
        create(simulator, line("one", "x"));
      }
      JsonNode first = get(simulator, "/v1/batches?limit=2");
      assertThat(first.get("data").size()).isEqualTo(2);
      assertThat(first.get("has_more").asBoolean()).isTrue();
      JsonNode second =
          get(simulator, "/v1/batches?limit=2&after=" + first.get("last_id").asString());
      assertThat(second.get("data").size()).isEqualTo(1);
      assertThat(second.get("has_more").asBoolean()).isFalse();
      assertThat(simulator.stats().at("/batched/duplicates").asInt()).isEqualTo(2);
      assertThat(simulator.send(simulator.to("/v1/batches?limit=x")).statusCode()).isEqualTo(400);
      simulator.post("/stats/reset", "");
      assertThat(simulator.stats().at("/batched/requests").asInt()).isZero();
    }
  }

  @Test
  void badCallsAreTold() throws Exception {
    try (var simulator = RunningSimulator.with("api-key=secret")) {
      assertThat(simulator.send(simulator.to("/v1/batches")).statusCode()).isEqualTo(401);
    }
    try (var simulator = RunningSimulator.with()) {
      assertThat(simulator.post("/v1/files", "x").statusCode()).isEqualTo(400);
      assertThat(simulator.post("/v1/batches", "{}").statusCode()).isEqualTo(400);
      assertThat(
              simulator
                  .post(
                      "/v1/batches",
                      """
                      {"input_file_id": "none", "endpoint": "/v1/chat/completions",
                       "completion_window": "24h"}\
                      """)
                  .statusCode())
          .isEqualTo(400);
      assertThat(simulator.send(simulator.to("/v1/batches/none")).statusCode()).isEqualTo(404);
      assertThat(simulator.send(simulator.to("/v1/files/none")).statusCode()).isEqualTo(404);
      assertThat(simulator.post("/v1/batches/none/cancel", "").statusCode()).isEqualTo(404);
    }
  }

  @Test
  void outagesAndErrorsMeetBatchesToo() throws Exception {
    try (var simulator = RunningSimulator.with("error-rate=1")) {
      for (String path : List.of("/v1/files", "/v1/batches")) {
        var failed = simulator.post(path, "{}");
        assertThat(failed.statusCode()).isEqualTo(500);
        assertThat(RunningSimulator.json(failed).at("/error/message").asString()).contains("error");
      }
      assertThat(simulator.stats().at("/failures/error").asInt())
          .isEqualTo(List.of("/v1/files", "/v1/batches").size());
    }
    try (var simulator = RunningSimulator.with("outage=0s+1h")) {
      assertThat(simulator.send(simulator.to("/v1/batches")).statusCode()).isEqualTo(503);
      assertThat(simulator.send(simulator.to("/v1/batches" + "/some")).statusCode()).isEqualTo(503);
    }
  }
}
