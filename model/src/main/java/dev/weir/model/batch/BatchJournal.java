package dev.weir.model.batch;

import dev.weir.model.ConfigurationException;
import dev.weir.time.Time;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which request of a run is in which batch, on the disk before the batch is paid for.
 *
 * <pre>
 *   intent TAG MILLIS KEY…   about to be sent, perhaps again
 *   sent TAG ID              the provider has it
 *   released TAG KEY…        these came to nothing, and may be asked again
 *   done TAG                 nobody will ask for it any more
 * </pre>
 *
 * <p>A run that was killed leaves its journal behind. The next run of the same name takes it over,
 * and waits for the batches in it instead of sending their requests again. A run of the same name
 * that is still alive keeps its own to itself.
 *
 * <p>A line that was damaged since is left out if its batch can still be found at the provider, and
 * refused if nobody could tell any more which requests are paid for.
 *
 * <p>Thread-safe.
 */
public final class BatchJournal implements AutoCloseable {

  /** No provider keeps results for longer. */
  private static final Duration KEPT = Duration.ofDays(31);

  /** Runs of the same name at the same time, and those that were killed. */
  private static final int MOST_FILES = 1_000;

  private static final String SUFFIX = ".batches";

  /** Without them more is looked for at the provider, and nothing is sent twice. */
  private static final Pattern HARMLESS = Pattern.compile("(sent|released|done) ");

  private final Time time;
  private final List<JournalFile> files = new ArrayList<>();

  // Guarded by this.
  private final Map<String, Entry> byTag = new LinkedHashMap<>();
  private final Map<String, Entry> byKey = new HashMap<>();
  private List<String> damages = new ArrayList<>();

  private BatchJournal(Time time) {
    this.time = time;
  }

  /**
   * @param directory is created if need be
   * @param run what a run and its repetition have in common, such as the names of task and model
   * @throws ConfigurationException if the directory cannot be used, or a journal in it is damaged
   *     so that requests could be paid for twice
   */
  public static BatchJournal open(Path directory, String run, Time time) {
    var journal = new BatchJournal(time);
    try {
      Files.createDirectories(directory);
      prune(directory, time.instant().minus(KEPT));
      String name = run.replaceAll("[^A-Za-z0-9.-]+", "_");
      // Names may differ in what a file name cannot hold.
      String stem = "%.60s-%08x".formatted(name, run.hashCode());
      for (int i = 1; i <= MOST_FILES; i++) {
        Path path = directory.resolve(stem + "-" + i + SUFFIX);
        if (!Files.exists(path) && !journal.files.isEmpty()) {
          return journal;
        }
        Optional<JournalFile> file = JournalFile.open(path);
        if (file.isPresent()) {
          journal.adopt(file.get());
        }
      }
      throw new IOException("there are too many journals of " + run);
    } catch (ConfigurationException damaged) {
      journal.close();
      throw damaged;
    } catch (IOException failed) {
      journal.close();
      throw new ConfigurationException(
          "batches cannot be recorded in %s: %s".formatted(directory, failed), failed);
    }
  }

  /** The run has all it wanted: what it used of the journal is of no use to another. */
  public synchronized void finish() {
    try {
      for (Entry entry : List.copyOf(byTag.values())) {
        if (entry.keys.stream()
            .allMatch(key -> entry.used.contains(key) || isReleased(entry, key))) {
          done(entry.tag);
        } else {
          release(entry.tag, List.copyOf(entry.used));
        }
      }
      for (JournalFile file : files) {
        clearIfUnused(file);
      }
    } catch (IOException failed) {
      throw new ConfigurationException(
          "the journal of batches cannot be written: " + failed.getMessage(), failed);
    }
  }

  /** What is in it stays for the next run. */
  @Override
  public synchronized void close() {
    for (JournalFile file : files) {
      try {
        file.close();
      } catch (IOException failed) {
        // Every line was on the disk when it was written.
      }
    }
  }

  /** What is wrong with it, for people; told once. */
  synchronized List<String> takeDamages() {
    List<String> taken = damages;
    damages = List.of();
    return taken;
  }

  /** The batch that a request is in, or was to be in. */
  synchronized Optional<Recorded> find(String key) {
    Entry entry = byKey.get(key);
    if (entry == null) {
      return Optional.empty();
    }
    entry.used.add(key);
    return Optional.of(entry.recorded());
  }

  synchronized boolean knows(String tag) {
    return byTag.containsKey(tag);
  }

  /** The ids of all batches in it. */
  synchronized Set<String> ids() {
    Set<String> ids = new HashSet<>();
    byTag.values().forEach(entry -> entry.recorded().id().ifPresent(ids::add));
    return ids;
  }

  /** A batch is about to be sent. */
  synchronized void intent(String tag, List<String> keys) throws IOException {
    Instant now = time.instant();
    Entry before = byTag.get(tag);
    JournalFile file = before == null ? files.getFirst() : before.file;
    file.append("intent %s %d %s".formatted(tag, now.toEpochMilli(), String.join(" ", keys)));
    intended(file, tag, now, keys).used.addAll(keys);
  }

  /** Whether it can be recorded. */
  static boolean isId(String id) {
    return id.matches("[!-~]{1,200}");
  }

  synchronized void sent(String tag, String id) throws IOException {
    Entry entry = byTag.get(tag);
    if (entry != null) {
      entry.id = id;
      append(entry, "sent " + tag + " " + id);
    }
  }

  /** Requests came to nothing: the same may be asked again. */
  synchronized void release(String tag, Collection<String> keys) throws IOException {
    Entry entry = byTag.get(tag);
    if (entry != null && !keys.isEmpty()) {
      keys.forEach(key -> byKey.remove(key, entry));
      append(entry, "released " + tag + " " + String.join(" ", keys));
    }
  }

  /** A whole batch came to nothing. */
  synchronized void done(String tag) throws IOException {
    Entry entry = byTag.get(tag);
    if (entry != null) {
      forget(entry);
      append(entry, "done " + tag);
    }
  }

  private void adopt(JournalFile file) throws IOException {
    files.add(file);
    for (JournalFile.Damage damage : file.read(line -> replay(file, line.split(" ", -1)))) {
      if (!HARMLESS.matcher(damage.text()).lookingAt()) {
        throw new ConfigurationException(
            ("line %d of the journal of batches %s is damaged: it may name requests that are paid"
                    + " for; move the file away to send, and pay for, all its requests again")
                .formatted(damage.number(), file.path()));
      }
      damages.add(
          "line %d of %s is damaged and left out; what it said is looked for at the provider"
              .formatted(damage.number(), file.path()));
    }
    Instant oldest = time.instant().minus(KEPT);
    for (Entry entry : List.copyOf(byTag.values())) {
      if (entry.until.isBefore(oldest)) {
        forget(entry);
      }
    }
    clearIfUnused(file);
  }

  private void clearIfUnused(JournalFile file) throws IOException {
    if (byTag.values().stream().noneMatch(entry -> entry.file.equals(file))) {
      file.clear();
    }
  }

  private void replay(JournalFile file, String[] words) {
    if (words.length < 2) {
      return;
    }
    String tag = words[1];
    Entry entry = byTag.get(tag);
    switch (words[0]) {
      case "intent" -> {
        if (words.length > 3 && words[2].matches("[0-9]{1,15}")) {
          Instant at = Instant.ofEpochMilli(Long.parseLong(words[2]));
          intended(file, tag, at, List.of(words).subList(3, words.length));
        }
      }
      case "sent" -> {
        if (entry != null && words.length == 3) {
          entry.id = words[2];
        }
      }
      case "released" -> {
        if (entry != null) {
          List.of(words).subList(2, words.length).forEach(key -> byKey.remove(key, entry));
        }
      }
      case "done" -> {
        if (entry != null) {
          forget(entry);
        }
      }
      default -> {
        // Of a later version: what it says is not known here, and the rest still is.
      }
    }
  }

  private Entry intended(JournalFile file, String tag, Instant at, List<String> keys) {
    Entry before = byTag.get(tag);
    if (before != null) {
      forget(before);
    }
    var entry = new Entry(file, tag, before == null ? at : before.from, at, keys);
    byTag.put(tag, entry);
    keys.forEach(key -> byKey.put(key, entry));
    return entry;
  }

  private boolean isReleased(Entry entry, String key) {
    return !entry.equals(byKey.get(key));
  }

  private void forget(Entry entry) {
    byTag.remove(entry.tag, entry);
    entry.keys.forEach(key -> byKey.remove(key, entry));
  }

  private static void append(Entry entry, String payload) throws IOException {
    entry.file.append(payload);
  }

  /** Removes journals that nobody has written to for so long that no provider knows their ids. */
  private static void prune(Path directory, Instant oldest) throws IOException {
    try (DirectoryStream<Path> old = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
      for (Path path : old) {
        if (Files.getLastModifiedTime(path).toInstant().isBefore(oldest)) {
          delete(path);
        }
      }
    }
  }

  private static void delete(Path path) throws IOException {
    Optional<JournalFile> idle = JournalFile.open(path);
    if (idle.isPresent()) {
      try (JournalFile file = idle.get()) {
        file.clear();
        Files.deleteIfExists(path);
      }
    }
  }

  /**
   * A batch as it is recorded.
   *
   * @param id empty if it is not known whether it was ever sent
   */
  record Recorded(BatchApi.Submission submission, Optional<String> id) {}

  private static final class Entry {

    final JournalFile file;
    final String tag;
    final Instant from;
    final Instant until;
    final List<String> keys;
    @Nullable String id;
    final Set<String> used = new HashSet<>();

    Entry(JournalFile file, String tag, Instant from, Instant until, List<String> keys) {
      this.file = file;
      this.tag = tag;
      this.from = from;
      this.until = until;
      this.keys = List.copyOf(keys);
    }

    Recorded recorded() {
      return new Recorded(new BatchApi.Submission(tag, from, until, keys), Optional.ofNullable(id));
    }
  }
}
