package dev.weir.model.cache;

import dev.weir.time.Completion;
import dev.weir.time.Time;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Answers on disk, and the calls that are being made for those that are not there yet.
 *
 * <pre>{@code
 * switch (cache.look(key, deadline)) {
 *   case Lookup.Hit(String text) -> …
 *   case Lookup.Miss(Flight flight) -> {
 *     try (flight) {
 *       flight.land("openai/gpt-4o", text); // unless the call failed
 *     }
 *   }
 *   case Lookup.TooLate() -> …
 * }
 * }</pre>
 *
 * <p>Of identical calls in one process only the first is made; the others wait for its answer, and
 * if there is none, the next one is made. Processes do not wait for each other.
 *
 * <p>An entry that cannot be read is absent, and one that cannot be written is given up: neither
 * stops a run. Thread-safe.
 */
public final class ResponseCache {

  private final Time time;
  private final CacheDirectory directory;
  private final Settings settings;
  private final String writer;
  private final AtomicLong parts = new AtomicLong();

  // Guarded by itself.
  private final Map<CacheKey, Completion<Optional<String>>> flights = new HashMap<>();

  // Guarded by this: what is on disk, as far as known, and what was written since that was counted.
  private long bytes;
  private long bytesSinceScan;
  private long scans;
  private boolean scanning;
  private @Nullable String problem;

  private ResponseCache(Time time, CacheDirectory directory, Settings settings) {
    this.time = time;
    this.directory = directory;
    this.settings = settings;
    this.writer = Long.toHexString(time.freshSeed());
  }

  /**
   * @param directory is made if there is none
   * @throws IOException if it cannot be made
   */
  public static ResponseCache open(Time time, Path directory, Settings settings)
      throws IOException {
    var files = new CacheDirectory(directory);
    files.make();
    return new ResponseCache(time, files, settings);
  }

  /**
   * @param age how long an answer is good for
   * @param maxBytes the most that entries take on disk, at least 64 KiB. The oldest make room. With
   *     several processes it may be a little more: each counts what the others wrote only now and
   *     then.
   */
  public record Settings(CacheAge age, long maxBytes) {

    public static final long DEFAULT_MAX_BYTES = 1L << 30;
    public static final long LEAST_MAX_BYTES = 64 << 10;

    public Settings {
      if (maxBytes < LEAST_MAX_BYTES) {
        throw new IllegalArgumentException(
            "`maxBytes` must be >= %d, was %d".formatted(LEAST_MAX_BYTES, maxBytes));
      }
    }

    /** A week, and 1 GiB. */
    public static Settings defaults() {
      return new Settings(CacheAge.DEFAULT, DEFAULT_MAX_BYTES);
    }
  }

  /** What a look into the cache brings. */
  public sealed interface Lookup {

    /** The answer: from disk, or just now from an identical call. */
    record Hit(String text) implements Lookup {}

    /** The call is to be made; others wait for it until the flight is closed. */
    record Miss(Flight flight) implements Lookup {}

    /** An identical call was still being made when the deadline came. */
    record TooLate() implements Lookup {}
  }

  /** Looks an answer up, whatever it looks like. */
  public Lookup look(CacheKey key, long deadlineNanos) throws InterruptedException {
    return look(key, deadlineNanos, _ -> true);
  }

  /**
   * Looks an answer up. Waits only while an identical call is being made.
   *
   * @param isKnown whether a stored answer is of a form that the caller can read; one that is not
   *     is absent, and replaced by the answer of the call
   * @throws InterruptedException if the task is cancelled while it waits; nobody else notices
   */
  public Lookup look(CacheKey key, long deadlineNanos, Predicate<String> isKnown)
      throws InterruptedException {
    while (true) {
      var mine = new Completion<Optional<String>>(time, "an identical call that is being made");
      Completion<Optional<String>> first;
      synchronized (flights) {
        first = flights.putIfAbsent(key, mine);
      }
      if (first == null) {
        return lead(new Flight(key, mine), isKnown);
      }
      if (!first.await(deadlineNanos)) {
        return new Lookup.TooLate();
      }
      Optional<String> text = first.await();
      if (text.isPresent()) {
        return new Lookup.Hit(text.get());
      }
      // It brought nothing: one of those who waited makes the call.
    }
  }

  public CacheDirectory directory() {
    return directory;
  }

  /** Why an entry could not be written, if that happened: the latest reason. */
  public synchronized Optional<String> problem() {
    return Optional.ofNullable(problem);
  }

  /** How often all files were looked at. */
  synchronized long scans() {
    return scans;
  }

  private Lookup lead(Flight flight, Predicate<String> isKnown) {
    boolean missed = false;
    try {
      // Only here, so that an entry is read once however many ask for it.
      Optional<String> stored = find(flight.key).filter(isKnown);
      if (stored.isPresent()) {
        flight.result = stored;
        return new Lookup.Hit(stored.get());
      }
      missed = true;
      return new Lookup.Miss(flight);
    } finally {
      if (!missed) {
        flight.close();
      }
    }
  }

  private Optional<String> find(CacheKey key) {
    return directory
        .find(key)
        .filter(entry -> !settings.age.isOver(entry.stored(), time.instant()))
        .map(EntryFile::text);
  }

  private void put(CacheKey key, String model, String text) {
    // Three bytes at most for each character, and the header.
    if (CacheDirectory.onDisk(3L * text.length())
        > Math.min(settings.maxBytes, EntryFile.LARGEST)) {
      return;
    }
    try {
      long size =
          directory.put(
              new EntryFile(key, model, time.instant(), text),
              writer + "-" + parts.incrementAndGet());
      makeRoom(size);
    } catch (IOException failed) {
      synchronized (this) {
        problem = failed.toString();
      }
    }
  }

  /** Looks at all files when a twentieth of the most bytes was written since the last time. */
  private void makeRoom(long size) throws IOException {
    synchronized (this) {
      bytes += size;
      bytesSinceScan += size;
      boolean isDue =
          scans == 0 || bytes > settings.maxBytes || bytesSinceScan > settings.maxBytes / 20;
      if (scanning || !isDue) {
        return;
      }
      scanning = true;
      scans++;
      bytesSinceScan = 0;
    }
    long left = 0;
    try {
      left = directory.trim(settings.maxBytes, time.instant());
    } finally {
      synchronized (this) {
        scanning = false;
        bytes = left + bytesSinceScan;
      }
    }
  }

  /** A call that is being made, for whoever wants its answer. Belongs to the task that makes it. */
  public final class Flight implements AutoCloseable {

    private final CacheKey key;
    private final Completion<Optional<String>> completion;
    private Optional<String> result = Optional.empty();

    private Flight(CacheKey key, Completion<Optional<String>> completion) {
      this.key = key;
      this.completion = completion;
    }

    /**
     * The answer, to be kept. Those who wait get it even if it cannot be written.
     *
     * @param model whose answer it is, for people
     * @param text without unpaired surrogates
     */
    public void land(String model, String text) {
      result = Optional.of(text);
      put(key, model, text);
    }

    /** Ends it, with an answer or without. */
    @Override
    public void close() {
      synchronized (flights) {
        flights.remove(key, completion);
      }
      completion.complete(result);
    }
  }
}
