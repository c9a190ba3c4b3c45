package dev.weir.model.batch;

import dev.weir.limits.LimitKey;
import dev.weir.limits.retry.Outcome;
import dev.weir.model.Adapter;
import dev.weir.model.AttemptRecord;
import dev.weir.model.Chunk;
import dev.weir.model.ExchangeListener;
import dev.weir.model.ModelName;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.time.Completion;
import dev.weir.time.Time;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A model whose requests are gathered from many tasks and sent in batches. To a task it is a model
 * that takes its time.
 *
 * <p>Batches have a quota of their own, so the lane in front of it regulates nothing: a fixed
 * window of {@link #WINDOW}. A request that is already in a batch, sent by this run or by one that
 * was killed, is not sent again. An interrupt ends the wait and leaves the batch to the provider.
 *
 * <p>Thread-safe.
 */
public final class BatchingAdapter implements Adapter, AutoCloseable {

  /** Requests that may wait at once: enough to fill batches, and bounded. */
  public static final int WINDOW = 10_000;

  private final Time time;
  private final ModelName name;
  private final Adapter model;
  private final BatchApi api;
  private final Desk desk;
  private final Occurrences occurrences = new Occurrences();

  /** One to whose exchanges nobody listens. */
  public BatchingAdapter(
      Time time,
      ModelName name,
      BatchAdapter model,
      BatchSettings settings,
      BatchJournal journal,
      Consumer<BatchEvent> events) {
    this(time, name, model, settings, journal, events, _ -> {});
  }

  /**
   * @param journal may be shared by all models of a run; the caller closes it after this
   * @param events is told what happens to batches, on tasks of ours
   * @param exchanges is told of each exchange about batches, of which a model call sees nothing
   */
  public BatchingAdapter(
      Time time,
      ModelName name,
      BatchAdapter model,
      BatchSettings settings,
      BatchJournal journal,
      Consumer<BatchEvent> events,
      Consumer<AttemptRecord> exchanges) {
    this.time = time;
    this.name = name;
    this.model = model;
    this.api = model.batches();
    this.api.watch(exchanges);
    this.desk = new Desk(time, name, api, settings, journal, events);
  }

  @Override
  public LimitKey key() {
    return model.key();
  }

  @Override
  public String endpoint() {
    return model.endpoint();
  }

  @Override
  public String shape(Request request) {
    return model.shape(request);
  }

  @Override
  public Response exchange(Request request, ExchangeListener listener) throws InterruptedException {
    desk.tellDamages();
    byte[] body = api.body(request);
    if (body.length > api.bounds().bytes()) {
      return new Response.InvalidRequest(
          "the request is larger than a batch may be", Outcome.Reach.REQUEST, desk.origin());
    }
    String content = ContentKey.of(key(), endpoint(), body, request.epoch());
    int number = occurrences.take(content);
    boolean isAnswered = false;
    try {
      Response response =
          await(ContentKey.numbered(content, number), body, request.deadlineNanos());
      isAnswered = response instanceof Response.Reply;
      if (response instanceof Response.Reply reply && listener.wantsChunks()) {
        for (Chunk piece : Chunk.piecesOf(reply.message())) {
          listener.chunk(piece);
        }
      }
      return response;
    } finally {
      if (!isAnswered) {
        occurrences.giveBack(content, number);
      }
    }
  }

  /**
   * Requests that the provider has, or may have, and whose results were not fetched: what they cost
   * is not known.
   */
  public int openRequests() {
    return desk.openRequests();
  }

  /**
   * Stops to look after batches. They go on at the provider, and the journal knows them; of each of
   * them an event tells that it was left.
   */
  @Override
  public void close() {
    desk.close();
  }

  private Response await(String key, byte[] body, long deadline) throws InterruptedException {
    while (true) {
      Optional<Response> answer = awaitOnce(key, body, deadline);
      if (answer.isPresent()) {
        return answer.get();
      }
      // The batch that it was in was never sent: it goes into the next one.
    }
  }

  private Optional<Response> awaitOnce(String key, byte[] body, long deadline)
      throws InterruptedException {
    var waiter = new Waiter(key, body, new Completion<>(time, "a batched answer of " + name));
    return switch (desk.place(waiter)) {
      case Desk.Place.Ready(String tag, BatchApi.Result result) ->
          Optional.of(ready(tag, result, waiter));
      case Desk.Place.InBatch(BatchTask batch) -> {
        try {
          yield waiter.answer().await(deadline)
              ? waiter.answer().await()
              : Optional.of(
                  new Response.Cancelled(
                      "the deadline came before its batch ended", desk.origin()));
        } finally {
          batch.leave(waiter);
        }
      }
    };
  }

  private Response ready(String tag, BatchApi.Result result, Waiter waiter) {
    Response response = result.read(waiter.body());
    if (!(response instanceof Response.Reply)) {
      desk.release(tag, List.of(waiter.key()));
    }
    return response;
  }
}
