package dev.weir.simulator.server;

import dev.weir.simulator.server.Batch.Line;
import dev.weir.web.Answer;
import dev.weir.web.Handler;
import dev.weir.web.Request;
import dev.weir.web.Routes;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * OpenAI's batches.
 *
 * <pre>
 *   POST /v1/files                  a form: purpose=batch and the file, a request per line
 *   GET  /v1/files/ID[/content]
 *   POST /v1/batches                of such a file
 *   GET  /v1/batches[/ID]
 *   POST /v1/batches/ID/cancel
 * </pre>
 */
final class OpenAiBatches {

  private static final JsonMapper JSON = new JsonMapper();
  private static final String ID = "batch_";
  private static final String OUTPUT = "file-output-";
  private static final String ERRORS = "file-errors-";
  private static final int MOST_REQUESTS = 50_000;

  private final Batches batches;
  private final BatchAnswers answers;
  private final Map<String, Dialect> dialects;

  /**
   * @param dialects the APIs whose requests a batch may hold, by path
   */
  OpenAiBatches(Batches batches, BatchAnswers answers, Map<String, Dialect> dialects) {
    this.batches = batches;
    this.answers = answers;
    this.dialects = Map.copyOf(dialects);
  }

  /**
   * @param guard lets only those in who have the credential
   */
  void addTo(Routes.Builder routes, UnaryOperator<Handler> guard) {
    routes
        .post("/v1/files", guard.apply(checked(this::upload)))
        .get("/v1/files/*", guard.apply(checked(this::file)))
        .post("/v1/batches", guard.apply(checked(this::create)))
        .get("/v1/batches", guard.apply(checked(this::list)))
        .get("/v1/batches/*", guard.apply(checked(this::retrieve)))
        .post("/v1/batches/*", guard.apply(checked(this::cancel)));
  }

  private static Handler checked(Handler handler) {
    return request -> {
      try {
        return handler.handle(request);
      } catch (BadCallException bad) {
        return error(400, String.valueOf(bad.getMessage()));
      }
    };
  }

  private Answer upload(Request request) {
    Multipart form = Multipart.read(request.header("content-type").orElse(""), request.body());
    String purpose = form.part("purpose").map(Multipart.Part::text).orElse("");
    if (!purpose.equals("batch")) {
      throw new BadCallException("`purpose` must be batch: the simulator has no use for others.");
    }
    Multipart.Part part =
        form.part("file").orElseThrow(() -> new BadCallException("`file` must be there."));
    return Answer.json(200, describe(batches.store(part.fileName(), purpose, part.body())));
  }

  private Answer file(Request request) {
    String rest = request.path().substring("/v1/files/".length());
    boolean content = rest.endsWith("/content");
    String id = content ? rest.substring(0, rest.length() - "/content".length()) : rest;
    Optional<Batches.StoredFile> stored = batches.file(id).or(() -> produced(id));
    if (stored.isEmpty()) {
      return error(404, "No such File object: " + shortened(id));
    }
    return content
        ? Answer.body(200, "application/octet-stream", stored.get().content())
        : Answer.json(200, describe(stored.get()));
  }

  /** The output of a batch is made when it is asked for. */
  private Optional<Batches.StoredFile> produced(String id) {
    boolean errors = id.startsWith(ERRORS);
    if (!errors && !id.startsWith(OUTPUT)) {
      return Optional.empty();
    }
    long now = batches.now();
    return batches
        .find(id.substring(OUTPUT.length()))
        .filter(batch -> batch.hasEnded(now))
        .map(
            batch ->
                new Batches.StoredFile(
                    id,
                    errors ? "errors.jsonl" : "output.jsonl",
                    "batch_output",
                    batch.end().getEpochSecond(),
                    output(batch, now, errors).getBytes(StandardCharsets.UTF_8)));
  }

  private static String output(Batch batch, long now, boolean errors) {
    var text = new StringBuilder();
    int done = batch.done(now);
    for (int i = 0; i < batch.lines().size(); i++) {
      Line line = batch.lines().get(i);
      boolean isAnswer = i < done && line.isAnswer();
      if (isAnswer != errors) {
        text.append(JSON.writeValueAsString(result(batch, i, i < done))).append('\n');
      }
    }
    return text.toString();
  }

  private static Map<String, Object> result(Batch batch, int index, boolean done) {
    Line line = batch.lines().get(index);
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("id", "batch_req_" + batch.id() + "_" + index);
    document.put("custom_id", line.customId());
    if (done && !line.isExpired()) {
      Map<String, Object> response = new LinkedHashMap<>();
      response.put("status_code", line.status());
      response.put("request_id", "req_" + batch.id() + "_" + index);
      JsonNode body = JSON.readTree(line.body());
      response.put("body", line.isAnswer() ? body : wrapped(body));
      document.put("response", response);
      document.put("error", null);
    } else {
      Map<String, Object> error = new LinkedHashMap<>();
      error.put("code", done ? "batch_expired" : "batch_cancelled");
      error.put(
          "message",
          done
              ? "This request could not be executed before the completion window expired."
              : "This request was not executed: its batch was cancelled.");
      document.put("response", null);
      document.put("error", error);
    }
    return document;
  }

  private static Map<String, Object> wrapped(JsonNode error) {
    Map<String, Object> inner = new LinkedHashMap<>();
    inner.put("message", error.get("message"));
    inner.put("type", error.get("type"));
    inner.put("param", null);
    inner.put("code", null);
    return Map.of("error", inner);
  }

  private Answer create(Request request) {
    Fields fields = Fields.of(Fields.parse(request.body()));
    String input = fields.text("input_file_id");
    String endpoint = fields.text("endpoint");
    if (!fields.text("completion_window").equals("24h")) {
      throw new BadCallException("`completion_window` must be 24h.");
    }
    Dialect dialect = dialects.get(endpoint);
    if (dialect == null) {
      throw new BadCallException(
          "`endpoint` must be one of " + String.join(", ", dialects.keySet()) + ".");
    }
    Batches.StoredFile file =
        batches
            .file(input)
            .orElseThrow(() -> new BadCallException("No such File object: " + shortened(input)));
    Map<String, Object> metadata = metadata(fields.object("metadata"));
    List<Line> lines = new ArrayList<>();
    String error = read(file, endpoint, dialect, lines);
    Batch batch =
        batches.create(
            ID,
            (id, created, createdNanos, nanos) ->
                new Batch(
                    id, created, createdNanos, nanos, lines, input, endpoint, metadata, error));
    return Answer.json(200, describe(batch));
  }

  private static Map<String, Object> metadata(Fields fields) {
    Map<String, Object> metadata = new LinkedHashMap<>();
    for (String name : fields.object().propertyNames()) {
      metadata.put(name, fields.text(name));
    }
    return metadata;
  }

  /** What is wrong with the file; null if nothing is. */
  private @Nullable String read(
      Batches.StoredFile file, String endpoint, Dialect dialect, List<Line> lines) {
    Set<String> ids = new HashSet<>();
    List<String> texts =
        new String(file.content(), StandardCharsets.UTF_8)
            .lines()
            .filter(line -> !line.isBlank())
            .toList();
    if (texts.isEmpty() || texts.size() > MOST_REQUESTS) {
      return "The file must have from 1 to %d lines.".formatted(MOST_REQUESTS);
    }
    for (int i = 0; i < texts.size(); i++) {
      try {
        Fields line = Fields.of(Fields.parse(texts.get(i).getBytes(StandardCharsets.UTF_8)));
        String customId = line.text("custom_id");
        if (!line.text("method").equals("POST") || !line.text("url").equals(endpoint)) {
          throw new BadCallException("`method` must be POST, and `url` that of the batch.");
        }
        if (!ids.add(customId)) {
          throw new BadCallException("`custom_id` must be unique.");
        }
        JsonNode body = line.object("body").object();
        lines.add(answers.answer(dialect, customId, body, file.created()));
      } catch (BadCallException bad) {
        return "Line %d: %s".formatted(i + 1, bad.getMessage());
      }
    }
    return null;
  }

  private Answer list(Request request) {
    var query = PageQuery.of(request);
    Batches.Page page =
        batches.page(
            batch -> batch.id().startsWith(ID),
            query.text("after"),
            query.number("limit", 20, 100));
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("object", "list");
    document.put("data", page.batches().stream().map(this::describe).toList());
    document.put("first_id", page.batches().isEmpty() ? null : page.batches().getFirst().id());
    document.put("last_id", page.batches().isEmpty() ? null : page.batches().getLast().id());
    document.put("has_more", page.hasMore());
    return Answer.json(200, document);
  }

  private Answer retrieve(Request request) {
    return answer(request.path().substring("/v1/batches/".length()));
  }

  private Answer cancel(Request request) {
    String rest = request.path().substring("/v1/batches/".length());
    if (!rest.endsWith("/cancel")) {
      return error(404, "There is nothing to post to at " + shortened(request.path()));
    }
    String id = rest.substring(0, rest.length() - "/cancel".length());
    batches.find(id).ifPresent(batches::cancel);
    return answer(id);
  }

  private Answer answer(String id) {
    return batches
        .find(id)
        .filter(batch -> batch.id().startsWith(ID))
        .map(batch -> Answer.json(200, describe(batch)))
        .orElseGet(() -> error(404, "No batch found with id '%s'.".formatted(shortened(id))));
  }

  private static Map<String, Object> describe(Batches.StoredFile file) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("id", file.id());
    document.put("object", "file");
    document.put("bytes", file.content().length);
    document.put("created_at", file.created());
    document.put("filename", file.name());
    document.put("purpose", file.purpose());
    document.put("status", "processed");
    return document;
  }

  private Map<String, Object> describe(Batch batch) {
    long now = batches.now();
    int done = batch.done(now);
    long answered = batch.lines().stream().limit(done).filter(Line::isAnswer).count();
    boolean ended = batch.hasEnded(now);
    boolean anyAnswer = ended && answered > 0;
    boolean anyError = ended && batch.error() == null && answered < batch.lines().size();
    Map<String, Object> counts = new LinkedHashMap<>();
    counts.put("total", batch.lines().size());
    counts.put("completed", answered);
    counts.put("failed", done - answered);
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("id", batch.id());
    document.put("object", "batch");
    document.put("endpoint", batch.endpoint());
    document.put("errors", errors(batch, now));
    document.put("input_file_id", batch.input());
    document.put("completion_window", "24h");
    document.put("status", status(batch, now));
    document.put("output_file_id", anyAnswer ? OUTPUT + batch.id() : null);
    document.put("error_file_id", anyError ? ERRORS + batch.id() : null);
    document.put("created_at", batch.created().getEpochSecond());
    document.put("expires_at", batch.created().getEpochSecond() + 86_400);
    document.put("completed_at", ended ? seconds(batch.end()) : null);
    document.put("cancelling_at", batch.isCancelled() ? seconds(batch.cancelledAt()) : null);
    document.put("request_counts", counts);
    document.put("metadata", batch.metadata());
    return document;
  }

  private static long seconds(Instant instant) {
    return instant.getEpochSecond();
  }

  private static @Nullable Map<String, Object> errors(Batch batch, long now) {
    if (batch.error() == null || !batch.hasEnded(now)) {
      return null;
    }
    Map<String, Object> error = new LinkedHashMap<>();
    error.put("code", "invalid_request");
    error.put("message", batch.error());
    error.put("param", null);
    error.put("line", null);
    return Map.of("object", "list", "data", List.of(error));
  }

  private static String status(Batch batch, long now) {
    return switch (batch.phase(now)) {
      case CHECKED -> "validating";
      case WORKED_ON -> "in_progress";
      case PACKED -> "finalizing";
      case CANCELLED_SOON -> "cancelling";
      case CANCELLED -> "cancelled";
      case FAILED -> "failed";
      case COMPLETE -> batch.lines().stream().anyMatch(Line::isExpired) ? "expired" : "completed";
    };
  }

  private static Answer error(int status, String message) {
    Map<String, Object> error = new LinkedHashMap<>();
    error.put("message", message);
    error.put("type", "invalid_request_error");
    error.put("param", null);
    error.put("code", null);
    return Answer.json(status, Map.of("error", error));
  }

  private static String shortened(String text) {
    return text.length() <= 100 ? text : text.substring(0, 100) + "…";
  }
}
