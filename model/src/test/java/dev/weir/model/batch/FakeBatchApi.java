package dev.weir.model.batch;

import dev.weir.limits.LimitKey;
import dev.weir.model.AttemptRecord;
import dev.weir.model.ExchangeListener;
import dev.weir.model.Message;
import dev.weir.model.ModelName;
import dev.weir.model.Origin;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.Usage;
import dev.weir.time.Time;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.Set;
import java.util.function.Consumer;

/** A provider of batches on virtual time, for what needs a clock; answers echo the question. */
final class FakeBatchApi implements BatchApi, BatchAdapter {

  static final ModelName NAME = new ModelName("fake", "model");

  /** What to do with a call about a batch instead of what was asked. */
  interface Fault {
    void strike() throws BatchException, InterruptedException;
  }

  record Sent(String id, String tag, long at, List<Item> items) {}

  private final Time time;
  final List<Sent> sent = new ArrayList<>();
  final List<Long> looks = new ArrayList<>();
  final Queue<Fault> beforeSubmit = new ArrayDeque<>();
  final Queue<Fault> afterSubmit = new ArrayDeque<>();
  final Queue<Fault> beforeStatus = new ArrayDeque<>();
  final Map<String, Queue<Response>> scripted = new HashMap<>();
  final Queue<Status> statuses = new ArrayDeque<>();
  Duration takes = Duration.ofSeconds(40);
  Bounds bounds = new Bounds(1_000, 100_000);
  String defective = "";
  int undecided;
  int downloads;
  int submissions;
  int searches;
  String account = "account";

  FakeBatchApi(Time time) {
    this.time = time;
  }

  static BatchException failure(Response.Failure failure) {
    return new BatchException(failure);
  }

  static Origin origin(int status) {
    return new Origin(NAME, OptionalInt.of(status), "", Optional.empty(), 0, 0, Optional.empty());
  }

  @Override
  public BatchApi batches() {
    return this;
  }

  @Override
  public LimitKey key() {
    return LimitKey.of("fake", account, "model");
  }

  @Override
  public Response exchange(Request request, ExchangeListener listener) {
    throw new AssertionError("a batched request was made live");
  }

  @Override
  public Bounds bounds() {
    return bounds;
  }

  @Override
  public void watch(Consumer<AttemptRecord> exchanges) {
    // There are none.
  }

  @Override
  public byte[] body(Request request) {
    return request.messages().toString().getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public String submit(String tag, List<Item> items) throws BatchException, InterruptedException {
    submissions++;
    strike(beforeSubmit);
    String id = "batch-" + (sent.size() + 1);
    sent.add(new Sent(id, tag, time.nanos(), List.copyOf(items)));
    strike(afterSubmit);
    return id;
  }

  @Override
  public Status status(String id) throws BatchException, InterruptedException {
    looks.add(time.nanos());
    strike(beforeStatus);
    if (!statuses.isEmpty()) {
      return statuses.remove();
    }
    Optional<Sent> batch = sent.stream().filter(one -> one.id.equals(id)).findFirst();
    if (batch.isEmpty()) {
      return new Status.Gone();
    }
    return time.nanos() - batch.get().at >= takes.toNanos()
        ? new Status.Ended()
        : new Status.Running(0, batch.get().items.size());
  }

  @Override
  public Map<String, Result> results(String id) {
    downloads++;
    Map<String, Result> results = new LinkedHashMap<>();
    for (Sent batch : sent) {
      if (batch.id.equals(id)) {
        for (Item item : batch.items) {
          results.put(item.customId(), body -> answer(new String(body, StandardCharsets.UTF_8)));
        }
      }
    }
    return results;
  }

  private Response answer(String body) {
    if (body.equals(defective)) {
      throw new IllegalStateException("a defect");
    }
    Queue<Response> next = scripted.getOrDefault(body, new ArrayDeque<>());
    return next.isEmpty() ? reply(body) : next.remove();
  }

  static Response.Reply reply(String text) {
    return new Response.Reply(
        new Message.Assistant(text, "", List.of(), Optional.empty()),
        StopReason.STOP,
        Usage.NONE,
        Origin.of(NAME));
  }

  @Override
  public Search find(Submission lost, Set<String> known) {
    searches++;
    if (undecided > 0) {
      undecided--;
      return new Search.Undecided();
    }
    return sent.stream()
        .filter(one -> one.tag.equals(lost.tag()) && !known.contains(one.id))
        .findFirst()
        .<Search>map(one -> new Search.Found(one.id))
        .orElse(new Search.Absent());
  }

  @Override
  public void cancel(String id) {
    throw new AssertionError("nobody asked for that");
  }

  private static void strike(Queue<Fault> faults) throws BatchException, InterruptedException {
    Fault fault = faults.poll();
    if (fault != null) {
      fault.strike();
    }
  }
}
