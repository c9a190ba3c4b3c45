package dev.weir.log;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.weir.log.journal.Journal;
import dev.weir.log.journal.JournalListener;
import dev.weir.log.journal.JournalOptions;
import dev.weir.time.Task;
import dev.weir.time.TaskFailedException;
import dev.weir.time.Time;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.databind.node.ObjectNode;

/**
 * The log of a run while it is written: a journal, of which nothing that is finished is ever lost.
 * When the run has ended it becomes an {@code .eval} file, which Inspect's tools read, too.
 * Thread-safe.
 */
public final class RunLog implements AutoCloseable {

  /** What {@link #summary} prints. */
  static final int RESULT_VERSION = 2;

  private static final String PROBE = ".weir-probe";

  /** File systems commonly allow 255 bytes for a name; the rest of it needs about 40. */
  private static final int LONGEST_TASK_PART = 80;

  private static final int MOST_COPIES = 1_000;

  private static final int MOST_REDUCED = 10_000;

  private static final DateTimeFormatter FILE_TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH-mm-ss", Locale.ROOT).withZone(ZoneOffset.UTC);

  /** Of {@link JournalRecords.Began}. */
  private static final String GOING_ON = "going_on";

  private static final byte[] NO_KEY = {};

  private final Time time;
  private final Journal journal;
  private final SampleIds ids;

  private RunLog(Time time, Journal journal, SampleIds ids) {
    this.time = time;
    this.journal = journal;
    this.ids = ids;
  }

  /**
   * Makes sure that logs can be written later: creates the directory and tries it.
   *
   * @throws IOException if the directory cannot be made or written to
   */
  public static void prepare(Path directory) throws IOException {
    Files.createDirectories(directory);
    Path probe = directory.resolve(PROBE);
    // Two processes may do this at once: the file may be there already, or gone again.
    try (var _ = Files.newByteChannel(probe, CREATE, WRITE)) {
      // That it can be opened is all there is to know.
    }
    Files.deleteIfExists(probe);
  }

  /**
   * Begins a log.
   *
   * @param listener hears when it cannot be written, and when it can again
   */
  public static RunLog begin(Time time, Path directory, RunStart start, JournalListener listener)
      throws IOException {
    return begin(time, directory, start, JournalOptions.defaults().withListener(listener));
  }

  /**
   * Begins a log.
   *
   * @param options how it is written, and who hears when it cannot be
   */
  public static RunLog begin(Time time, Path directory, RunStart start, JournalOptions options)
      throws IOException {
    return begin(time, directory, start, Optional.empty(), options);
  }

  /**
   * Begins a log.
   *
   * @param goingOn how it goes on with the log that {@code start} names, if it does
   * @param options how it is written, and who hears when it cannot be
   */
  public static RunLog begin(
      Time time, Path directory, RunStart start, Optional<GoingOn> goingOn, JournalOptions options)
      throws IOException {
    var log =
        new RunLog(
            time, create(time, directory, fileName(start), options), start.dataset().sampleIds());
    ObjectNode tree = LogJson.LINES.valueToTree(start);
    // In the same record: there is no moment in which it goes on and nobody knows how.
    goingOn.ifPresent(how -> tree.set(GOING_ON, LogJson.LINES.valueToTree(how)));
    byte[] json = LogJson.LINES.writeValueAsBytes(tree);
    // Twice, with one commit: without it no sample can be used, whatever becomes of the disk.
    log.appendSoon(LogRecords.START, json);
    log.journal.appendAnyway(LogRecords.START, NO_KEY, json);
    return log;
  }

  /** A cancelled task leaves it out: a record that is waited for follows. */
  private void appendSoon(int type, byte[] body) throws IOException {
    try {
      journal.appendLater(type, NO_KEY, body);
    } catch (InterruptedException cancelled) {
      Thread.currentThread().interrupt();
    }
  }

  /** Another run may have the name, if clocks and chance will have it so. */
  private static Journal create(Time time, Path directory, String name, JournalOptions options)
      throws IOException {
    for (int copy = 1; ; copy++) {
      String suffix = copy == 1 ? "" : "-" + copy;
      Path file = directory.resolve(name + suffix + LogFiles.JOURNAL);
      try {
        if (!Files.exists(LogFiles.eval(file))) {
          return Journal.create(file, time, options);
        }
      } catch (FileAlreadyExistsException taken) {
        if (copy == MOST_COPIES) {
          throw taken;
        }
      }
    }
  }

  /** The journal; it is replaced by {@link #finish}. */
  public Path file() {
    return journal.file();
  }

  /**
   * When it returns, the sample is on the disk and will never be lost; or it was cancelled, or its
   * task was, and it will be there when the log is closed.
   */
  public void append(SampleResult sample) throws IOException {
    InspectSampleWriter.Whole whole = written(sample);
    if (sample.cancelled()) {
      // Thousands may be cancelled at once, and each would be run again anyway.
      journal.appendLaterAnyway(LogRecords.SAMPLE, whole.key().bytes(), whole.json());
    } else {
      journal.appendAnyway(LogRecords.SAMPLE, whole.key().bytes(), whole.json());
    }
  }

  /** As {@link #append(SampleResult)}; what another program wrote stays as it stands. */
  public void append(LoggedSample sample) throws IOException {
    InspectSampleWriter.Whole whole = written(sample);
    journal.appendAnyway(LogRecords.SAMPLE, whole.key().bytes(), whole.json());
  }

  private InspectSampleWriter.Whole written(LoggedSample sample) {
    InspectSampleWriter.Whole whole = sample.whole(ids);
    return whole.json().length <= Journal.MOST_BODY_BYTES ? whole : written(sample.sample());
  }

  /**
   * What another program wrote of the run whose samples these are; it stays as it stands.
   *
   * @param header as {@link RunLogReader#foreignHeader} has it
   * @param keepsScores whether what the old scores amount to stays
   */
  public void keep(String header, boolean keepsScores) throws IOException {
    String kept = keepsScores ? header : ForeignHeader.withoutScores(header);
    byte[] json = kept.getBytes(StandardCharsets.UTF_8);
    if (json.length <= Journal.MOST_BODY_BYTES) {
      journal.appendAnyway(LogRecords.FOREIGN, NO_KEY, json);
    }
  }

  /** One that is too large for a record keeps its scores, and says what is left out. */
  private InspectSampleWriter.Whole written(SampleResult sample) {
    InspectSampleWriter.Whole whole = InspectSampleWriter.whole(sample, ids);
    return whole.json().length <= Journal.MOST_BODY_BYTES
        ? whole
        : InspectSampleWriter.whole(
            sample.withoutConversation(
                "left out: the sample has %d bytes, and a record at most %d"
                    .formatted(whole.json().length, Journal.MOST_BODY_BYTES)),
            ids);
  }

  /** A sample of the log that this one goes on with; on the disk soon. */
  public void copy(LoggedSample sample) throws IOException, InterruptedException {
    InspectSampleWriter.Whole whole = written(sample);
    journal.appendLater(LogRecords.SAMPLE, whole.key().bytes(), whole.json());
  }

  /**
   * What the runs used that this one goes on with, beyond the samples that it keeps of them, when
   * all of it is known: whoever goes on with this one, should it be killed, finds it nowhere else.
   */
  public void append(EarlierUse used) throws IOException {
    if (!used.equals(EarlierUse.NONE)) {
      journal.appendAnyway(LogRecords.USED, NO_KEY, LogJson.LINES.writeValueAsBytes(used));
    }
  }

  /** All samples that were to be kept are copied. */
  public void copied() throws IOException {
    journal.appendAnyway(LogRecords.COPIED, NO_KEY, new byte[0]);
  }

  /** How a window changed; on the disk soon. */
  public void append(LimitChange change) throws IOException, InterruptedException {
    journal.appendLater(LogRecords.LIMIT, NO_KEY, LogJson.LINES.writeValueAsBytes(change));
  }

  /** What somebody did to the run. */
  public void append(ConfigChange change) throws IOException {
    journal.appendAnyway(LogRecords.CHANGE, NO_KEY, LogJson.LINES.writeValueAsBytes(change));
  }

  /** What became of repeated samples; in parts, since there may be many. */
  public void append(Reduced reduced) throws IOException {
    List<Reduced.Value> samples = reduced.samples();
    for (int from = 0; from < samples.size(); from += MOST_REDUCED) {
      int to = Math.min(from + MOST_REDUCED, samples.size());
      var part = new Reduced(reduced.scorer(), reduced.reducer(), samples.subList(from, to));
      journal.appendAnyway(LogRecords.REDUCED, NO_KEY, LogJson.LINES.writeValueAsBytes(part));
    }
  }

  /** How many records are on the disk. */
  public long durableRecords() {
    return journal.durableRecords();
  }

  /** How the run ended. */
  public void end(RunResult result) throws IOException {
    ObjectNode json = LogJson.LINES.valueToTree(result);
    json.remove("start");
    journal.appendAnyway(LogRecords.END, NO_KEY, LogJson.LINES.writeValueAsBytes(json));
  }

  /** The run is being ended: what cannot be written now is given up soon. */
  public void hurry() {
    journal.hurry();
  }

  /**
   * Writes what is left of the journal. It stays locked: nobody takes it for that of a killed run
   * before {@link #finish} has made a log of it, or {@link #close} left it to others.
   *
   * @throws IOException if not all is on the disk
   */
  public void settle() throws IOException {
    journal.settle();
  }

  /**
   * Writes the {@code .eval} file that takes the place of the journal, and closes that. A cancelled
   * task does so, too: what it has finished is worth the moment.
   *
   * @param tell hears if a part of the journal is damaged: then it is kept under another name
   * @return where the log is now
   * @throws IOException if that cannot be done; the journal is still there then
   */
  public Path finish(Consumer<String> tell) throws IOException {
    try (journal) {
      journal.settle();
      // An interrupt closes the files of the task that it reaches: this one it does not.
      return awaited(time.start("log", () -> LogFiles.converted(journal.file(), tell)));
    }
  }

  private static Path awaited(Task<Path> converting) throws IOException {
    boolean isInterrupted = false;
    try {
      while (true) {
        try {
          return converting.join();
        } catch (InterruptedException cancelled) {
          isInterrupted = true;
        }
      }
    } catch (TaskFailedException failed) {
      if (failed.getCause() instanceof IOException unwritable) {
        throw unwritable;
      }
      throw failed;
    } finally {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public void close() throws IOException {
    journal.close();
  }

  /** The result for a script to read: what {@code --json} prints. */
  public static String summary(RunResult result, Optional<Path> writtenTo) {
    ObjectNode document = LogJson.LINES.createObjectNode();
    document.put("format", "weir-result");
    document.put("version", RESULT_VERSION);
    ObjectNode tree = LogJson.LINES.valueToTree(result);
    ObjectNode start = (ObjectNode) tree.remove("start");
    ((ObjectNode) start.path("dataset")).remove("sample_ids");
    // Only for whoever has to make them again.
    start.remove("scorer_metrics");
    start.properties().forEach(field -> document.set(field.getKey(), field.getValue()));
    // Those of the start are how many there are to be; what became of them says that, too.
    tree.properties().forEach(field -> document.set(field.getKey(), field.getValue()));
    document.put("log", writtenTo.map(Path::toString).orElse(null));
    return LogJson.LINES.writerWithDefaultPrettyPrinter().writeValueAsString(document);
  }

  private static String fileName(RunStart start) {
    String task = start.task().replaceAll("[^A-Za-z0-9._-]+", "-");
    if (task.length() > LONGEST_TASK_PART) {
      task = task.substring(0, LONGEST_TASK_PART);
    }
    return FILE_TIME.format(start.started()) + "_" + task + "_" + start.runId();
  }
}
