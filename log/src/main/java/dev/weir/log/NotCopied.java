package dev.weir.log;

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
final class NotCopied {

  private final RunLogReader log;
  private final Set<String> ids;
  private final int epochs;
  private final Set<SamplePlace> changed;
  // What models did for samples that were read, those that are kept and others.
  private EarlierUse kept = EarlierUse.NONE;
  private EarlierUse others = EarlierUse.NONE;
  private boolean isWholeRead;
  private boolean isPart;

  /**
   * @param start of the run that goes on
   */
  NotCopied(RunLogReader log, RunStart start, GoingOn how) {
    this.log = log;
    this.ids = new HashSet<>(start.dataset().sampleIds().texts());
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
    isPart = true;
  }

  /**
   * The next one.
   *
   * @param copied those that are not wanted any more
   */
  Optional<SampleResult> next(Set<SamplePlace> copied) throws IOException {
    for (Optional<SampleResult> next = log.sample(); next.isPresent(); next = log.sample()) {
      SampleResult sample = next.get();
      if (!isKept(sample)) {
        others = others.withModelsOf(sample);
        continue;
      }
      kept = kept.withModelsOf(sample);
      if (!copied.contains(new SamplePlace(sample.id(), sample.epoch()))) {
        return next;
      }
    }
    isWholeRead = !isPart;
    return Optional.empty();
  }

  /**
   * What models did in that run, and in those that it went on with, beyond the samples that are
   * kept. Samples tell that: nothing is known before the last was read.
   */
  EarlierUse models() throws IOException {
    if (!isWholeRead) {
      return EarlierUse.NONE;
    }
    Optional<RunResult> end = log.end();
    EarlierUse all =
        end.isPresent()
            ? EarlierUse.of(end.get()).withoutModelsOf(kept)
            : log.usedBefore().plus(others);
    return all.withoutSums();
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

  byte @Nullable [] foreign() {
    return log.foreign();
  }

  List<String> damage() {
    return log.damage();
  }
}
