package dev.weir.log;

import dev.weir.log.inspect.InspectLog;
import dev.weir.log.journal.JournalReader;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The log of a run, whatever its form: the journal of one that runs or was killed, an {@code .eval}
 * file, or one of Inspect's {@code .json} files. Samples are held one at a time. Not thread-safe.
 */
public abstract sealed class RunLogReader implements Closeable
    permits JournalLogReader, InspectLogReader {

  private static final byte[] JOURNAL = "WEIRJRNL".getBytes(StandardCharsets.US_ASCII);

  /**
   * Opens a log; where a journal was, the {@code .eval} file that it has become.
   *
   * @throws IOException if it cannot be read, or is no such log
   */
  public static RunLogReader open(Path log) throws IOException {
    Path file = LogFiles.current(log);
    return isJournal(file)
        ? JournalLogReader.open(JournalReader.open(file), file)
        : InspectLogReader.open(InspectLog.open(file), file);
  }

  static boolean isJournal(Path file) throws IOException {
    if (file.toString().endsWith(LogFiles.JOURNAL)) {
      return true;
    }
    try (var in = Files.newInputStream(file)) {
      return Arrays.equals(in.readNBytes(JOURNAL.length), JOURNAL);
    }
  }

  /** How the run began. */
  public abstract RunStart start();

  /**
   * Lets {@link #sample()} give only samples of these ids, of any epoch. The others are not read,
   * so nobody is told if they are damaged. To be called before the first is read.
   */
  public abstract void only(Set<String> ids);

  /** The next sample; absent at the end. */
  public abstract Optional<SampleResult> sample() throws IOException;

  /** The next sample as it stands in the log; absent at the end. */
  public final Optional<LoggedSample> logged() throws IOException {
    return sample().map(sample -> new LoggedSample(sample, foreign()));
  }

  /** The JSON of the sample that was read last, if another program wrote it. */
  abstract byte @Nullable [] foreign();

  /**
   * What another program wrote of the run, as JSON; absent if Weir did. The header of its log, with
   * what became of repeated samples.
   */
  public abstract Optional<String> foreignHeader() throws IOException;

  /** How the run ended; absent if it has not, or was killed. */
  public abstract Optional<RunResult> end() throws IOException;

  /**
   * What the runs used that this one goes on with, beyond the samples that it keeps of them; if it
   * has ended, that is in its result. Complete when the last sample has been read; tokens and cost
   * are at once.
   */
  public EarlierUse usedBefore() throws IOException {
    return EarlierUse.NONE;
  }

  /** What is known of all samples without reading them; of one that was run again, the last. */
  public abstract List<SampleSummary> summaries() throws IOException;

  /** Whether one sample can be read without reading those before it. */
  abstract boolean readsAnywhere();

  /** One sample. */
  public abstract Optional<SampleResult> sample(String id, int epoch) throws IOException;

  /** One sample as it stands in the log. */
  public final Optional<LoggedSample> logged(String id, int epoch) throws IOException {
    return sample(id, epoch).map(sample -> new LoggedSample(sample, foreign()));
  }

  /**
   * What samples failed with that have not finished; only they are read.
   *
   * @param most of them, as a bound for memory and time
   */
  public abstract List<ErrorHistory> errors(int most) throws IOException;

  /** What could not be read, in sentences; complete when the last sample has been read. */
  public abstract List<String> damage();

  @Override
  public abstract void close() throws IOException;
}
