package dev.weir.model.batch;

import dev.weir.model.ModelName;
import dev.weir.model.Origin;
import dev.weir.model.batch.BatchApi.Result;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The batches of one model that are under way here, and what their tasks share. Thread-safe. */
final class Desk {

  /** Batches of which a part was not asked for yet; what is dropped is fetched again if need be. */
  private static final int MOST_KEPT = 16;

  private final Time time;
  private final ModelName name;
  private final BatchApi api;
  private final BatchSettings settings;
  private final BatchJournal journal;
  private final Consumer<BatchEvent> events;
  private final Slots slots;
  private final Administration administration;

  // Guarded by this; taken before the monitor of a batch or of the journal, never after.
  private final Map<String, Running> running = new HashMap<>();
  private final Map<String, Map<String, Result>> kept = new LinkedHashMap<>();
  private final Map<String, Open> open = new LinkedHashMap<>();
  private @Nullable BatchTask gathering;
  private boolean closed;

  Desk(
      Time time,
      ModelName name,
      BatchApi api,
      BatchSettings settings,
      BatchJournal journal,
      Consumer<BatchEvent> events) {
    this.time = time;
    this.name = name;
    this.api = api;
    this.settings = settings;
    this.journal = journal;
    this.events = events;
    this.slots = new Slots(time, settings.mostInFlight());
    this.administration = new Administration(time, settings.pollInterval());
  }

  /** Where a request is waited for. */
  sealed interface Place {

    record InBatch(BatchTask batch) implements Place {}

    /** Its result is here already. */
    record Ready(String tag, Result result) implements Place {}
  }

  /**
   * A batch that costs something and brought nothing yet.
   *
   * @param id empty if it is not known whether the provider has it
   */
  private record Open(Optional<String> id, int requests) {}

  private record Running(BatchTask batch, Task<?> task) {}

  /** In the batch that it is in already, on whatever run's account; else in the next one. */
  synchronized Place place(Waiter waiter) {
    if (closed) {
      throw new IllegalStateException("batches of " + name + " are closed");
    }
    Optional<BatchJournal.Recorded> recorded = journal.find(waiter.key());
    return recorded.isPresent()
        ? placeInRecorded(waiter, recorded.get())
        : new Place.InBatch(placeInNext(waiter));
  }

  private Place placeInRecorded(Waiter waiter, BatchJournal.Recorded recorded) {
    String tag = recorded.submission().tag();
    Map<String, Result> results = kept.getOrDefault(tag, Map.of());
    Result result = results.get(waiter.key());
    if (result != null) {
      results.remove(waiter.key());
      if (results.isEmpty()) {
        kept.remove(tag);
      }
      return new Place.Ready(tag, result);
    }
    Running known = running.get(tag);
    if (known != null && known.batch.join(waiter)) {
      return new Place.InBatch(known.batch);
    }
    BatchTask batch = BatchTask.following(this, tag);
    batch.join(waiter);
    start(tag, batch, () -> batch.followRecorded(recorded));
    return new Place.InBatch(batch);
  }

  private BatchTask placeInNext(Waiter waiter) {
    int most = Math.min(settings.size(), api.bounds().requests());
    if (gathering != null) {
      if (gathering.gather(waiter, most, api.bounds().bytes())) {
        return gathering;
      }
      gathering.fill();
    }
    String tag = freshTag();
    BatchTask batch = BatchTask.gathering(this, tag);
    batch.gather(waiter, most, api.bounds().bytes());
    gathering = batch;
    start(tag, batch, batch::sendAndFollow);
    return batch;
  }

  private void start(String tag, BatchTask batch, Runnable body) {
    running.put(tag, new Running(batch, time.start("batch " + tag, body::run)));
  }

  private String freshTag() {
    while (true) {
      String tag = "weir-%016x".formatted(time.freshSeed());
      if (!journal.knows(tag) && !running.containsKey(tag)) {
        return tag;
      }
    }
  }

  /** Results that nobody has asked for yet. */
  synchronized void keep(String tag, Map<String, Result> results) {
    if (results.isEmpty()) {
      return;
    }
    kept.put(tag, new HashMap<>(results));
    if (kept.size() > MOST_KEPT) {
      kept.remove(kept.keySet().iterator().next());
    }
  }

  /** Requests came to nothing, and may be asked again. */
  void release(String tag, List<String> keys) {
    try {
      journal.release(tag, keys);
    } catch (IOException failed) {
      // This run knows it; the next one will be told of the failure once more, and not pay.
      tell(BatchEvent.Kind.TROUBLE, Optional.empty(), keys.size(), "" + failed.getMessage());
    }
  }

  synchronized void ended(String tag, BatchTask batch) {
    Running known = running.get(tag);
    if (known != null && known.batch.equals(batch)) {
      running.remove(tag);
    }
  }

  /** The provider has a batch; or, without an id, it may have it. */
  synchronized void opened(String tag, Optional<String> id, int requests) {
    open.put(tag, new Open(id, requests));
  }

  /** The results of a batch are here, or there will never be any. */
  synchronized void settled(String tag) {
    open.remove(tag);
  }

  synchronized int openRequests() {
    return open.values().stream().mapToInt(Open::requests).sum();
  }

  void close() {
    List<Running> all;
    List<Open> left;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      all = new ArrayList<>(running.values());
      left = List.copyOf(open.values());
    }
    all.forEach(one -> one.task.cancel());
    // Here and not by their tasks: whoever closes this wants to show it before the end.
    left.forEach(batch -> tell(BatchEvent.Kind.LEFT, batch.id, batch.requests, whereIs(batch)));
  }

  /** What is wrong with the journal, before anything is done with what it says. */
  void tellDamages() {
    journal.takeDamages().forEach(text -> tell(BatchEvent.Kind.TROUBLE, Optional.empty(), 0, text));
  }

  private static String whereIs(Open batch) {
    return batch.id.isPresent()
        ? "it goes on at the provider; the same run again waits for it instead of paying twice"
        : "the provider may have it or not; the same run again looks for it before it sends";
  }

  void tell(BatchEvent.Kind kind, Optional<String> id, int requests, String detail) {
    events.accept(new BatchEvent(time.instant(), name, kind, id, requests, detail));
  }

  Time time() {
    return time;
  }

  ModelName name() {
    return name;
  }

  Origin origin() {
    return Origin.of(name);
  }

  BatchApi api() {
    return api;
  }

  BatchSettings settings() {
    return settings;
  }

  BatchJournal journal() {
    return journal;
  }

  Slots slots() {
    return slots;
  }

  Administration administration() {
    return administration;
  }
}
