package dev.weir.model.batch;

import dev.weir.model.AttemptRecord;
import dev.weir.model.Request;
import dev.weir.model.Response;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The batch API of one model at one account. Each method makes the calls it needs and no more: it
 * neither waits nor retries. Thread-safe.
 */
public interface BatchApi {

  Bounds bounds();

  /**
   * Names who is told of each exchange with the provider from now on, when it has ended, on the
   * task that makes it.
   */
  void watch(Consumer<AttemptRecord> exchanges);

  /** The body of a request, as it will be a part of a batch. Equal requests have equal bodies. */
  byte[] body(Request request);

  /**
   * Sends a batch.
   *
   * @param tag ours, to be told to the provider where it keeps such things
   * @return the provider's id of the batch
   */
  String submit(String tag, List<Item> items) throws BatchException, InterruptedException;

  Status status(String id) throws BatchException, InterruptedException;

  /** The results of a batch that has ended, by custom id. */
  Map<String, Result> results(String id) throws BatchException, InterruptedException;

  /**
   * Looks for a batch that was sent, perhaps, and whose id was never learned.
   *
   * @param known ids of batches that it cannot be
   */
  Search find(Submission lost, Set<String> known) throws BatchException, InterruptedException;

  /** Asks the provider to stop working on a batch. */
  void cancel(String id) throws BatchException, InterruptedException;

  /**
   * What the provider takes in one batch.
   *
   * @param bytes of all bodies together
   */
  record Bounds(int requests, long bytes) {}

  /** One request of a batch. */
  @SuppressWarnings("ArrayRecordComponent") // bodies are large, and never compared
  record Item(String customId, byte[] body) {}

  /**
   * A batch as it was about to be sent.
   *
   * @param from when it was first tried, by our clock
   * @param until when it was last tried
   */
  record Submission(String tag, Instant from, Instant until, List<String> customIds) {

    public Submission {
      customIds = List.copyOf(customIds);
    }
  }

  /** How far a batch is. */
  sealed interface Status {

    record Running(int done, int total) implements Status {}

    /** Every request has a result of its own. */
    record Ended() implements Status {}

    /** None of its requests was made. */
    record Failed(Response.Failure failure) implements Status {}

    /** The provider knows nothing of it, any more. */
    record Gone() implements Status {}
  }

  /** Where a batch is whose id is not known. */
  sealed interface Search {

    record Found(String id) implements Search {}

    /** It was never sent. */
    record Absent() implements Search {}

    /** There is one that might be it, but this cannot be told before it has ended. */
    record Undecided() implements Search {}
  }

  /** What became of one request. */
  @FunctionalInterface
  interface Result {

    /**
     * @param sent the body of the request, for the record
     */
    Response read(byte[] sent);
  }
}
