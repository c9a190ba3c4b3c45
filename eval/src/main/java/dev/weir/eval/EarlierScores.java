package dev.weir.eval;

import dev.weir.log.Cost;
import dev.weir.log.EarlierUse;
import dev.weir.log.LogDirectory;
import dev.weir.log.LogFiles;
import dev.weir.log.LoggedSample;
import dev.weir.log.RunLogReader;
import dev.weir.log.RunResult;
import dev.weir.log.RunResult.ModelUse;
import dev.weir.log.RunResult.Status;
import dev.weir.log.RunStart;
import dev.weir.log.SamplePlace;
import dev.weir.log.SampleResult;
import dev.weir.log.SampleSummary;
import dev.weir.log.journal.JournalLock;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Scores of scorings that were cut off, which another one with the same scorers goes on with:
 * graders were paid for them. Not thread-safe.
 *
 * <p>Each sample keeps the newest scores that there are of it, until a scoring is met that came to
 * its end: who scores again after that wants it all anew.
 */
final class EarlierScores implements Closeable {

  /** In the metadata of a scoring: what its scores depend on. */
  static final String SCORED_WITH = "scored_with";

  /** Of finished logs; a scoring that was cut off is not far back. */
  private static final int MOST_LOOKED_AT = 200;

  private final List<String> scorers;
  private final List<Source> sources = new ArrayList<>();
  private final Map<SamplePlace, Source> places = new HashMap<>();
  private EarlierUse use = EarlierUse.NONE;
  private int taken;

  private EarlierScores(List<String> scorers) {
    this.scorers = scorers;
  }

  /**
   * A scoring that was cut off.
   *
   * @param lock of a journal: nobody else goes on with it meanwhile
   */
  private record Source(Path file, RunLogReader log, Optional<JournalLock> lock)
      implements Closeable {

    @Override
    public void close() throws IOException {
      try {
        log.close();
      } finally {
        if (lock.isPresent()) {
          lock.get().close();
        }
      }
    }
  }

  /**
   * What there is in a directory.
   *
   * @param start of the scoring that goes on
   * @param scorers whose scores are wanted; a sample that lacks one of them is scored again
   */
  static EarlierScores in(Path directory, RunStart start, List<String> scorers) throws IOException {
    var found = new EarlierScores(scorers);
    String wanted = start.metadata().getOrDefault(SCORED_WITH, "");
    if (wanted.isEmpty() || !Files.isDirectory(directory)) {
      return found;
    }
    try {
      int others = 0;
      for (Path file : LogDirectory.logs(directory)) {
        boolean isLookedAt = isJournal(file) || others++ < MOST_LOOKED_AT;
        if (isLookedAt && found.isComplete(file, wanted)) {
          break;
        }
      }
      return found;
    } catch (IOException | RuntimeException failed) {
      found.close();
      throw failed;
    }
  }

  private static boolean isJournal(Path file) {
    return file.toString().endsWith(LogFiles.JOURNAL);
  }

  /** Whether it is such a scoring and came to its end; one that was cut off is kept for later. */
  private boolean isComplete(Path file, String wanted) throws IOException {
    Optional<Source> source = Optional.empty();
    boolean isKept = false;
    try {
      source = opened(file, wanted);
      isKept = source.isPresent() && isCutOff(source.get());
      return source.isPresent() && !isKept;
    } catch (ClosedChannelException interrupted) {
      throw interrupted;
    } catch (IOException | RuntimeException unusable) {
      // What cannot be read is asked for once more.
      return false;
    } finally {
      if (source.isPresent() && !isKept) {
        source.get().close();
      }
    }
  }

  /** Absent if it is another log, or is being written. */
  private static Optional<Source> opened(Path file, String wanted) throws IOException {
    RunLogReader log = RunLogReader.open(file);
    boolean isOpen = false;
    try {
      if (!wanted.equals(log.start().metadata().get(SCORED_WITH))) {
        return Optional.empty();
      }
      var source =
          new Source(
              file, log, isJournal(file) ? Optional.of(JournalLock.take(file)) : Optional.empty());
      isOpen = true;
      return Optional.of(source);
    } finally {
      if (!isOpen) {
        log.close();
      }
    }
  }

  private boolean isCutOff(Source source) throws IOException {
    List<SampleSummary> scored = new ArrayList<>();
    int without = 0;
    for (SampleSummary sample : source.log.summaries()) {
      if (sample.scores().keySet().containsAll(scorers)) {
        scored.add(sample);
      } else if (sample.hasFinished()) {
        without++;
      }
    }
    Optional<Status> end = source.log.end().map(RunResult::status);
    // It has the status of the run that it scores, which need not have succeeded.
    if (end.isPresent() && (without == 0 || end.get() == Status.SUCCESS)) {
      return false;
    }
    sources.add(source);
    scored.forEach(
        sample -> places.putIfAbsent(new SamplePlace(sample.id(), sample.epoch()), source));
    return true;
  }

  /** How many samples have their scores. */
  int size() {
    return places.size();
  }

  /** The logs that have them. */
  List<Path> files() {
    return sources.stream().map(Source::file).toList();
  }

  /** The same sample with its new scores, if they are there and are those of the same answer. */
  Optional<LoggedSample> take(SampleResult sample) throws IOException {
    Source source = places.remove(new SamplePlace(sample.id(), sample.epoch()));
    if (source == null) {
      return Optional.empty();
    }
    try {
      Optional<LoggedSample> found =
          source
              .log
              .logged(sample.id(), sample.epoch())
              .filter(scored -> isSameAnswer(scored.sample(), sample));
      found.ifPresent(scored -> count(scored.sample(), sample));
      return found;
    } catch (ClosedChannelException interrupted) {
      throw interrupted;
    } catch (IOException damaged) {
      return Optional.empty();
    }
  }

  private static boolean isSameAnswer(SampleResult one, SampleResult other) {
    return one.contentHash().equals(other.contentHash())
        && one.targets().equals(other.targets())
        && one.output().equals(other.output())
        && one.messages().equals(other.messages());
  }

  private void count(SampleResult scored, SampleResult before) {
    taken++;
    EarlierUse more =
        new EarlierUse(
                scored.tokens(),
                scored.cost(),
                0,
                Math.max(0, scored.retries() - before.retries()),
                Map.of(),
                Map.of())
            .minus(before.tokens(), before.cost());
    use =
        new EarlierUse(
            use.tokens().plus(more.tokens()),
            use.cost().plus(more.cost()),
            0,
            use.retries() + more.retries(),
            Map.of(),
            Map.of());
  }

  /** How many samples were taken over. */
  int taken() {
    return taken;
  }

  /** What was used for them, if that was the work of one model. */
  Optional<ModelUse> use(String model, String role) {
    Cost cost = use.cost();
    long calls = cost.pricedCalls() + cost.unknownCalls();
    return calls == 0
        ? Optional.empty()
        : Optional.of(
            new ModelUse(
                model,
                role,
                calls,
                use.retries(),
                use.tokens(),
                cost,
                Optional.empty(),
                Optional.empty()));
  }

  /** Removes the journals: all that they have is in another log now. */
  void remove() {
    for (Source source : sources) {
      try {
        // One in which something is damaged is for whoever can mend it.
        if (source.lock.isPresent() && !LogFiles.hasLost(source.file)) {
          Files.deleteIfExists(source.file);
        }
      } catch (IOException failed) {
        // It is of no use, and does no harm: the log that has it all is newer.
      }
    }
  }

  @Override
  public void close() throws IOException {
    for (Source source : sources) {
      source.close();
    }
  }
}
