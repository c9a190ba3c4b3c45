package dev.weir.log;

import dev.weir.log.inspect.InspectHeader;
import dev.weir.log.inspect.InspectLog;
import dev.weir.log.journal.JournalReader;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The logs of a directory: names are held, logs are read one at a time, and only their heads. */
public final class LogDirectory {

  /** Names begin so, those of Inspect with an offset. */
  private static final Pattern TIME =
      Pattern.compile(
          "(\\d{4}-\\d\\d-\\d\\dT)(\\d\\d)-(\\d\\d)-(\\d\\d)(?:([+-]\\d\\d)-(\\d\\d))?_.*");

  private static final int MOST_LOOKED_AT = 200;

  private LogDirectory() {}

  /**
   * The logs, the newest first: journals, {@code .eval} files, and {@code .json} files whose names
   * begin with a time, as those of Inspect do.
   */
  public static List<Path> logs(Path directory) throws IOException {
    return dated(directory).stream().map(Dated::file).toList();
  }

  private static List<Dated> dated(Path directory) throws IOException {
    List<Dated> found = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        if (isLog(name(file)) && Files.isRegularFile(file)) {
          found.add(new Dated(time(file), file));
        }
      }
    } catch (DirectoryIteratorException broken) {
      throw broken.getCause();
    }
    found.sort(
        Comparator.comparing(Dated::time).thenComparing(dated -> name(dated.file())).reversed());
    return found;
  }

  private record Dated(Instant time, Path file) {}

  private static String name(Path file) {
    return String.valueOf(file.getFileName());
  }

  private static boolean isLog(String name) {
    return !name.startsWith(".")
        && (name.endsWith(LogFiles.JOURNAL)
            || name.endsWith(LogFiles.EVAL)
            || (name.endsWith(LogFiles.JSON) && TIME.matcher(name).matches()));
  }

  /** When its run began: its name tells that without a look into it. */
  private static Instant time(Path file) {
    return named(file).orElseGet(() -> told(file));
  }

  private static Optional<Instant> named(Path file) {
    Matcher matcher = TIME.matcher(name(file));
    if (matcher.matches()) {
      String offset = matcher.group(5) == null ? "Z" : matcher.group(5) + ":" + matcher.group(6);
      try {
        return Optional.of(
            OffsetDateTime.parse(
                    "%s%s:%s:%s%s"
                        .formatted(
                            matcher.group(1),
                            matcher.group(2),
                            matcher.group(3),
                            matcher.group(4),
                            offset))
                .toInstant());
      } catch (DateTimeException notOne) {
        // A name like any other.
      }
    }
    return Optional.empty();
  }

  /** Files are copied and touched: when one was changed tells only if the log cannot be read. */
  private static Instant told(Path file) {
    try {
      Optional<Instant> began = began(file);
      return began.isPresent() ? began.get() : Files.getLastModifiedTime(file).toInstant();
    } catch (IOException | RuntimeException unreadable) {
      return changed(file);
    }
  }

  private static Instant changed(Path file) {
    try {
      return Files.getLastModifiedTime(file).toInstant();
    } catch (IOException gone) {
      return Instant.EPOCH;
    }
  }

  private static Optional<Instant> began(Path file) throws IOException {
    if (RunLogReader.isJournal(file)) {
      try (var journal = JournalReader.open(file)) {
        return Optional.of(began(new JournalRecords(file, journal).start()));
      }
    }
    try (var log = InspectLog.open(file)) {
      return began(log.header());
    }
  }

  /** As its other forms have it: a copy of a log is not later than the log. */
  private static Instant began(RunStart start) {
    return start.started().truncatedTo(ChronoUnit.MICROS);
  }

  private static Optional<Instant> began(InspectHeader header) {
    try {
      return Optional.of(OffsetDateTime.parse(header.eval().created()).toInstant());
    } catch (DateTimeException untold) {
      return Optional.empty();
    }
  }

  /** What is known of a log without reading its samples; also of one that cannot be read. */
  public static LogEntry entry(Path file) {
    try {
      return RunLogReader.isJournal(file) ? journal(file) : inspect(file);
    } catch (IOException | RuntimeException unreadable) {
      return new LogEntry(
          file,
          named(file).orElseGet(() -> changed(file)),
          LogEntry.Status.UNREADABLE,
          "",
          "",
          "",
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.of(Problem.of(unreadable)));
    }
  }

  /**
   * The newest log that goes on with one: a later one of the same task, in the same directory. Only
   * so many of the newest are looked at.
   */
  static Optional<Path> continuedBy(Path file, RunStart start) throws IOException {
    return continuedBy(start.taskId(), began(start), file.resolveSibling("")).map(LogEntry::file);
  }

  /**
   * The newest log of a directory that goes on with one, wherever that is: a later one of the same
   * task. Only so many of the newest are looked at.
   */
  public static Optional<LogEntry> continuedBy(Path file, Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      return Optional.empty();
    }
    Origin origin = Origin.of(file);
    // Scoring answers again goes on with nothing, and there is nothing to go on with.
    return origin.isScoring()
        ? Optional.empty()
        : continuedBy(origin.taskId(), origin.began(), directory);
  }

  private static Optional<LogEntry> continuedBy(String taskId, Instant began, Path directory)
      throws IOException {
    if (taskId.isEmpty()) {
      return Optional.empty();
    }
    // Names tell seconds.
    Instant second = began.truncatedTo(ChronoUnit.SECONDS);
    return dated(directory).stream()
        .takeWhile(log -> !log.time().isBefore(second))
        .limit(MOST_LOOKED_AT)
        .map(log -> Origin.of(log.file()))
        .filter(later -> later.taskId().equals(taskId) && !later.isScoring())
        // What was made of the same journal began with it.
        .filter(later -> later.began().isAfter(began))
        .max(Comparator.comparing(Origin::began))
        .map(later -> entry(later.file()));
  }

  /** What tells which log goes on with which. How far one is would take a count of its samples. */
  private record Origin(Path file, String taskId, Instant began, boolean isScoring) {

    static Origin of(Path file) {
      try {
        return RunLogReader.isJournal(file) ? journal(file) : inspect(file);
      } catch (IOException | RuntimeException unreadable) {
        return new Origin(file, "", Instant.EPOCH, false);
      }
    }

    private static Origin journal(Path file) throws IOException {
      try (var journal = JournalReader.open(file)) {
        RunStart start = new JournalRecords(file, journal).start();
        return new Origin(
            file, start.taskId(), LogDirectory.began(start), start.scoringOf().isPresent());
      }
    }

    private static Origin inspect(Path file) throws IOException {
      try (var log = InspectLog.open(file)) {
        InspectHeader header = log.header();
        return new Origin(
            file,
            header.eval().taskId(),
            LogDirectory.began(header).orElseGet(() -> named(file).orElseGet(() -> changed(file))),
            header.eval().scoringOf().isPresent());
      }
    }
  }

  private static LogEntry journal(Path file) throws IOException {
    // Asked first: a run that ends in between is told as it was.
    boolean isRunning = JournalReader.isBeingWritten(file);
    try (var reader = JournalLogReader.open(JournalReader.open(file), file)) {
      RunStart start = reader.start();
      Optional<RunResult> end = reader.end();
      long finished = reader.finished();
      return new LogEntry(
          file,
          began(start),
          isRunning
              ? LogEntry.Status.RUNNING
              : end.map(result -> LogEntry.Status.of(result.status()))
                  .orElse(LogEntry.Status.KILLED),
          start.taskId(),
          start.task(),
          start.model(),
          Optional.of(finished),
          Optional.of((long) start.samples() * start.epochs()),
          end.flatMap(result -> accuracy(result.metrics())),
          scored(file, start.scoringOf()),
          Optional.of(String.join(". ", reader.damage())).filter(told -> !told.isEmpty()));
    }
  }

  private static LogEntry inspect(Path file) throws IOException {
    try (var log = InspectLog.open(file)) {
      InspectHeader header = log.header();
      Optional<InspectHeader.Results> results = header.results();
      InspectHeader.Dataset dataset = header.eval().dataset();
      return new LogEntry(
          file,
          began(header).orElseGet(() -> named(file).orElseGet(() -> changed(file))),
          switch (header.status()) {
            case "success" -> LogEntry.Status.SUCCESS;
            case "cancelled" -> LogEntry.Status.CANCELLED;
            case "error" -> LogEntry.Status.ERROR;
            default -> LogEntry.Status.STARTED;
          },
          header.eval().taskId(),
          header.eval().task(),
          header.eval().model(),
          results.isPresent() || !file.toString().endsWith(LogFiles.EVAL)
              ? results.map(counted -> (long) counted.completedSamples())
              : finished(file),
          results
              .map(counted -> (long) counted.totalSamples())
              .or(() -> planned(dataset).map(n -> n * header.eval().config().epochs())),
          results.flatMap(
              counted ->
                  counted.scores().stream()
                      .findFirst()
                      .flatMap(score -> accuracy(score.metrics()))),
          scored(file, header.eval().scoringOf()),
          Optional.empty());
    }
  }

  /** What the summaries of a log tell that has no end: they are few bytes beside its samples. */
  private static Optional<Long> finished(Path file) throws IOException {
    try (var log = RunLogReader.open(file)) {
      Map<SamplePlace, Boolean> last = new HashMap<>();
      log.summaries().forEach(sample -> last.put(SamplePlace.of(sample), sample.hasFinished()));
      return Optional.of(last.values().stream().filter(Boolean::booleanValue).count());
    }
  }

  /** Where it is now: a journal may have become a log, and both may have been moved. */
  private static Optional<String> scored(Path file, Optional<String> named) {
    return named.map(name -> LogFiles.find(file, name).map(Path::toString).orElse(name));
  }

  private static Optional<Long> planned(InspectHeader.Dataset dataset) {
    return dataset.sampleIds().isEmpty()
        ? dataset.samples().map(Integer::longValue)
        : Optional.of((long) dataset.sampleIds().size());
  }

  private static Optional<Double> accuracy(Map<String, Double> metrics) {
    return Optional.ofNullable(metrics.get("accuracy"))
        .or(() -> Optional.ofNullable(metrics.get("mean")))
        .filter(Double::isFinite);
  }
}
