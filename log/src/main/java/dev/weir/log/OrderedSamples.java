package dev.weir.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The samples of a log in an order for people, one in memory at a time: that of the dataset, or
 * failures first. Logs themselves have samples in the order in which they finished. Not
 * thread-safe.
 *
 * <p>A {@code .json} log can only be read from its beginning to its end: its samples keep the order
 * of the file within each verdict.
 */
public final class OrderedSamples implements Closeable {

  /** What comes first. */
  public enum Order {
    /** The order of the dataset, the epochs of a sample together. */
    DATASET,
    /** By {@link SampleVerdict}, and by the order of the dataset within each. */
    FAILURES_FIRST
  }

  private final Path log;
  private final RunLogReader reader;
  private final List<SampleSummary> selected;
  private final int matching;
  private final Deque<SampleSummary> upcoming;
  private final Deque<List<SampleSummary>> passes;
  private final Set<String> damage = new LinkedHashSet<>();
  // Of a log that can only be read from its beginning: what reads it now, and what is wanted of it.
  private @Nullable RunLogReader pass;
  private Set<SamplePlace> wanted = Set.of();

  private OrderedSamples(
      Path log, RunLogReader reader, List<SampleSummary> selected, int matching) {
    this.log = log;
    this.reader = reader;
    this.selected = selected;
    this.matching = matching;
    boolean readsAnywhere = reader.readsAnywhere();
    this.upcoming = new ArrayDeque<>(readsAnywhere ? selected : List.of());
    Map<SampleVerdict, List<SampleSummary>> groups = new LinkedHashMap<>();
    if (!readsAnywhere) {
      selected.forEach(
          sample ->
              groups.computeIfAbsent(SampleVerdict.of(sample), _ -> new ArrayList<>()).add(sample));
    }
    this.passes = new ArrayDeque<>(groups.values());
  }

  /**
   * Opens a log.
   *
   * @param which the samples to read
   * @param most how many of them at most, in this order
   */
  public static OrderedSamples open(
      Path log, Predicate<SampleSummary> which, Order order, long most) throws IOException {
    RunLogReader reader = RunLogReader.open(log);
    try {
      Map<SamplePlace, SampleSummary> last = new LinkedHashMap<>();
      reader.summaries().forEach(sample -> last.put(SamplePlace.of(sample), sample));
      List<SampleSummary> matching =
          last.values().stream()
              .filter(which)
              .sorted(comparator(reader.start(), order, last.values()))
              .toList();
      return new OrderedSamples(
          log, reader, matching.stream().limit(most).toList(), matching.size());
    } catch (IOException | RuntimeException unreadable) {
      reader.close();
      throw unreadable;
    }
  }

  private static Comparator<SampleSummary> comparator(
      RunStart start, Order order, Collection<SampleSummary> all) {
    Map<String, Integer> places = new HashMap<>();
    start.dataset().sampleIds().texts().forEach(id -> places.putIfAbsent(id, places.size()));
    // Logs of other programs need not list their samples.
    all.forEach(sample -> places.putIfAbsent(sample.id(), places.size()));
    Comparator<SampleSummary> byPlace =
        Comparator.<SampleSummary>comparingInt(sample -> places.getOrDefault(sample.id(), 0))
            .thenComparingInt(SampleSummary::epoch);
    return order == Order.DATASET
        ? byPlace
        : Comparator.<SampleSummary, SampleVerdict>comparing(SampleVerdict::of)
            .thenComparing(byPlace);
  }

  /** How the run began. */
  public RunStart start() {
    return reader.start();
  }

  /** What is known of the selected samples without reading them. */
  public List<SampleSummary> selected() {
    return selected;
  }

  /** How many samples would be selected without a bound on their number. */
  public int matching() {
    return matching;
  }

  /** The next sample; absent at the end. One that is damaged is skipped. */
  public Optional<SampleResult> next() throws IOException {
    while (!upcoming.isEmpty()) {
      SampleSummary sample = upcoming.remove();
      Optional<SampleResult> read = read(sample);
      if (read.isPresent()) {
        return read;
      }
    }
    return nextOfPass();
  }

  private Optional<SampleResult> read(SampleSummary sample) throws IOException {
    try {
      return reader.sample(sample.id(), sample.epoch());
    } catch (ClosedChannelException closed) {
      throw closed;
    } catch (IOException damaged) {
      damage.add(Problem.of(damaged));
      return Optional.empty();
    }
  }

  private Optional<SampleResult> nextOfPass() throws IOException {
    while (pass != null || !passes.isEmpty()) {
      RunLogReader current = pass == null ? begin(passes.remove()) : pass;
      pass = current;
      for (var next = current.sample(); next.isPresent(); next = current.sample()) {
        if (wanted.remove(new SamplePlace(next.get().id(), next.get().epoch()))) {
          return next;
        }
      }
      end(current);
      pass = null;
    }
    return Optional.empty();
  }

  private RunLogReader begin(List<SampleSummary> group) throws IOException {
    wanted = group.stream().map(SamplePlace::of).collect(Collectors.toCollection(HashSet::new));
    RunLogReader next = RunLogReader.open(log);
    next.only(group.stream().map(SampleSummary::id).collect(Collectors.toSet()));
    return next;
  }

  private void end(RunLogReader read) throws IOException {
    damage.addAll(read.damage());
    read.close();
  }

  /** What could not be read, in sentences; complete when the last sample has been read. */
  public List<String> damage() {
    Set<String> all = new LinkedHashSet<>(reader.damage());
    all.addAll(damage);
    return List.copyOf(all);
  }

  @Override
  public void close() throws IOException {
    try (var _ = pass) {
      reader.close();
    }
  }
}
