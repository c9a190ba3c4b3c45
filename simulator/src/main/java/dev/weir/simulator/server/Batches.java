package dev.weir.simulator.server;

import dev.weir.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The batches and files of a simulated provider: the latest of them, in bounded memory. Batches
 * have a quota of their own, which is never used up. Thread-safe.
 */
final class Batches {

  static final int MOST_BATCHES = 2_000;
  static final int MOST_FILES = 2_000;
  static final long MOST_BYTES = 256L << 20;

  /** A request is a duplicate if the same was in a batch among the last so many. */
  private static final int REMEMBERED = 100_000;

  private final Time time;
  private final Duration length;

  // Guarded by this.
  private final Map<String, Batch> batches = new LinkedHashMap<>();
  private final Map<String, StoredFile> files = new LinkedHashMap<>();
  private final Map<String, Boolean> seen = new LinkedHashMap<>();
  private long bytes;
  private int sequence;
  private long created;
  private long requests;
  private long duplicates;
  private long cancelled;

  /**
   * @param length how long a batch takes
   */
  Batches(Time time, Duration length) {
    this.time = time;
    this.length = length;
  }

  /** A file that a client has sent. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record StoredFile(String id, String name, String purpose, long created, byte[] content) {}

  long now() {
    return time.nanos();
  }

  long nowSeconds() {
    return time.instant().getEpochSecond();
  }

  synchronized StoredFile store(String name, String purpose, byte[] content) {
    var file =
        new StoredFile("file-sim%08d".formatted(++sequence), name, purpose, nowSeconds(), content);
    files.put(file.id, file);
    bytes += content.length;
    evict();
    return file;
  }

  synchronized Optional<StoredFile> file(String id) {
    return Optional.ofNullable(files.get(id));
  }

  /** How the rest of a batch is told, once it has an id. */
  interface Order {
    Batch of(String id, Instant created, long createdNanos, long nanos);
  }

  synchronized Batch create(String prefix, Order order) {
    Batch batch =
        order.of(
            "%ssim%08d".formatted(prefix, ++sequence),
            time.instant(),
            time.nanos(),
            length.toNanos());
    batches.put(batch.id(), batch);
    bytes += batch.bytes();
    created++;
    if (batch.error() == null) {
      batch.lines().forEach(this::count);
    }
    evict();
    return batch;
  }

  private void count(Batch.Line line) {
    requests++;
    if (seen.put(line.customId() + " " + line.asked(), true) != null) {
      duplicates++;
    }
    if (seen.size() > REMEMBERED) {
      seen.remove(seen.keySet().iterator().next());
    }
  }

  synchronized Optional<Batch> find(String id) {
    return Optional.ofNullable(batches.get(id));
  }

  synchronized void cancel(Batch batch) {
    cancelled += batch.cancel(time.nanos());
  }

  /**
   * A page of those that a client may see, the latest first.
   *
   * @param after the id of the last one on the page before; empty for the first page
   */
  synchronized Page page(Predicate<Batch> visible, String after, int most) {
    List<Batch> latestFirst =
        new ArrayList<>(batches.values().stream().filter(visible).toList()).reversed();
    List<Batch> rest = latestFirst;
    for (int i = 0; i < latestFirst.size(); i++) {
      if (latestFirst.get(i).id().equals(after)) {
        rest = latestFirst.subList(i + 1, latestFirst.size());
      }
    }
    return new Page(List.copyOf(rest.subList(0, Math.min(most, rest.size()))), rest.size() > most);
  }

  record Page(List<Batch> batches, boolean hasMore) {}

  /** For {@code /stats}. A duplicate was in a batch before, custom id and all. */
  synchronized Map<String, Object> document() {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("batches", created);
    document.put("requests", requests);
    document.put("duplicates", duplicates);
    document.put("cancelled", cancelled);
    return document;
  }

  synchronized void reset() {
    created = 0;
    requests = 0;
    duplicates = 0;
    cancelled = 0;
    seen.clear();
  }

  private void evict() {
    while (files.size() > MOST_FILES || (bytes > MOST_BYTES && files.size() > 1)) {
      StoredFile oldest = files.remove(files.keySet().iterator().next());
      bytes -= oldest == null ? 0 : oldest.content.length;
    }
    while (batches.size() > MOST_BATCHES || (bytes > MOST_BYTES && batches.size() > 1)) {
      Batch oldest = batches.remove(batches.keySet().iterator().next());
      bytes -= oldest == null ? 0 : oldest.bytes();
    }
  }
}
