package dev.weir.model.batch;

import dev.weir.limits.retry.Outcome;
import dev.weir.model.Response;
import dev.weir.model.batch.BatchApi.Item;
import dev.weir.model.batch.BatchApi.Result;
import dev.weir.model.batch.BatchApi.Search;
import dev.weir.model.batch.BatchApi.Status;
import dev.weir.model.batch.BatchApi.Submission;
import dev.weir.time.Signal;
import dev.weir.time.Time;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One batch from its first request to its results, and the tasks that wait for these.
 *
 * <pre>
 *   gather ──full, or the delay is over──> send ──> look until it has ended ──> answer
 *   (one of an earlier run begins here:)    find ──────────┘
 * </pre>
 *
 * <p>A submission is made once: if it fails, the requests get the failure, and whoever retries them
 * decides when they come back. Only a look at a batch that is paid for is repeated here.
 *
 * <p>Runs as a task of its own. When nobody waits any more, it ends, and the batch goes on at the
 * provider; whoever asks for its results later starts another of these.
 */
final class BatchTask {

  private final Desk desk;
  private final Time time;
  private final String tag;
  private final Signal changed;

  // Guarded by this.
  private final Map<String, Waiter> waiting = new LinkedHashMap<>();
  private long bytes;
  private boolean gathering;
  private boolean full;
  private boolean ended;

  // Only the task itself touches these.
  private Optional<String> id = Optional.empty();
  private int requests;
  private int done = -1;

  private BatchTask(Desk desk, String tag, boolean gathering) {
    this.desk = desk;
    this.time = desk.time();
    this.tag = tag;
    this.gathering = gathering;
    this.changed = time.signal("a batch of " + desk.name() + " to fill, or to end");
  }

  /** A new batch. */
  static BatchTask gathering(Desk desk, String tag) {
    return new BatchTask(desk, tag, true);
  }

  /** A batch of an earlier run, or one that was left. */
  static BatchTask following(Desk desk, String tag) {
    return new BatchTask(desk, tag, false);
  }

  /** Whether a new request found a place in it. */
  synchronized boolean gather(Waiter waiter, int mostRequests, long mostBytes) {
    if (!gathering || full || bytes + waiter.body().length > mostBytes) {
      return false;
    }
    waiting.put(waiter.key(), waiter);
    bytes += waiter.body().length;
    if (waiting.size() >= mostRequests) {
      full = true;
      changed.send();
    }
    return true;
  }

  /** It is as large as it can be. */
  synchronized void fill() {
    full = true;
    changed.send();
  }

  /** Waits for a request that is in it already; false if it is too late for that. */
  synchronized boolean join(Waiter waiter) {
    if (ended) {
      return false;
    }
    waiting.put(waiter.key(), waiter);
    return true;
  }

  /** Nobody waits for this one any more. */
  synchronized void leave(Waiter waiter) {
    if (waiting.remove(waiter.key(), waiter) && gathering) {
      bytes -= waiter.body().length;
    }
    if (waiting.isEmpty()) {
      changed.send();
    }
  }

  /** The body of the task of a new batch. */
  void sendAndFollow() {
    run(
        () -> {
          awaitFull();
          desk.slots().take();
          try {
            send();
          } finally {
            desk.slots().giveBack();
          }
        });
  }

  /** The body of the task of a batch that was recorded. */
  void followRecorded(BatchJournal.Recorded recorded) {
    requests = recorded.submission().customIds().size();
    id = recorded.id();
    desk.opened(tag, id, requests);
    run(
        () -> {
          if (id.isEmpty()) {
            id = findLost(recorded.submission());
          }
          if (id.isEmpty()) {
            nothingCameOfIt();
            end().forEach(waiter -> waiter.answer().complete(Optional.empty()));
            return;
          }
          desk.tell(BatchEvent.Kind.PICKED_UP, id, requests, "");
          follow(id.get(), time.nanos());
        });
  }

  private interface Body {
    void run() throws BatchException, IOException, InterruptedException;
  }

  private void run(Body body) {
    try {
      body.run();
    } catch (BatchException failed) {
      fail(failed.failure());
    } catch (IOException failed) {
      // Not the provider's fault, and no other request would fare better.
      fail(
          new Response.InvalidRequest(
              "the journal of batches cannot be written: " + failed.getMessage(),
              Outcome.Reach.MODEL,
              desk.origin()));
    } catch (InterruptedException closed) {
      // The desk says what becomes of the batch.
      answerAll(new Response.Cancelled("batches were closed", desk.origin()));
    } catch (RuntimeException | Error defect) {
      // A task that waits must learn of a defect, or it would wait for ever.
      end().forEach(waiter -> waiter.answer().fail(defect));
      throw defect;
    } finally {
      end();
      desk.ended(tag, this);
    }
  }

  private void awaitFull() throws InterruptedException {
    long deadline = time.after(desk.settings().sendDelay());
    while (changed.await(deadline)) {
      synchronized (this) {
        if (full || waiting.isEmpty()) {
          return;
        }
      }
    }
  }

  /** Those who wait now, and nobody else comes. */
  private synchronized List<Item> close() {
    gathering = false;
    return waiting.values().stream().map(waiter -> new Item(waiter.key(), waiter.body())).toList();
  }

  private void send() throws BatchException, IOException, InterruptedException {
    List<Item> items = close();
    if (items.isEmpty()) {
      return;
    }
    requests = items.size();
    try {
      submit(items);
    } catch (BatchException refused) {
      if (!mayHaveArrived(refused.failure())) {
        nothingCameOfIt();
      }
      // Else its intent stays: it is looked for when the first of its requests comes back.
      throw refused;
    }
    desk.tell(BatchEvent.Kind.SENT, id, requests, "");
    follow(id.orElseThrow(), time.after(desk.settings().pollInterval()));
  }

  private void submit(List<Item> items) throws BatchException, IOException, InterruptedException {
    List<String> keys = items.stream().map(Item::customId).toList();
    desk.journal().intent(tag, keys);
    desk.opened(tag, id, requests);
    String given = desk.api().submit(tag, items);
    if (!BatchJournal.isId(given)) {
      throw new BatchException(
          new Response.UnreadableReply("a batch with an id that is not one", desk.origin()));
    }
    remember(given);
  }

  /** Nobody has to pay for it, and its requests may be asked again. */
  private void nothingCameOfIt() throws IOException {
    desk.settled(tag);
    desk.journal().done(tag);
  }

  private Optional<String> findLost(Submission lost) throws BatchException, InterruptedException {
    for (boolean told = false; ; told = true) {
      switch (desk.api().find(lost, desk.journal().ids())) {
        case Search.Found(String found) -> {
          remember(found);
          return id;
        }
        case Search.Absent _ -> {
          return Optional.empty();
        }
        case Search.Undecided _ -> {
          if (!told) {
            desk.tell(
                BatchEvent.Kind.TROUBLE,
                id,
                requests,
                "whether it was sent is not known; the provider has one that may be it, and this"
                    + " is told when that one has ended");
          }
          time.sleep(desk.settings().pollInterval());
        }
      }
    }
  }

  private void remember(String given) {
    id = Optional.of(given);
    desk.opened(tag, id, requests);
    try {
      desk.journal().sent(tag, given);
    } catch (IOException failed) {
      // The batch is under way, and will be found by its intent should this process end.
      desk.tell(BatchEvent.Kind.TROUBLE, id, requests, String.valueOf(failed.getMessage()));
    }
  }

  /**
   * Looks at the batch until it has ended, or nobody waits for it.
   *
   * @throws BatchException if none of its requests was made
   */
  private void follow(String batch, long firstLook)
      throws BatchException, IOException, InterruptedException {
    long look = firstLook;
    while (isAwaited(look)) {
      Status status;
      try {
        status = desk.administration().insist(() -> desk.api().status(batch), this::trouble);
      } catch (BatchException unseen) {
        fail(unseen.failure());
        return;
      }
      switch (status) {
        case Status.Running(int now, int total) -> progress(now, total);
        case Status.Ended _ -> {
          collect(batch);
          return;
        }
        case Status.Failed(Response.Failure failure) -> {
          nothingCameOfIt();
          throw new BatchException(failure);
        }
        case Status.Gone _ -> {
          nothingCameOfIt();
          fail(new Response.Transient("the provider has no such batch any more", desk.origin()));
          return;
        }
      }
      look = time.after(desk.settings().pollInterval());
    }
  }

  private boolean isAwaited(long until) throws InterruptedException {
    do {
      synchronized (this) {
        if (waiting.isEmpty()) {
          ended = true;
          return false;
        }
      }
    } while (changed.await(until));
    return true;
  }

  private void collect(String batch) throws InterruptedException {
    Map<String, Result> results;
    try {
      results =
          new LinkedHashMap<>(
              desk.administration().insist(() -> desk.api().results(batch), this::trouble));
    } catch (BatchException unseen) {
      fail(unseen.failure());
      return;
    }
    desk.settled(tag);
    desk.tell(BatchEvent.Kind.ENDED, id, requests, "");
    Map<Waiter, Response> answers = new LinkedHashMap<>();
    List<String> failed = new ArrayList<>();
    for (Waiter waiter : end(results)) {
      try {
        Response answer = read(results.get(waiter.key()), waiter);
        answers.put(waiter, answer);
        if (!(answer instanceof Response.Reply)) {
          failed.add(waiter.key());
        }
      } catch (RuntimeException defect) {
        // Of whoever reads the results; the others are answered all the same.
        waiter.answer().fail(defect);
      }
    }
    // Before anybody learns of it: a retry must not find the old request.
    desk.release(tag, failed);
    answers.forEach((waiter, answer) -> waiter.answer().complete(Optional.of(answer)));
  }

  private Response read(@Nullable Result result, Waiter waiter) {
    return result == null
        ? new Response.Transient("the batch has ended without a result for it", desk.origin())
        : result.read(waiter.body());
  }

  private void progress(int now, int total) {
    if (now != done) {
      done = now;
      desk.tell(BatchEvent.Kind.PROGRESS, id, requests, "%d of %d".formatted(now, total));
    }
  }

  private void trouble(Response.Failure failure) {
    desk.tell(BatchEvent.Kind.TROUBLE, id, requests, failure.message());
  }

  private void fail(Response.Failure failure) {
    desk.tell(BatchEvent.Kind.FAILED, id, requests, failure.message());
    answerAll(failure);
  }

  private void answerAll(Response.Failure failure) {
    end().forEach(waiter -> waiter.answer().complete(Optional.of(failure)));
  }

  private List<Waiter> end() {
    return end(Map.of());
  }

  /** Nobody can join any more; those who did are to be answered, the others find the rest. */
  private List<Waiter> end(Map<String, Result> results) {
    List<Waiter> waiters;
    synchronized (this) {
      ended = true;
      gathering = false;
      waiters = List.copyOf(waiting.values());
      waiting.clear();
    }
    Map<String, Result> others = new LinkedHashMap<>(results);
    waiters.forEach(waiter -> others.remove(waiter.key()));
    desk.keep(tag, others);
    return waiters;
  }

  /** Whether a provider may have done what it was asked although the answer is a failure. */
  private static boolean mayHaveArrived(Response.Failure failure) {
    var status = failure.origin().status();
    return status.isEmpty() || status.getAsInt() < 400 || status.getAsInt() >= 500;
  }
}
