package dev.weir.log;

import dev.weir.log.journal.Cursor;
import dev.weir.log.journal.Damage;
import dev.weir.log.journal.JournalReader;
import dev.weir.log.journal.JournalRecord;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Makes logs of the journals that killed runs left. */
public final class LogRecovery {

  private static final String LOCK = ".lock";
  private static final String PARTIAL = ".partial";

  /** The name of the user is not known. */
  private static final String NOBODY = "?";

  private LogRecovery() {}

  /**
   * A journal that became a log.
   *
   * @param log absent if the run was killed before its first record: there was nothing to keep
   * @param samples how many of those in the log are finished
   * @param total samples of the run, each repetition counted
   * @param damage what could not be read, in sentences
   */
  public record Recovered(
      Path journal, Optional<Path> log, long samples, long total, List<String> damage) {

    public Recovered {
      damage = List.copyOf(damage);
    }

    /** What became of it, for people. */
    public String told() {
      if (log.isEmpty()) {
        return journal + ": the run was killed before its first sample; there was nothing to keep";
      }
      String kept =
          "%s: recovered %d of %d samples of a run that was killed%s"
              .formatted(
                  log.get(),
                  samples,
                  total,
                  samples < total ? "; `weir eval-retry` finishes it" : "");
      return damage.isEmpty() ? kept : kept + ". " + String.join(". ", damage);
    }
  }

  /** The journals of a directory that nobody writes, the newest first. */
  public static List<Path> killed(Path directory) throws IOException {
    List<Path> killed = new ArrayList<>();
    for (Path log : LogDirectory.logs(directory)) {
      if (log.toString().endsWith(LogFiles.JOURNAL) && !isBeingWritten(log)) {
        killed.add(log);
      }
    }
    return killed;
  }

  private static boolean isBeingWritten(Path journal) {
    try {
      return JournalReader.isBeingWritten(journal);
    } catch (IOException unknown) {
      // A lock that may not be looked at is somebody else's.
      return true;
    }
  }

  /**
   * Writes the {@code .eval} file of a journal. What is damaged is left out and told.
   *
   * @param cleansUp whether the journal and what else the run left are removed then
   * @throws IOException if the run goes on, or the journal cannot be read at all; it stays as it is
   */
  public static Recovered recover(Path journal, boolean cleansUp) throws IOException {
    if (JournalReader.isBeingWritten(journal)) {
      throw new IOException(
          journal + ": the run goes on; `weir log convert` makes a copy of what it has by now");
    }
    if (isEmpty(journal)) {
      if (cleansUp) {
        cleanUp(journal);
      }
      return new Recovered(journal, Optional.empty(), 0, 0, List.of());
    }
    Path eval = LogFiles.eval(journal);
    Recovered recovered;
    try (var reader = JournalLogReader.open(JournalReader.open(journal), journal)) {
      long finished = LogFiles.write(reader, eval, false);
      RunStart start = reader.start();
      recovered =
          new Recovered(
              journal,
              Optional.of(eval),
              finished,
              (long) start.samples() * start.epochs(),
              reader.damage());
    }
    if (cleansUp) {
      cleanUp(journal);
    }
    return recovered;
  }

  /** Whether nothing was written to it, and nothing of it is damaged but a torn end. */
  private static boolean isEmpty(Path journal) throws IOException {
    if (Files.size(journal) == 0) {
      return true;
    }
    try (var reader = JournalReader.open(journal)) {
      Cursor<JournalRecord> records = reader.records();
      return records.next() == null
          && records.damage().first().stream().allMatch(Damage.TornTail.class::isInstance);
    }
  }

  /** The file is whole and on the disk: the rest can go. */
  private static void cleanUp(Path journal) throws IOException {
    Files.deleteIfExists(journal);
    Files.deleteIfExists(journal.resolveSibling(journal.getFileName() + LOCK));
    Path directory = journal.toAbsolutePath().getParent();
    if (directory == null) {
      return;
    }
    String half = "." + LogFiles.eval(journal).getFileName() + ".";
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(
            directory,
            file ->
                file.getFileName().toString().startsWith(half)
                    && file.getFileName().toString().endsWith(PARTIAL))) {
      for (Path file : files) {
        Files.deleteIfExists(file);
      }
    } catch (DirectoryIteratorException broken) {
      throw broken.getCause();
    }
  }

  /**
   * Recovers what killed runs left in a directory, as a new run does before it begins: only what is
   * this user's and can be read, and nothing that would take long. Nothing of it is a reason to
   * fail.
   *
   * @param mostBytes larger journals are only told of
   * @param tell hears a sentence for each journal
   */
  public static void recoverOwn(Path directory, long mostBytes, Consumer<String> tell) {
    List<Path> killed;
    try {
      killed = Files.isDirectory(directory) ? killed(directory) : List.of();
    } catch (IOException unreadable) {
      return;
    }
    for (Path journal : killed) {
      try {
        if (!isOwn(journal)) {
          continue;
        }
        if (Files.size(journal) > mostBytes) {
          tell.accept(
              journal + " was left by a run that was killed; `weir log recover` makes a log of it");
        } else {
          tell.accept(recover(journal, true).told());
        }
      } catch (IOException | RuntimeException unusable) {
        if (Files.exists(journal)) {
          tell.accept(
              "a journal that a killed run left could not be recovered: " + Problem.of(unusable));
        }
      }
    }
  }

  private static boolean isOwn(Path journal) throws IOException {
    if (!Files.isReadable(journal) || !Files.isWritable(journal)) {
      return false;
    }
    String user = System.getProperty("user.name", NOBODY);
    try {
      return user.equals(NOBODY) || Files.getOwner(journal).getName().equals(user);
    } catch (UnsupportedOperationException untold) {
      return true;
    }
  }
}
