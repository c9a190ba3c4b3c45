package dev.weir.providers.openai;

import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.retry.Outcome;
import dev.weir.model.AttemptRecord;
import dev.weir.model.Printable;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.batch.BatchApi;
import dev.weir.model.batch.BatchException;
import dev.weir.providers.http.BatchHttp;
import dev.weir.providers.http.HttpModel;
import dev.weir.providers.http.Json;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * OpenAI's batches: a file of requests goes in, and files of results come out. Our tag is kept in
 * the metadata of a batch, where it is found again.
 */
final class OpenAiBatchApi implements BatchApi {

  private static final String TAG = "weir_batch";

  /** 200 MB, less what surrounds each request and the form. */
  private static final Bounds BOUNDS = new Bounds(50_000, 180_000_000L);

  /** How far the provider's clock may be from ours. */
  private static final Duration SLACK = Duration.ofMinutes(10);

  private static final int PAGE = 100;
  private static final int MOST_PAGES = 100;

  private final BatchHttp http;
  private final String url;

  /**
   * @param url what a request of a batch is for: {@code /v1/chat/completions}
   */
  OpenAiBatchApi(HttpModel model, String url) {
    this.http = new BatchHttp(model);
    this.url = url;
  }

  @Override
  public Bounds bounds() {
    return BOUNDS;
  }

  @Override
  public void watch(Consumer<AttemptRecord> exchanges) {
    http.watch(exchanges);
  }

  @Override
  public byte[] body(Request request) {
    return http.body(request);
  }

  @Override
  public String submit(String tag, List<Item> items) throws BatchException, InterruptedException {
    String boundary = tag + "-boundary";
    Json file =
        http.post(
            at("/files"), "multipart/form-data; boundary=" + boundary, form(boundary, tag, items));
    Map<String, Object> batch = new LinkedHashMap<>();
    batch.put("input_file_id", id(file));
    batch.put("endpoint", url);
    batch.put("completion_window", "24h");
    batch.put("metadata", Map.of(TAG, tag));
    return id(http.post(at("/batches"), Json.write(batch)));
  }

  private byte[] form(String boundary, String tag, List<Item> items) {
    var form = new ByteArrayOutputStream();
    write(form, "--" + boundary + "\r\n");
    write(form, "Content-Disposition: form-data; name=\"purpose\"\r\n\r\nbatch\r\n");
    write(form, "--" + boundary + "\r\n");
    write(
        form, "Content-Disposition: form-data; name=\"file\"; filename=\"" + tag + ".jsonl\"\r\n");
    write(form, "Content-Type: application/jsonl\r\n\r\n");
    for (Item item : items) {
      write(
          form,
          "{\"custom_id\":\"%s\",\"method\":\"POST\",\"url\":\"%s\",\"body\":"
              .formatted(item.customId(), url));
      form.writeBytes(oneLine(item.body()));
      write(form, "}\n");
    }
    write(form, "\r\n--" + boundary + "--\r\n");
    return form.toByteArray();
  }

  /** A line break in JSON is never part of a text, so it may go. */
  private static byte[] oneLine(byte[] json) {
    byte[] line = json.clone();
    for (int i = 0; i < line.length; i++) {
      if (line[i] == '\n' || line[i] == '\r') {
        line[i] = ' ';
      }
    }
    return line;
  }

  @Override
  public Status status(String id) throws BatchException, InterruptedException {
    Json batch;
    try {
      batch = http.get(at("/batches/" + checked(id)));
    } catch (BatchException failed) {
      if (BatchHttp.isAbsent(failed)) {
        return new Status.Gone();
      }
      throw failed;
    }
    String status = batch.text("status").orElse("");
    return switch (status) {
      case "validating", "in_progress", "finalizing", "cancelling" -> running(batch);
      // Some of its requests may have results, and those that have none say why.
      case "completed", "expired", "cancelled" -> new Status.Ended();
      case "failed" -> new Status.Failed(failure(batch));
      default -> throw http.unreadable("status '" + Printable.line(status) + "'");
    };
  }

  private static Status running(Json batch) {
    long done =
        batch.count("request_counts", "completed") + batch.count("request_counts", "failed");
    return new Status.Running((int) done, (int) batch.count("request_counts", "total"));
  }

  /** The file was not accepted: nothing was done. */
  private Response.Failure failure(Json batch) {
    Json error = batch.list("errors", "data").stream().findFirst().orElse(Json.ABSENT);
    String message =
        "the batch failed: " + Printable.line(error.text("message").orElse("no reason given"));
    return switch (error.text("code").orElse("")) {
      // What may be waiting at once is limited; it becomes less when other batches are done.
      case "token_limit_exceeded", "request_limit_exceeded" ->
          new Response.RateLimited(message, ResponseFacts.NONE, http.origin());
      case "billing_hard_limit_reached", "insufficient_quota" ->
          new Response.QuotaExhausted(message, Outcome.Reach.ACCOUNT, http.origin());
      case "model_not_found" ->
          new Response.InvalidRequest(message, Outcome.Reach.MODEL, http.origin());
      default -> new Response.InvalidRequest(message, Outcome.Reach.REQUEST, http.origin());
    };
  }

  @Override
  public Map<String, Result> results(String id) throws BatchException, InterruptedException {
    Json batch = http.get(at("/batches/" + checked(id)));
    Map<String, Result> results = new LinkedHashMap<>();
    for (String file : List.of("output_file_id", "error_file_id")) {
      Optional<String> name = batch.text(file).filter(text -> !text.isEmpty());
      if (name.isPresent()) {
        http.lines(
            at("/files/" + checked(name.get()) + "/content"),
            line -> line.text("custom_id").ifPresent(key -> results.put(key, result(line))));
      }
    }
    return results;
  }

  private Result result(Json line) {
    Json response = line.at("response");
    if (response.isObject()) {
      int status = (int) response.count("status_code");
      return sent -> http.read(status, response.at("body"), response.text("request_id"), sent);
    }
    String message =
        Printable.line(line.text("error", "message").orElse("the request was not made"));
    return switch (line.text("error", "code").orElse("")) {
      // Somebody wanted that: it is not asked again.
      case "batch_cancelled" -> _ -> new Response.Cancelled(message, http.origin());
      // Not made in time, and not charged; another batch may have more luck.
      default -> _ -> new Response.Transient(message, http.origin());
    };
  }

  @Override
  public Search find(Submission lost, Set<String> known)
      throws BatchException, InterruptedException {
    String after = "";
    for (int page = 0; page < MOST_PAGES; page++) {
      Json list = http.get(at("/batches?limit=" + PAGE + after));
      for (Json batch : list.list("data")) {
        if (batch.text("metadata", TAG).filter(lost.tag()::equals).isPresent()
            && !batch.text("status").orElse("").equals("failed")) {
          return new Search.Found(id(batch));
        }
        if (batch.count("created_at") < lost.from().minus(SLACK).getEpochSecond()) {
          return new Search.Absent();
        }
      }
      Optional<String> last = list.text("last_id");
      if (last.isEmpty() || !list.flag("has_more").orElse(false)) {
        return new Search.Absent();
      }
      after = "&after=" + checked(last.get());
    }
    return new Search.Absent();
  }

  @Override
  public void cancel(String id) throws BatchException, InterruptedException {
    http.post(at("/batches/" + checked(id) + "/cancel"), new byte[0]);
  }

  private String at(String path) {
    return http.endpoint() + path;
  }

  private String id(Json object) throws BatchException {
    return checked(object.text("id").orElse(""));
  }

  /** Ids become parts of addresses. */
  private String checked(String id) throws BatchException {
    if (!id.matches("[A-Za-z0-9._-]{1,200}")) {
      throw http.unreadable("the id '" + Printable.line(id) + "' is not one");
    }
    return id;
  }

  private static void write(ByteArrayOutputStream form, String text) {
    form.writeBytes(text.getBytes(StandardCharsets.UTF_8));
  }
}
