package dev.weir.log;

import dev.weir.log.journal.JournalReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where the {@code .eval} file of a journal belongs. Directories are synchronised and restored, and
 * files renamed: what has that name already may have more than the journal.
 *
 * @param isWhole whether the log already exists, with all that the journal has
 * @param passedOver why another file keeps the name that this one would have, in a sentence
 */
record EvalPlace(Path file, boolean isWhole, Optional<String> passedOver) {

  private static final String RECOVERED = "-recovered";
  private static final int MOST_COPIES = 1_000;

  private enum Found {
    NOTHING_MORE,
    ALL,
    ANOTHER_RUN,
    OTHER_SAMPLES,
    UNREADABLE
  }

  static EvalPlace of(Path journal) throws IOException {
    Path eval = LogFiles.eval(journal);
    if (!Files.isRegularFile(eval)) {
      return new EvalPlace(eval, false, Optional.empty());
    }
    try (var reader = JournalLogReader.open(JournalReader.openLeft(journal), journal)) {
      Optional<String> passedOver = Optional.empty();
      for (int copy = 0; copy <= MOST_COPIES; copy++) {
        Path file = copy == 0 ? eval : LogFiles.named(journal, suffix(copy) + LogFiles.EVAL);
        Found found = Files.exists(file) ? found(reader, file) : Found.NOTHING_MORE;
        if (found == Found.NOTHING_MORE || found == Found.ALL) {
          return new EvalPlace(file, found == Found.ALL, passedOver);
        }
        if (passedOver.isEmpty()) {
          passedOver = Optional.of(told(file, found));
        }
      }
      throw new IOException(
          "%s: there are too many logs of that name; move some of them elsewhere"
              .formatted(journal));
    }
  }

  /**
   * Writes the log there, unless it is whole; all of the journal is read, so that what is damaged
   * is known.
   *
   * @return how many samples of the journal need not be run again
   */
  long write(JournalLogReader journal) throws IOException {
    if (!isWhole) {
      return EvalForm.write(journal, file, false);
    }
    long finished = 0;
    for (var next = journal.sample(); next.isPresent(); next = journal.sample()) {
      finished += next.get().hasFinished() ? 1 : 0;
    }
    return finished;
  }

  private static String suffix(int copy) {
    return copy == 1 ? RECOVERED : RECOVERED + "-" + copy;
  }

  private static Found found(JournalLogReader journal, Path file) throws IOException {
    List<SampleSummary> there;
    boolean hasEnded;
    try (var log = RunLogReader.open(file)) {
      if (!log.start().runId().equals(journal.start().runId())) {
        return Found.ANOTHER_RUN;
      }
      there = log.summaries();
      hasEnded = log.end().filter(end -> !isKilled(end)).isPresent();
    } catch (IOException | RuntimeException unreadable) {
      return Found.UNREADABLE;
    }
    List<SampleSummary> own = journal.summaries();
    boolean hasAll = hasAll(there, own);
    // How the run ended is worth keeping, too.
    boolean tellsMore = hasAll && hasEnded && journal.end().isEmpty();
    if (!tellsMore && hasAll(own, there)) {
      return Found.NOTHING_MORE;
    }
    return hasAll ? Found.ALL : Found.OTHER_SAMPLES;
  }

  private static boolean isKilled(RunResult end) {
    return end.error().filter(why -> why.startsWith(LogRecovery.KILLED)).isPresent();
  }

  /** Whether each of {@code some} is among {@code all}, not less finished or scored. */
  private static boolean hasAll(List<SampleSummary> all, List<SampleSummary> some) {
    Map<SamplePlace, SampleSummary> known = new HashMap<>();
    all.forEach(sample -> known.put(SamplePlace.of(sample), sample));
    return some.stream()
        .allMatch(
            sample -> {
              SampleSummary same = known.get(SamplePlace.of(sample));
              return same != null
                  && (same.hasFinished() || !sample.hasFinished())
                  && same.scores().keySet().containsAll(sample.scores().keySet());
            });
  }

  private static String told(Path file, Found found) {
    return "%s stays as it is, since %s"
        .formatted(
            file,
            switch (found) {
              case ANOTHER_RUN -> "it is the log of another run";
              case UNREADABLE -> "it cannot be read";
              default -> "it has samples that the journal lacks";
            });
  }
}
