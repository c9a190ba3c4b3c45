package dev.weir.providers.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.model.Response;
import dev.weir.model.batch.BatchApi;
import dev.weir.model.batch.BatchApi.Item;
import dev.weir.model.batch.BatchApi.Search;
import dev.weir.model.batch.BatchApi.Status;
import dev.weir.model.batch.BatchApi.Submission;
import dev.weir.model.batch.BatchException;
import dev.weir.providers.replay.ScriptedServer;
import dev.weir.providers.replay.ScriptedServer.Answer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Replies that a simulator does not give, in the documented shapes. */
class BatchRepliesTest {

  private static final String OPENAI = "openai/gpt-4o-mini";
  private static final String ANTHROPIC = "anthropic/claude-3-5-haiku-latest";

  private static BatchApi api(String model, ScriptedServer server) {
    return BatchServer.open(model, server.address().toString(), BatchServer.CREDENTIAL).batches();
  }

  @ParameterizedTest
  @CsvSource({
    "token_limit_exceeded, RateLimited",
    "billing_hard_limit_reached, QuotaExhausted",
    "model_not_found, InvalidRequest",
    "invalid_json_line, InvalidRequest",
    "anything else, InvalidRequest"
  })
  void aFailedBatchOfOpenAiHasAReason(String code, String kind) throws Exception {
    try (ScriptedServer server =
        ScriptedServer.of(
            Answer.json(
                200,
                """
                {"id": "batch_1", "object": "batch", "status": "failed", "errors": {
                 "object": "list", "data": [{"code": "%s", "message": "Because.", "line": null}]}}
                """
                    .formatted(code)))) {
      assertThat(api(OPENAI, server).status("batch_1"))
          .isInstanceOfSatisfying(
              Status.Failed.class,
              failed -> {
                assertThat(failed.failure().getClass().getSimpleName()).isEqualTo(kind);
                assertThat(failed.failure().message()).contains("Because.");
              });
    }
  }

  @Test
  void submissionsLookAsDocumented() throws Exception {
    var item = new Item("key-1", "{\"a\":\n1}".getBytes(StandardCharsets.UTF_8));
    try (ScriptedServer server =
        ScriptedServer.of(
            Answer.json(200, "{\"id\": \"file-1\", \"object\": \"file\"}"),
            Answer.json(200, "{\"id\": \"batch_1\", \"object\": \"batch\"}"))) {
      assertThat(api(OPENAI, server).submit("weir-1", List.of(item))).isEqualTo("batch_1");
      ScriptedServer.Received upload = server.received().get(0);
      assertThat(upload.method()).isEqualTo("POST");
      assertThat(upload.target()).isEqualTo("/v1/files");
      assertThat(upload.headers().get("content-type")).startsWith("multipart/form-data; boundary=");
      assertThat(upload.headers())
          .containsEntry("authorization", "Bearer " + BatchServer.CREDENTIAL);
      assertThat(upload.body())
          .contains(
              "\n{\"custom_id\":\"key-1\",\"method\":\"POST\",\"url\":\"/v1/chat/completions\","
                  + "\"body\":{\"a\": 1}}\n");
      ScriptedServer.Received create = server.received().get(1);
      assertThat(create.target()).isEqualTo("/v1/batches");
      assertThat(create.body())
          .contains("\"input_file_id\":\"file-1\"", "\"weir_batch\":\"weir-1\"");
    }
    try (ScriptedServer server = ScriptedServer.of(Answer.json(200, "{\"id\": \"msgbatch_1\"}"))) {
      assertThat(api(ANTHROPIC, server).submit("weir-1", List.of(item, item)))
          .isEqualTo("msgbatch_1");
      assertThat(server.only().target()).isEqualTo("/v1/messages/batches");
      assertThat(server.only().headers()).containsKeys("x-api-key", "anthropic-version");
      assertThat(server.only().headers().get("content-type")).startsWith("application/json");
      assertThat(server.only().body())
          .isEqualTo(
              "{\"requests\":[{\"custom_id\":\"weir-1_key-1\",\"params\":{\"a\":\n1}},"
                  + "{\"custom_id\":\"weir-1_key-1\",\"params\":{\"a\":\n1}}]}");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {OPENAI, ANTHROPIC})
  void aRefusalOfASubmissionIsTyped(String model) throws Exception {
    try (ScriptedServer server =
        ScriptedServer.of(
            Answer.json(429, "{\"error\": {\"type\": \"rate_limit_error\", \"message\": \"slow\"}}")
                .with("retry-after", "7"))) {
      assertThatExceptionOfType(BatchException.class)
          .isThrownBy(() -> api(model, server).submit("weir-1", List.of()))
          .satisfies(
              failed ->
                  assertThat(failed.failure())
                      .isInstanceOfSatisfying(
                          Response.RateLimited.class,
                          limited ->
                              assertThat(limited.facts().serverWait().orElseThrow())
                                  .hasSeconds(7)));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "openai/gpt-4o-mini|<html>",
        "openai/gpt-4o-mini|{}",
        "openai/gpt-4o-mini|{\"id\": \"../x\", \"status\": \"novel\"}",
        "anthropic/claude-3-5-haiku-latest|<html>",
        "anthropic/claude-3-5-haiku-latest|{}",
        "anthropic/claude-3-5-haiku-latest|{\"processing_status\": \"novel\"}"
      })
  void aReplyThatMakesNoSenseIsTyped(String model, String body) throws Exception {
    try (ScriptedServer server =
        ScriptedServer.of(Answer.json(200, body), Answer.json(200, body))) {
      BatchApi api = api(model, server);
      assertThatExceptionOfType(BatchException.class)
          .isThrownBy(() -> api.status("id_1"))
          .satisfies(
              failed -> assertThat(failed.failure()).isInstanceOf(Response.UnreadableReply.class));
      assertThatExceptionOfType(BatchException.class)
          .isThrownBy(() -> api.submit("weir-1", List.of()))
          .satisfies(
              failed -> assertThat(failed.failure()).isInstanceOf(Response.UnreadableReply.class));
    }
  }

  @Test
  void resultsThatBreakOffAreNotTakenForResults() throws Exception {
    String line = "{\"custom_id\": \"k\", \"result\": {\"type\": \"canceled\"}}\n";
    try (ScriptedServer server =
        ScriptedServer.of(Answer.json(200, line + line.substring(0, 20)))) {
      assertThatExceptionOfType(BatchException.class)
          .isThrownBy(() -> api(ANTHROPIC, server).results("msgbatch_1"));
    }
  }

  @Test
  void aBatchOfAnthropicWhoseResultsAreGoneIsGone() throws Exception {
    try (ScriptedServer server =
        ScriptedServer.of(
            Answer.json(
                200,
                """
                {"processing_status": "ended", "archived_at": "2026-01-01T00:00:00Z"}\
                """))) {
      assertThat(api(ANTHROPIC, server).status("msgbatch_1")).isInstanceOf(Status.Gone.class);
    }
  }

  @Test
  void oneOfAnthropicIsKnownByOurTagAndTheNearestIsLookedAtFirst() throws Exception {
    Instant now = Instant.parse("2026-01-01T12:00:00Z");
    String batch =
        """
        {"id": "msgbatch_%s", "processing_status": "%s", "created_at": "%s",
         "request_counts": {"processing": 0, "succeeded": 1}}\
        """;
    String list =
        "{\"data\": [%s, %s, %s], \"has_more\": false}"
            .formatted(
                batch.formatted("far", "ended", "2026-01-01T12:05:00Z"),
                batch.formatted("running", "in_progress", "2026-01-01T12:01:00Z"),
                batch.formatted("near", "ended", "2026-01-01T12:00:01Z"));
    var lost = new Submission("weir-1", now, now, List.of("a"));
    String result = "{\"custom_id\": \"%s\", \"result\": {\"type\": \"canceled\"}}\n";
    try (ScriptedServer server =
        ScriptedServer.of(
            Answer.json(200, list),
            Answer.json(200, result.formatted("weir-1_a")),
            Answer.json(200, list),
            Answer.json(200, result.formatted("weir-2_a")),
            Answer.json(200, result.formatted("a")))) {
      BatchApi api = api(ANTHROPIC, server);
      assertThat(api.find(lost, Set.of())).isEqualTo(new Search.Found("msgbatch_near"));
      assertThat(api.find(lost, Set.of()))
          .as("the same question of another run")
          .isInstanceOf(Search.Undecided.class);
      assertThat(server.received().get(3).target()).contains("msgbatch_near");
      assertThat(server.received().get(4).target()).contains("msgbatch_far");
    }
  }

  @Test
  void oneOfAnthropicThatMightBeItIsWaitedFor() throws Exception {
    Instant now = Instant.parse("2026-01-01T12:00:00Z");
    String batch =
        """
        {"data": [{"id": "msgbatch_%s", "processing_status": "in_progress",
         "created_at": "%s", "request_counts": {"processing": %d, "succeeded": 0}}],
         "has_more": false, "last_id": "msgbatch_1"}\
        """;
    var lost = new Submission("weir-1", now, now, List.of("a", "b"));
    try (ScriptedServer server =
        ScriptedServer.of(
            Answer.json(200, batch.formatted(1, "2026-01-01T12:00:05Z", 2)),
            Answer.json(200, batch.formatted(1, "2026-01-01T12:00:05Z", 3)),
            Answer.json(200, batch.formatted(1, "2026-01-01T13:00:05Z", 2)),
            Answer.json(200, batch.formatted(1, "2026-01-01T11:00:05Z", 2)),
            Answer.json(200, batch.formatted(1, "2026-01-01T12:00:05Z", 2)))) {
      BatchApi api = api(ANTHROPIC, server);
      assertThat(api.find(lost, Set.of())).isInstanceOf(Search.Undecided.class);
      assertThat(api.find(lost, Set.of())).as("another size").isInstanceOf(Search.Absent.class);
      assertThat(api.find(lost, Set.of())).as("later").isInstanceOf(Search.Absent.class);
      assertThat(api.find(lost, Set.of())).as("earlier").isInstanceOf(Search.Absent.class);
      assertThat(api.find(lost, Set.of("msgbatch_1")))
          .as("known")
          .isInstanceOf(Search.Absent.class);
    }
  }
}
