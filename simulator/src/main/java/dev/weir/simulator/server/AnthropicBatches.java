package dev.weir.simulator.server;

import dev.weir.simulator.server.Batch.Line;
import dev.weir.web.Answer;
import dev.weir.web.Handler;
import dev.weir.web.Request;
import dev.weir.web.Routes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import tools.jackson.databind.json.JsonMapper;

/**
 * Anthropic's batches.
 *
 * <pre>
 *   POST /v1/messages/batches
 *   GET  /v1/messages/batches[/ID[/results]]
 *   POST /v1/messages/batches/ID/cancel
 * </pre>
 */
final class AnthropicBatches {

  private static final JsonMapper JSON = new JsonMapper();
  private static final String PATH = "/v1/messages/batches";
  private static final String ID = "msgbatch_";
  private static final int MOST_REQUESTS = 100_000;

  private final Batches batches;
  private final BatchAnswers answers;
  private final Dialect dialect;

  AnthropicBatches(Batches batches, BatchAnswers answers, Dialect dialect) {
    this.batches = batches;
    this.answers = answers;
    this.dialect = dialect;
  }

  /**
   * @param guard lets only those in who have the credential
   */
  void addTo(Routes.Builder routes, UnaryOperator<Handler> guard) {
    routes
        .post(PATH, guard.apply(checked(this::create)))
        .get(PATH, guard.apply(checked(this::list)))
        .get(PATH + "/*", guard.apply(checked(this::retrieve)))
        .post(PATH + "/*", guard.apply(checked(this::cancel)));
  }

  private static Handler checked(Handler handler) {
    return request -> {
      try {
        return handler.handle(request);
      } catch (BadCallException bad) {
        return Answer.error(400, "invalid_request_error", String.valueOf(bad.getMessage()));
      }
    };
  }

  private Answer create(Request request) {
    List<Fields> requests = Fields.of(Fields.parse(request.body())).list("requests");
    if (requests.size() > MOST_REQUESTS) {
      throw new BadCallException("`requests` must be at most %d.".formatted(MOST_REQUESTS));
    }
    Set<String> ids = new HashSet<>();
    List<Line> lines = new ArrayList<>();
    for (Fields one : requests) {
      String customId = one.text("custom_id");
      if (!customId.matches("[a-zA-Z0-9_-]{1,64}") || !ids.add(customId)) {
        throw new BadCallException(
            "`custom_id` must be unique, and of at most 64 letters, digits, _ and -.");
      }
      lines.add(
          answers.answer(dialect, customId, one.object("params").object(), batches.nowSeconds()));
    }
    Batch batch =
        batches.create(
            ID,
            (id, created, createdNanos, nanos) ->
                new Batch(id, created, createdNanos, nanos, lines, "", "", Map.of(), null));
    return Answer.json(200, describe(batch));
  }

  private Answer list(Request request) {
    var query = PageQuery.of(request);
    Batches.Page page =
        batches.page(
            batch -> batch.id().startsWith(ID),
            query.text("after_id"),
            query.number("limit", 20, 1_000));
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("data", page.batches().stream().map(this::describe).toList());
    document.put("has_more", page.hasMore());
    document.put("first_id", page.batches().isEmpty() ? null : page.batches().getFirst().id());
    document.put("last_id", page.batches().isEmpty() ? null : page.batches().getLast().id());
    return Answer.json(200, document);
  }

  private Answer retrieve(Request request) {
    String rest = request.path().substring(PATH.length() + 1);
    if (!rest.endsWith("/results")) {
      return find(rest).map(batch -> Answer.json(200, describe(batch))).orElseGet(() -> none(rest));
    }
    String id = rest.substring(0, rest.length() - "/results".length());
    Optional<Batch> batch = find(id);
    if (batch.isEmpty()) {
      return none(id);
    }
    long now = batches.now();
    if (!batch.get().hasEnded(now)) {
      return Answer.error(
          400, "invalid_request_error", "The batch has not ended: there are no results yet.");
    }
    return Answer.body(
        200, "application/x-jsonl", results(batch.get(), now).getBytes(StandardCharsets.UTF_8));
  }

  private Answer cancel(Request request) {
    String rest = request.path().substring(PATH.length() + 1);
    String id = rest.endsWith("/cancel") ? rest.substring(0, rest.length() - 7) : rest;
    Optional<Batch> batch = rest.endsWith("/cancel") ? find(id) : Optional.empty();
    batch.ifPresent(batches::cancel);
    return batch.map(found -> Answer.json(200, describe(found))).orElseGet(() -> none(id));
  }

  private Optional<Batch> find(String id) {
    return batches.find(id).filter(batch -> batch.id().startsWith(ID));
  }

  private static Answer none(String id) {
    return Answer.error(
        404,
        "not_found_error",
        "There is no batch %s.".formatted(id.length() <= 100 ? id : id.substring(0, 100) + "…"));
  }

  private static String results(Batch batch, long now) {
    var text = new StringBuilder();
    int done = batch.done(now);
    for (int i = 0; i < batch.lines().size(); i++) {
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("custom_id", batch.lines().get(i).customId());
      line.put("result", result(batch, i, i < done));
      text.append(JSON.writeValueAsString(line)).append('\n');
    }
    return text.toString();
  }

  private static Map<String, Object> result(Batch batch, int index, boolean done) {
    Line line = batch.lines().get(index);
    Map<String, Object> result = new LinkedHashMap<>();
    if (!done || line.isExpired()) {
      result.put("type", done ? "expired" : "canceled");
    } else if (line.isAnswer()) {
      result.put("type", "succeeded");
      result.put("message", JSON.readTree(line.body()));
    } else {
      Map<String, Object> error = new LinkedHashMap<>();
      error.put("type", "error");
      error.put("error", JSON.readTree(line.body()));
      error.put("request_id", "req_" + batch.id() + "_" + index);
      result.put("type", "errored");
      result.put("error", error);
    }
    return result;
  }

  private Map<String, Object> describe(Batch batch) {
    long now = batches.now();
    boolean ended = batch.hasEnded(now);
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("id", batch.id());
    document.put("type", "message_batch");
    document.put(
        "processing_status", ended ? "ended" : batch.isCancelled() ? "canceling" : "in_progress");
    document.put("request_counts", counts(batch, now, ended));
    document.put("created_at", batch.created().toString());
    document.put("expires_at", batch.created().plusSeconds(86_400).toString());
    document.put("ended_at", ended ? batch.end().toString() : null);
    document.put("archived_at", null);
    document.put(
        "cancel_initiated_at", batch.isCancelled() ? batch.cancelledAt().toString() : null);
    document.put("results_url", ended ? PATH + "/" + batch.id() + "/results" : null);
    return document;
  }

  /** All are processing until the whole batch has ended, as it is there. */
  private static Map<String, Object> counts(Batch batch, long now, boolean ended) {
    List<Line> done = ended ? batch.lines().subList(0, batch.done(now)) : List.of();
    long succeeded = done.stream().filter(Line::isAnswer).count();
    long expired = done.stream().filter(Line::isExpired).count();
    Map<String, Object> counts = new LinkedHashMap<>();
    counts.put("processing", ended ? 0 : batch.lines().size());
    counts.put("succeeded", succeeded);
    counts.put("errored", done.size() - succeeded - expired);
    counts.put("canceled", ended ? batch.lines().size() - done.size() : 0);
    counts.put("expired", expired);
    return counts;
  }
}
