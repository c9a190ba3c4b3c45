package dev.weir.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.log.inspect.InspectLog;
import dev.weir.log.inspect.InspectLogWriter;
import dev.weir.log.journal.JournalLock;
import dev.weir.log.journal.JournalLockedException;
import dev.weir.log.journal.JournalReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The files of logs: journals, and what becomes of them. */
public final class LogFiles {

  /** How the name of a journal ends. */
  public static final String JOURNAL = ".journal";

  /** How the name of a log of a run that has ended does. */
  public static final String EVAL = ".eval";

  /** How the name of a log does that is one JSON document. */
  public static final String JSON = ".json";

  private static final String DAMAGED = ".damaged";
  private static final int MOST_COPIES = 1_000;

  private LogFiles() {}

  /** The name that a journal has when it has become an {@code .eval} file. */
  public static Path eval(Path journal) {
    return named(journal, EVAL);
  }

  /** The name of the same log in another form. */
  public static Path named(Path log, String ending) {
    String name = String.valueOf(log.getFileName());
    for (String known : List.of(JOURNAL, EVAL, JSON)) {
      if (name.endsWith(known)) {
        return log.resolveSibling(name.substring(0, name.length() - known.length()) + ending);
      }
    }
    return log.resolveSibling(name + ending);
  }

  /**
   * The log whose answers one only scores again, if it is still there: whoever wants those answers
   * has them from it.
   *
   * @param start of the log
   */
  public static Optional<Path> scored(Path log, RunStart start) {
    return start.scoringOf().flatMap(name -> find(log, name));
  }

  /**
   * A log that another one names: it may have become an {@code .eval} file, and both may have been
   * moved together.
   */
  static Optional<Path> find(Path from, String name) {
    Path told = from.resolveSibling(name);
    Path beside = from.resolveSibling(told.getFileName());
    return Stream.of(told, eval(told), beside, eval(beside))
        .filter(log -> Files.exists(log) && !log.equals(from))
        .findFirst()
        .map(log -> asGiven(from, log));
  }

  /** A log in the same directory is named as the other one was given, not by its whole path. */
  public static Path asGiven(Path from, Path log) {
    Path beside = from.resolveSibling(String.valueOf(log.getFileName()));
    return beside.toAbsolutePath().normalize().equals(log.toAbsolutePath().normalize())
        ? beside
        : log;
  }

  /** Where a log is now: a journal may have become an {@code .eval} file meanwhile. */
  public static Path current(Path log) {
    boolean isReplaced =
        log.toString().endsWith(JOURNAL) && !Files.exists(log) && Files.exists(eval(log));
    return isReplaced ? eval(log) : log;
  }

  /**
   * How many bytes each of the logs has by now that this process writes, journals and the files
   * that they become: some become larger as long as the writing gets on. Waits for nobody.
   */
  public static Map<Path, Long> bytesWrittenHere() {
    Map<Path, Long> bytes = new HashMap<>();
    for (Path journal : JournalReader.writtenHere()) {
      if (journal.toString().endsWith(JOURNAL)) {
        bytes.put(journal, size(journal));
        try {
          halfWritten(journal).forEach(log -> bytes.put(log, size(log)));
        } catch (IOException unreadable) {
          // Then the journal alone tells.
        }
      }
    }
    return bytes;
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException gone) {
      return 0;
    }
  }

  /** What whoever makes a log of a journal has of it by now. */
  static List<Path> halfWritten(Path journal) throws IOException {
    Path directory = journal.toAbsolutePath().getParent();
    if (directory == null) {
      return List.of();
    }
    String half = "." + eval(journal).getFileName() + ".";
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(
            directory, file -> file.getFileName().toString().startsWith(half))) {
      files.forEach(found::add);
    } catch (DirectoryIteratorException broken) {
      throw broken.getCause();
    }
    return found;
  }

  /**
   * Makes an {@code .eval} file of a journal that is not written any more, and removes the journal
   * when the file is whole and on the disk. A journal in which something is damaged is only given
   * another name.
   *
   * @throws IOException if the run goes on, or the file cannot be written; the journal stays then
   */
  public static Path convert(Path journal) throws IOException {
    try (var _ = JournalLock.take(journal)) {
      return converted(journal, _ -> {});
    } catch (JournalLockedException held) {
      throw new IOException(journal + ": the run has not ended; wait until it has", held);
    }
  }

  /**
   * As {@link #convert}, for whoever has the journal's lock.
   *
   * @param tell hears what is damaged, and where the journal is then
   */
  static Path converted(Path journal, Consumer<String> tell) throws IOException {
    if (!Files.exists(journal) && Files.exists(eval(journal))) {
      return eval(journal);
    }
    EvalPlace place = EvalPlace.of(journal);
    Path eval = place.file();
    boolean hasLost;
    List<String> damage;
    try (var reader = JournalLogReader.open(JournalReader.openLeft(journal), journal)) {
      place.write(reader);
      hasLost = reader.hasLost();
      damage = reader.damage();
    }
    place.passedOver().ifPresent(why -> tell.accept("the log is %s. %s".formatted(eval, why)));
    if (hasLost) {
      tell.accept(
          "%s lacks what is damaged in the journal, which is kept as %s. %s"
              .formatted(eval, keptDamaged(journal), String.join(". ", damage)));
    }
    Files.deleteIfExists(journal);
    return eval;
  }

  /** Under a name that no command takes for a journal to be recovered. */
  static Path keptDamaged(Path journal) throws IOException {
    for (int copy = 1; ; copy++) {
      String name = journal.getFileName() + DAMAGED + (copy == 1 ? "" : "-" + copy);
      try {
        // The only copy of what is damaged: whoever can mend it shall have it.
        return Files.move(journal, journal.resolveSibling(name));
      } catch (FileAlreadyExistsException taken) {
        if (copy == MOST_COPIES) {
          throw taken;
        }
      }
    }
  }

  /**
   * Writes any log as an {@code .eval} file, and leaves it as it is. The copy of a run that goes on
   * has what was finished by then.
   *
   * @return what is damaged and therefore left out, in sentences
   * @throws IOException if it cannot be read, or not be written
   */
  public static List<String> toEval(Path log, Path eval) throws IOException {
    if (RunLogReader.isJournal(log)) {
      boolean goesOn = JournalReader.isBeingWritten(log);
      try (var reader = JournalLogReader.open(JournalReader.open(log), log)) {
        EvalForm.write(reader, eval, goesOn);
        return reader.damage();
      }
    }
    try (var reader = InspectLog.open(log);
        var writer = InspectLogWriter.create(eval)) {
      EvalForm.copy(reader, writer);
      return reader.damage();
    }
  }

  /**
   * Writes any log as one JSON document, and leaves it as it is. The file has its name only once it
   * is whole.
   *
   * @return what is damaged and therefore left out, in sentences
   */
  public static List<String> toJson(Path log, Path json) throws IOException {
    List<String> damage;
    Path partial =
        json.resolveSibling(
            ".%s.%d.partial".formatted(json.getFileName(), ProcessHandle.current().pid()));
    try {
      try (Writer out =
          new BufferedWriter(new OutputStreamWriter(Files.newOutputStream(partial), UTF_8))) {
        damage = EvalLogJson.write(log, out, false, false);
      }
      Files.move(partial, json, StandardCopyOption.REPLACE_EXISTING);
      return damage;
    } finally {
      Files.deleteIfExists(partial);
    }
  }

  /**
   * The finished samples of a journal.
   *
   * @param own those that it has itself
   * @param elsewhere those that it has not copied yet from the log that it goes on with
   */
  public record Held(long own, long elsewhere) {}

  /** How many finished samples a journal has. */
  public static Held held(Path journal) throws IOException {
    try (var reader = JournalLogReader.open(JournalReader.open(journal), journal)) {
      long own = finished(reader.ownSummaries());
      return new Held(own, finished(reader.summaries()) - own);
    }
  }

  /** Whether something was written once that cannot be read now: more than a torn tail. */
  public static boolean hasLost(Path journal) throws IOException {
    try (var reader = JournalLogReader.open(JournalReader.open(journal), journal)) {
      Optional<SampleResult> next;
      do {
        next = reader.sample();
      } while (next.isPresent());
      return reader.hasLost();
    }
  }

  private static long finished(List<SampleSummary> summaries) {
    return summaries.stream().filter(SampleSummary::hasFinished).count();
  }

  /**
   * How the run of a log ended; of one that was killed, what its samples amount to. Absent while it
   * goes on.
   */
  public static Optional<RunResult> result(Path log) throws IOException {
    return ended(log).result();
  }

  /**
   * How a run ended.
   *
   * @param reductions what became of repeated samples, if that had to be counted
   * @param damage what could not be counted then
   */
  record Ended(Optional<RunResult> result, List<Reduced> reductions, List<String> damage) {}

  static Ended ended(Path log) throws IOException {
    boolean goesOn = RunLogReader.isJournal(log) && JournalReader.isBeingWritten(log);
    try (var reader = RunLogReader.open(log)) {
      Optional<RunResult> end = reader.end();
      if (end.isPresent() || goesOn) {
        return new Ended(end, List.of(), List.of());
      }
      SampleCount counted = SampleCount.of(reader);
      return new Ended(
          Optional.of(reader.usedBefore().addedTo(counted.killed())),
          counted.reductions(),
          reader.damage());
    }
  }
}
