package dev.weir.log;

import java.io.Closeable;
import java.io.IOException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a run keeps of the log that it goes on with, taken from there: it was killed before it had
 * copied all of it. Not thread-safe.
 */
final class NotCopied implements Closeable {

  private final RunLogReader log;
  private final Set<String> ids;
  private final int epochs;
  private final Set<SamplePlace> changed;

  /**
   * @param start of the run that goes on
   */
  NotCopied(RunLogReader log, RunStart start, GoingOn how) {
    this.log = log;
    this.ids = new HashSet<>(start.dataset().sampleIds());
    this.epochs = start.epochs();
    this.changed = new HashSet<>(how.changed());
  }

  private boolean isKept(SamplePlace place) {
    return ids.contains(place.id()) && place.epoch() <= epochs && !changed.contains(place);
  }

  private boolean isKept(SampleResult sample) {
    return sample.hasFinished() && isKept(new SamplePlace(sample.id(), sample.epoch()));
  }

  /** See {@link RunLogReader#only}. */
  void only(Set<String> wanted) {
    log.only(wanted);
  }

  /**
   * The next one.
   *
   * @param copied those that are not wanted any more
   */
  Optional<SampleResult> next(Set<SamplePlace> copied) throws IOException {
    for (Optional<SampleResult> next = log.sample(); next.isPresent(); next = log.sample()) {
      SampleResult sample = next.get();
      if (isKept(sample) && !copied.contains(new SamplePlace(sample.id(), sample.epoch()))) {
        return next;
      }
    }
    return Optional.empty();
  }

  Optional<SampleResult> sample(String id, int epoch) throws IOException {
    return isKept(new SamplePlace(id, epoch))
        ? log.sample(id, epoch).filter(SampleResult::hasFinished)
        : Optional.empty();
  }

  Map<SamplePlace, SampleSummary> summaries() throws IOException {
    Map<SamplePlace, SampleSummary> kept = new LinkedHashMap<>();
    for (SampleSummary summary : log.summaries()) {
      var place = SamplePlace.of(summary);
      if (summary.hasFinished() && isKept(place)) {
        kept.put(place, summary);
      }
    }
    return kept;
  }

  List<ErrorHistory> errors(int most) throws IOException {
    return log.errors(most);
  }

  byte @Nullable [] foreign() {
    return log.foreign();
  }

  List<String> damage() {
    return log.damage();
  }

  @Override
  public void close() throws IOException {
    log.close();
  }
}
