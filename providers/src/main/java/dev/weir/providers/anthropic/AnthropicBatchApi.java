package dev.weir.providers.anthropic;

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
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Anthropic's message batches. They have no place for a mark of ours but the names of their
 * requests, {@code weir-0123456789abcdef_KEY}, and these are told only with the results. So one
 * whose id was never learned is looked for by when it was made and how many requests it has, and is
 * known for sure once it has ended.
 */
final class AnthropicBatchApi implements BatchApi {

  /** 256 MB, less what surrounds each request. */
  private static final Bounds BOUNDS = new Bounds(100_000, 230_000_000L);

  /** How far the provider's clock may be from ours. */
  private static final Duration SLACK = Duration.ofMinutes(10);

  /** Between our tag and the name of a request, which has none. */
  private static final char SEPARATOR = '_';

  private static final int PAGE = 100;
  private static final int MOST_PAGES = 100;

  private final BatchHttp http;
  private final String address;

  /**
   * @param address of the messages API, to which that of batches is added
   */
  AnthropicBatchApi(HttpModel model, String address) {
    this.http = new BatchHttp(model);
    this.address = address + "/batches";
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
    var body = new ByteArrayOutputStream();
    write(body, "{\"requests\":[");
    String before = "";
    for (Item item : items) {
      write(
          body,
          "%s{\"custom_id\":\"%s\",\"params\":".formatted(before, named(tag, item.customId())));
      body.writeBytes(item.body());
      write(body, "}");
      before = ",";
    }
    write(body, "]}");
    return id(http.post(address, body.toByteArray()));
  }

  @Override
  public Status status(String id) throws BatchException, InterruptedException {
    Json batch;
    try {
      batch = http.get(address + "/" + checked(id));
    } catch (BatchException failed) {
      if (BatchHttp.isAbsent(failed)) {
        return new Status.Gone();
      }
      throw failed;
    }
    String status = batch.text("processing_status").orElse("");
    return switch (status) {
      case "in_progress", "canceling" -> running(batch);
      // Results are kept for 29 days; the batch itself stays.
      case "ended" ->
          batch.text("archived_at").isPresent() ? new Status.Gone() : new Status.Ended();
      default -> throw http.unreadable("status '" + Printable.line(status) + "'");
    };
  }

  private static Status running(Json batch) {
    int total = (int) total(batch);
    return new Status.Running(total - (int) batch.count("request_counts", "processing"), total);
  }

  private static long total(Json batch) {
    Json counts = batch.at("request_counts");
    return counts.names().stream().mapToLong(counts::count).sum();
  }

  @Override
  public Map<String, Result> results(String id) throws BatchException, InterruptedException {
    Map<String, Result> results = new LinkedHashMap<>();
    // Not at `results_url`: our credential goes where the user said, and nowhere else.
    http.lines(
        address + "/" + checked(id) + "/results",
        line ->
            line.text("custom_id")
                .ifPresent(name -> results.put(key(name), result(line.at("result")))));
    return results;
  }

  private static String named(String tag, String key) {
    return tag + SEPARATOR + key;
  }

  private static String key(String name) {
    return name.substring(name.lastIndexOf(SEPARATOR) + 1);
  }

  private Result result(Json result) {
    return switch (result.text("type").orElse("")) {
      case "succeeded" -> sent -> http.read(200, result.at("message"), Optional.empty(), sent);
      case "errored" -> {
        Json error = result.at("error");
        int status = status(error);
        yield sent -> http.read(status, error, error.text("request_id"), sent);
      }
      // Somebody wanted that: it is not asked again.
      case "canceled" -> _ -> new Response.Cancelled("the batch was cancelled", http.origin());
      // Not made in time, and not charged; another batch may have more luck.
      case "expired" ->
          _ -> new Response.Transient("the batch expired before this request", http.origin());
      default ->
          _ -> new Response.UnreadableReply("a result of a kind that is unknown", http.origin());
    };
  }

  /** A result has no status; this is the one that the same error has when it comes alone. */
  private static int status(Json error) {
    return switch (error.text("error", "type").or(() -> error.text("type")).orElse("")) {
      case "invalid_request_error" -> 400;
      case "authentication_error" -> 401;
      case "billing_error" -> 402;
      case "permission_error" -> 403;
      case "not_found_error" -> 404;
      case "request_too_large" -> 413;
      case "rate_limit_error" -> 429;
      case "timeout_error" -> 504;
      case "overloaded_error" -> 529;
      default -> 500;
    };
  }

  /** The nearest in time first, because each look at results is a download. */
  @Override
  public Search find(Submission lost, Set<String> known)
      throws BatchException, InterruptedException {
    List<Candidate> candidates = candidates(lost, known);
    candidates.sort(Comparator.comparing(candidate -> candidate.distance(lost)));
    for (Candidate candidate : candidates) {
      if (candidate.ended && holds(candidate.id, lost)) {
        return new Search.Found(candidate.id);
      }
    }
    return candidates.stream().allMatch(Candidate::ended)
        ? new Search.Absent()
        : new Search.Undecided();
  }

  private record Candidate(String id, Instant created, boolean ended) {

    Duration distance(Submission lost) {
      return Duration.between(lost.until(), created).abs();
    }
  }

  private List<Candidate> candidates(Submission lost, Set<String> known)
      throws BatchException, InterruptedException {
    Instant from = lost.from().minus(SLACK);
    Instant until = lost.until().plus(SLACK);
    List<Candidate> candidates = new ArrayList<>();
    String after = "";
    for (int page = 0; page < MOST_PAGES; page++) {
      Json list = http.get(address + "?limit=" + PAGE + after);
      for (Json batch : list.list("data")) {
        Instant created = created(batch);
        if (created.isBefore(from)) {
          return candidates;
        }
        if (!created.isAfter(until)
            && !known.contains(id(batch))
            && total(batch) == lost.customIds().size()) {
          boolean ended = batch.text("processing_status").orElse("").equals("ended");
          candidates.add(new Candidate(id(batch), created, ended));
        }
      }
      Optional<String> last = list.text("last_id");
      if (last.isEmpty() || !list.flag("has_more").orElse(false)) {
        return candidates;
      }
      after = "&after_id=" + checked(last.get());
    }
    return candidates;
  }

  /** By our tag, too: another run may have asked the same at the same time. */
  private boolean holds(String id, Submission lost) throws BatchException, InterruptedException {
    Set<String> missing = new HashSet<>();
    lost.customIds().forEach(key -> missing.add(named(lost.tag(), key)));
    http.lines(
        address + "/" + checked(id) + "/results",
        line -> line.text("custom_id").ifPresent(missing::remove));
    return missing.isEmpty();
  }

  @Override
  public void cancel(String id) throws BatchException, InterruptedException {
    http.post(address + "/" + checked(id) + "/cancel", new byte[0]);
  }

  private Instant created(Json batch) throws BatchException {
    String text = batch.text("created_at").orElse("");
    try {
      return Instant.parse(text);
    } catch (DateTimeException malformed) {
      throw http.unreadable("`created_at` is '" + Printable.line(text) + "'");
    }
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

  private static void write(ByteArrayOutputStream body, String text) {
    body.writeBytes(text.getBytes(StandardCharsets.UTF_8));
  }
}
