package dev.weir.log;

import dev.weir.log.journal.DamageReport;
import dev.weir.log.journal.JournalReader;
import dev.weir.log.journal.JournalRecord;
import java.io.IOException;
import java.io.Writer;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * The log of a run that has not ended, or was killed: what its journal has, and what that has not
 * copied yet from the log that it goes on with. Not thread-safe.
 */
final class JournalLogReader extends RunLogReader {

  /** What samples failed with that were not run again. */
  private static final int MOST_HISTORIES = 10_000;

  private final Path file;
  private final JournalReader journal;
  private final JournalRecords records;
  private final JournalSamples samples;
  private final RunStart start;
  private @Nullable Set<String> only;
  private @Nullable RunLogReader before;
  private boolean hasLookedForBefore;
  private @Nullable NotCopied earlier;
  private Optional<String> missing = Optional.empty();
  private byte @Nullable [] foreign;
  private @Nullable Iterator<ErrorHistory> notRunAgain;
  // Once they are needed.
  private Set<SamplePlace> own = Set.of();

  private JournalLogReader(JournalReader journal, JournalRecords records, RunStart start) {
    this.file = records.file();
    this.journal = journal;
    this.records = records;
    this.samples = new JournalSamples(records.file(), journal);
    this.start = start;
  }

  static JournalLogReader open(JournalReader journal, Path file) throws IOException {
    try {
      var records = new JournalRecords(file, journal);
      return new JournalLogReader(journal, records, records.start());
    } catch (IOException | RuntimeException unusable) {
      journal.close();
      throw unusable;
    }
  }

  @Override
  public RunStart start() {
    return start;
  }

  @Override
  public void only(Set<String> ids) {
    only = Set.copyOf(ids);
  }

  @Override
  public Optional<SampleResult> sample() throws IOException {
    Optional<StoredSample> stored = stored();
    if (stored.isPresent()) {
      return read(stored.get());
    }
    Optional<SampleResult> kept =
        notRunAgain == null ? elsewhere(notCopied()) : Optional.<SampleResult>empty();
    return kept.isPresent() ? kept : notRunAgain();
  }

  private Optional<SampleResult> read(StoredSample stored) throws IOException {
    LoggedSample logged = stored.logged();
    foreign = logged.foreign();
    return Optional.of(logged.sample());
  }

  private Optional<SampleResult> elsewhere(Optional<SampleResult> found) {
    foreign = earlier == null ? null : earlier.foreign();
    return found;
  }

  @Override
  byte @Nullable [] foreign() {
    return foreign;
  }

  @Override
  public Optional<String> foreignHeader() throws IOException {
    Optional<JournalRecord> record = records.last(LogRecords.FOREIGN);
    return record.isEmpty()
        ? Optional.empty()
        : Optional.of(new String(record.get().body(), StandardCharsets.UTF_8));
  }

  /** The next sample that this journal has itself; then those that it was to copy are left. */
  Optional<StoredSample> stored() throws IOException {
    return samples.next(only);
  }

  /**
   * What is to be taken from the log that this one goes on with, if it was killed before all was
   * copied that it was to keep.
   */
  private Optional<NotCopied> earlier() throws IOException {
    if (earlier == null && journal.count(LogRecords.COPIED) == 0) {
      Optional<RunLogReader> log = before();
      if (log.isPresent()) {
        earlier = new NotCopied(log.get(), start, records.goingOn());
      }
    }
    return Optional.ofNullable(earlier);
  }

  /** The log that this one goes on with. */
  private Optional<RunLogReader> before() throws IOException {
    if (!hasLookedForBefore && start.retryOf().isPresent()) {
      hasLookedForBefore = true;
      Optional<Path> log = LogFiles.find(file, start.retryOf().get());
      if (log.isPresent()) {
        before = opened(log.get());
      } else {
        lacks(start.retryOf().get() + ", which is gone");
      }
    }
    return Optional.ofNullable(before);
  }

  /** What this journal has itself is there, even if the other log cannot be read at all. */
  private @Nullable RunLogReader opened(Path log) throws IOException {
    try {
      return RunLogReader.open(log);
    } catch (ClosedChannelException closed) {
      throw closed;
    } catch (IOException unreadable) {
      lacks("%s, which cannot be read (%s)".formatted(log, Problem.of(unreadable)));
      return null;
    }
  }

  /** Who has copied all has no need of it. */
  private void lacks(String log) throws IOException {
    if (journal.count(LogRecords.COPIED) == 0) {
      missing = Optional.of(log);
    }
  }

  private Optional<SampleResult> notCopied() throws IOException {
    Optional<NotCopied> from = earlier();
    if (from.isEmpty()) {
      return Optional.empty();
    }
    if (own.isEmpty()) {
      own = samples.summaries().keySet();
      if (only != null) {
        from.get().only(only);
      }
    }
    return from.get().next(own);
  }

  @Override
  public Optional<RunResult> end() throws IOException {
    Optional<ObjectNode> json = records.last(LogRecords.END, ObjectNode.class);
    if (json.isEmpty()) {
      return Optional.empty();
    }
    json.get().set("start", LogJson.LINES.valueToTree(start));
    return Optional.of(LogJson.LINES.treeToValue(json.get(), RunResult.class));
  }

  @Override
  public EarlierUse usedBefore() throws IOException {
    Optional<EarlierUse> told = records.last(LogRecords.USED, EarlierUse.class);
    EarlierUse known = told.isPresent() ? told.get() : records.goingOn().used();
    Optional<NotCopied> from = earlier();
    return from.isPresent() ? known.sums().plus(from.get().models()) : known;
  }

  @Override
  public List<SampleSummary> summaries() throws IOException {
    Optional<NotCopied> from = earlier();
    if (from.isEmpty()) {
      return ownSummaries();
    }
    Map<SamplePlace, SampleSummary> all = from.get().summaries();
    all.putAll(samples.summaries());
    return List.copyOf(all.values());
  }

  /** Those of the samples that this journal has itself. */
  List<SampleSummary> ownSummaries() throws IOException {
    return List.copyOf(samples.summaries().values());
  }

  @Override
  boolean readsAnywhere() {
    return true;
  }

  @Override
  public Optional<SampleResult> sample(String id, int epoch) throws IOException {
    Optional<SampleResult> found = recorded(id, epoch);
    return found.isPresent() ? found : notRunAgain(id, epoch);
  }

  /** One of those that this journal has, or was to copy. */
  private Optional<SampleResult> recorded(String id, int epoch) throws IOException {
    Optional<StoredSample> found = stored(id, epoch);
    if (found.isPresent()) {
      return read(found.get());
    }
    Optional<NotCopied> from = earlier();
    return elsewhere(from.isEmpty() ? Optional.empty() : from.get().sample(id, epoch));
  }

  /** One of the samples that this journal has itself. */
  Optional<StoredSample> stored(String id, int epoch) throws IOException {
    return samples.find(id, epoch);
  }

  /** How many samples need not be run again; what the run said of itself at its end counts. */
  long finished() throws IOException {
    Optional<RunResult> end = end();
    return end.isPresent()
        ? end.get().samples().scored()
        : summaries().stream().filter(SampleSummary::hasFinished).count();
  }

  @Override
  public List<ErrorHistory> errors(int most) throws IOException {
    List<ErrorHistory> errors = samples.errors(most);
    errors.addAll(errorsBefore(most - errors.size()));
    return errors;
  }

  /**
   * What samples of this run failed with in those that it goes on with, if it was killed before it
   * ran them again; one that ended has recorded them itself.
   */
  List<ErrorHistory> errorsBefore(int most) throws IOException {
    Optional<RunLogReader> log =
        journal.count(LogRecords.END) == 0 ? before() : Optional.<RunLogReader>empty();
    if (log.isEmpty()) {
      return List.of();
    }
    Set<String> ids = new HashSet<>(start.dataset().sampleIds().texts());
    Set<SamplePlace> ended = samples.summaries().keySet();
    try {
      return log.get().errors(most).stream()
          .filter(known -> ids.contains(known.id()) && known.epoch() <= start.epochs())
          .filter(known -> !ended.contains(new SamplePlace(known.id(), known.epoch())))
          .toList();
    } catch (ClosedChannelException closed) {
      throw closed;
    } catch (IOException unreadable) {
      // A history is a help; the samples are run again anyway.
      return List.of();
    }
  }

  /**
   * The next that failed before and was not run again, as a run that ends records it: one that was
   * killed did not live to do so.
   */
  private Optional<SampleResult> notRunAgain() throws IOException {
    Iterator<ErrorHistory> left = notRunAgain;
    if (left == null) {
      left = notRunAgainOf(only).iterator();
      notRunAgain = left;
    }
    Optional<SampleResult> next = Optional.empty();
    while (next.isEmpty() && left.hasNext()) {
      next = asNotRun(left.next());
    }
    return next;
  }

  private Optional<SampleResult> notRunAgain(String id, int epoch) throws IOException {
    for (ErrorHistory history : notRunAgainOf(Set.of(id))) {
      if (history.epoch() == epoch) {
        return asNotRun(history);
      }
    }
    return Optional.empty();
  }

  private List<ErrorHistory> notRunAgainOf(@Nullable Set<String> ids) throws IOException {
    // While it goes on it may yet run them.
    if (start.retryOf().isEmpty() || journal.isBeingWritten()) {
      return List.of();
    }
    return errorsBefore(MOST_HISTORIES).stream()
        .filter(history -> ids == null || ids.contains(history.id()))
        .toList();
  }

  private Optional<SampleResult> asNotRun(ErrorHistory history) throws IOException {
    foreign = null;
    return failed(history.id(), history.epoch()).map(sample -> sample.notRun(history.errors()));
  }

  private Optional<SampleResult> failed(String id, int epoch) throws IOException {
    Optional<RunLogReader> log = before();
    if (log.isEmpty()) {
      return Optional.empty();
    }
    if (log.get() instanceof JournalLogReader killed) {
      Optional<SampleResult> found = killed.recorded(id, epoch);
      return found.isPresent() ? found : killed.failed(id, epoch);
    }
    return log.get().sample(id, epoch);
  }

  /** How windows changed, the last so many. */
  List<LimitChange> limits(int most) throws IOException {
    return records.all(LogRecords.LIMIT, LimitChange.class, most);
  }

  /** What somebody did to the run. */
  List<ConfigChange> changes(int most) throws IOException {
    return records.all(LogRecords.CHANGE, ConfigChange.class, most);
  }

  /** Whether it tells what became of repeated samples. */
  boolean hasReductions() throws IOException {
    return records.hasReductions();
  }

  /** What became of repeated samples, as Inspect's logs have it. */
  void writeReductions(Writer out) throws IOException {
    records.writeReductions(out, start.dataset().sampleIds());
  }

  @Override
  public List<String> damage() {
    List<String> damage = new ArrayList<>();
    missing.ifPresent(
        log ->
            damage.add("%s resumes %s: what was not copied yet is run again".formatted(file, log)));
    samples.damage().map(JournalRecords::told).ifPresent(damage::addAll);
    if (earlier != null) {
      damage.addAll(earlier.damage());
    }
    return damage;
  }

  /**
   * Whether something was written once that cannot be read now, known when the last sample has been
   * read. A torn tail is none: it never was whole.
   */
  boolean hasLost() {
    Optional<DamageReport> found = samples.damage();
    return missing.isPresent()
        || found.filter(report -> !JournalRecords.isAtMostTorn(report)).isPresent();
  }

  @Override
  public void close() throws IOException {
    try (var _ = before) {
      journal.close();
    }
  }
}
