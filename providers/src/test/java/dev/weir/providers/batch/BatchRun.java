package dev.weir.providers.batch;

import dev.weir.limits.LimitKey;
import dev.weir.model.AttemptRecord;
import dev.weir.model.ExchangeListener;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.batch.BatchAdapter;
import dev.weir.model.batch.BatchApi;
import dev.weir.model.batch.BatchException;
import dev.weir.model.batch.BatchJournal;
import dev.weir.model.batch.BatchingAdapter;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** A run in a process of its own: asks, and says what it was told. */
final class BatchRun {

  static final int REQUESTS = 20;
  static final int SIZE = 10;

  private BatchRun() {}

  /** Model, address of the server, directory of the journal, and whether to die on submission. */
  public static void main(String[] words) throws Exception {
    Time time = Time.system();
    BatchAdapter adapter = BatchServer.open(words[0], words[1], BatchServer.CREDENTIAL);
    if (words[3].equals("die")) {
      adapter = new Dying(adapter);
    }
    try (BatchJournal journal = BatchServer.journal(Path.of(words[2]), words[0]);
        BatchingAdapter batching =
            BatchServer.batching(
                words[0], adapter, SIZE, journal, event -> System.out.println("event " + event))) {
      List<Task<Response>> tasks = new ArrayList<>();
      for (int i = 0; i < REQUESTS; i++) {
        var request = Request.of("[[echo: answer %d]]".formatted(i));
        tasks.add(time.start("ask", () -> retried(batching, request)));
      }
      for (Task<Response> task : tasks) {
        Response response = task.join();
        System.out.println(
            response instanceof Response.Reply reply
                ? "answer " + reply.message().text()
                : "failure " + response);
      }
      journal.finish();
    }
  }

  /** As a lane does it, without its waits. */
  private static Response retried(BatchingAdapter batching, Request request)
      throws InterruptedException {
    Response response = batching.exchange(request);
    for (int i = 0; i < 3 && response instanceof Response.Transient; i++) {
      response = batching.exchange(request);
    }
    return response;
  }

  /** The process ends when the provider has the batch, and before anybody writes down its id. */
  private record Dying(BatchAdapter adapter) implements BatchAdapter, BatchApi {

    @Override
    public String submit(String tag, List<Item> items) throws BatchException, InterruptedException {
      adapter.batches().submit(tag, items);
      Runtime.getRuntime().halt(137);
      throw new IllegalStateException("halted");
    }

    @Override
    public BatchApi batches() {
      return this;
    }

    @Override
    public LimitKey key() {
      return adapter.key();
    }

    @Override
    public String endpoint() {
      return adapter.endpoint();
    }

    @Override
    public Response exchange(Request request, ExchangeListener listener)
        throws InterruptedException {
      return adapter.exchange(request, listener);
    }

    @Override
    public Bounds bounds() {
      return adapter.batches().bounds();
    }

    @Override
    public void watch(Consumer<AttemptRecord> exchanges) {
      adapter.batches().watch(exchanges);
    }

    @Override
    public byte[] body(Request request) {
      return adapter.batches().body(request);
    }

    @Override
    public Status status(String id) throws BatchException, InterruptedException {
      return adapter.batches().status(id);
    }

    @Override
    public Map<String, Result> results(String id) throws BatchException, InterruptedException {
      return adapter.batches().results(id);
    }

    @Override
    public Search find(Submission lost, Set<String> known)
        throws BatchException, InterruptedException {
      return adapter.batches().find(lost, known);
    }

    @Override
    public void cancel(String id) throws BatchException, InterruptedException {
      adapter.batches().cancel(id);
    }
  }
}
