package dev.weir.log;

import dev.weir.log.journal.Cursor;
import dev.weir.log.journal.Damage;
import dev.weir.log.journal.JournalLock;
import dev.weir.log.journal.JournalLockedException;
import dev.weir.log.journal.JournalReader;
import dev.weir.log.journal.JournalRecord;
import dev.weir.time.Time;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Makes logs of the journals that killed runs left. */
public final class LogRecovery {

  /** Why a run has failed whose journal has no end. */
  public static final String KILLED =
      "the run was killed before its end; `weir eval-retry` finishes it and keeps what it has";

  private static final Pattern PARTIAL = Pattern.compile("\\.(\\d{1,18})-\\d+\\.partial$");

  /** The name of the user is not known. */
  private static final String NOBODY = "?";

  private LogRecovery() {}

  /**
   * A journal that became a log.
   *
   * @param log absent if the run was killed before its first record: there was nothing to keep
   * @param samples how many of those in the log are finished; of a scoring that was cut off, how
   *     many in the journal have their new scores
   * @param total samples of the run, each repetition counted
   * @param ended how the run ended, if it was killed only afterwards, before its log was made
   * @param scoringOf the log that was being scored, if that was cut off: it has all the answers. A
   *     journal with new scores stays, since graders may have been paid for them
   * @param continuedBy the newest log that went on with the run
   * @param damage what could not be read, in sentences
   * @param kept the journal under its new name, if not all of it could be read
   * @param wasThere whether the log was there already, with all that the journal has
   * @param passedOver why the log does not have the name of the journal, in a sentence
   */
  public record Recovered(
      Path journal,
      Optional<Path> log,
      long samples,
      long total,
      Optional<RunResult.Status> ended,
      Optional<Path> scoringOf,
      Optional<Path> continuedBy,
      List<String> damage,
      Optional<Path> kept,
      boolean wasThere,
      Optional<String> passedOver) {

    public Recovered {
      damage = List.copyOf(damage);
    }

    /** What became of it, for people. */
    public String told() {
      if (scoringOf.isPresent()) {
        return journal + ": " + cutOff(scoringOf.get()) + keptScores();
      }
      if (log.isEmpty()) {
        return journal + ": the run was killed before its first sample; there was nothing to keep";
      }
      List<String> sentences = new ArrayList<>();
      sentences.add(wasThere ? found(log.get()) : made(log.get()));
      passedOver.ifPresent(sentences::add);
      sentences.addAll(damage);
      kept.ifPresent(
          file -> sentences.add("The journal, with what is damaged, is kept as " + file));
      return String.join(". ", sentences);
    }

    private String made(Path file) {
      return "%s: recovered %d of %d samples of a run that %s%s"
          .formatted(
              file,
              samples,
              total,
              ended
                  .map(status -> "had ended (%s)".formatted(LogEntry.Status.of(status).word()))
                  .orElse("was killed"),
              samples < total ? next(file) : "");
    }

    private String found(Path file) {
      return "%s: the log has the %d finished samples of %s already, and stays as it is"
          .formatted(file, samples, journal);
    }

    private boolean isKeptScoring() {
      return scoringOf.isPresent() && samples > 0;
    }

    private String keptScores() {
      return isKeptScoring()
          ? ". The journal has the new scores of %d samples and stays: the same scoring takes them over, and `weir log convert %s` makes a log of them; remove it if they are not needed"
              .formatted(samples, journal)
          : "";
    }

    private String next(Path file) {
      return continuedBy
          .map(later -> "; it was continued by " + later)
          .orElseGet(() -> "; to resume it: weir eval-retry " + ShellPath.word(file));
    }

    private Recovered keptAs(Path file) {
      return new Recovered(
          journal,
          log,
          samples,
          total,
          ended,
          scoringOf,
          continuedBy,
          damage,
          Optional.of(file),
          wasThere,
          passedOver);
    }
  }

  /** What to do about a scoring that did not come to its end. */
  public static String cutOff(Path scored) {
    return "the scoring of %s was cut off; run `weir score %s …` again"
        .formatted(scored, ShellPath.word(scored));
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
   * Writes the {@code .eval} file of a journal. What is damaged is left out and told. A file of
   * that name that has more, or is of another run, stays: then the new one has another name, or
   * none is needed.
   *
   * @param cleansUp whether the journal and what else the run left are removed then; a journal in
   *     which something is damaged is only given another name
   * @throws IOException if the run goes on, or the journal cannot be read at all; it stays as it is
   */
  public static Recovered recover(Path journal, boolean cleansUp) throws IOException {
    // Until its file has its name: the run itself may be about to make it.
    try (var _ = JournalLock.take(journal)) {
      return recoverHeld(journal, cleansUp);
    } catch (JournalLockedException held) {
      throw new IOException(
          journal
              + ": the run has not ended; `weir log convert` makes a copy of what it has by now",
          held);
    }
  }

  private static Recovered recoverHeld(Path journal, boolean cleansUp) throws IOException {
    if (isEmpty(journal)) {
      if (cleansUp) {
        cleanUp(journal);
      }
      return withoutLog(journal, 0, Optional.empty());
    }
    Optional<Path> scored = scored(journal);
    if (scored.isPresent()) {
      long scores = newScores(journal, scored.get());
      if (cleansUp && scores == 0) {
        cleanUp(journal);
      }
      return withoutLog(journal, scores, scored);
    }
    EvalPlace place = EvalPlace.of(journal);
    Recovered recovered;
    boolean hasLost;
    try (var reader = JournalLogReader.open(JournalReader.openLeft(journal), journal)) {
      long finished = place.write(reader);
      RunStart start = reader.start();
      recovered =
          new Recovered(
              journal,
              Optional.of(place.file()),
              finished,
              (long) start.samples() * start.epochs(),
              reader.end().map(RunResult::status),
              Optional.empty(),
              LogDirectory.continuedBy(journal, start),
              reader.damage(),
              Optional.empty(),
              place.isWhole(),
              place.passedOver());
      hasLost = reader.hasLost();
    }
    if (cleansUp && hasLost) {
      recovered = recovered.keptAs(LogFiles.keptDamaged(journal));
    }
    if (cleansUp) {
      cleanUp(journal);
    }
    return recovered;
  }

  private static Recovered withoutLog(Path journal, long scores, Optional<Path> scoringOf) {
    return new Recovered(
        journal,
        Optional.empty(),
        scores,
        scores,
        Optional.empty(),
        scoringOf,
        Optional.empty(),
        List.of(),
        Optional.empty(),
        false,
        Optional.empty());
  }

  /** The log that was being scored, if that did not come to its end and the log is there. */
  private static Optional<Path> scored(Path journal) throws IOException {
    try (var reader = JournalLogReader.open(JournalReader.openLeft(journal), journal)) {
      return reader.end().isPresent() ? Optional.empty() : LogFiles.scored(journal, reader.start());
    }
  }

  /** How many samples have all their new scores; the others only have what the scored log has. */
  private static long newScores(Path journal, Path scored) throws IOException {
    try (var reader = JournalLogReader.open(JournalReader.openLeft(journal), journal)) {
      List<String> all = reader.start().scorers();
      List<String> old = scorers(scored);
      // Old ones that stay come first. If they do not stay, who is not scored yet has none.
      boolean areKept = all.size() > old.size() && all.subList(0, old.size()).equals(old);
      List<String> wanted = areKept ? all.subList(old.size(), all.size()) : all;
      return reader.summaries().stream()
          .filter(sample -> sample.scores().keySet().containsAll(wanted))
          .count();
    }
  }

  private static List<String> scorers(Path log) {
    try (var reader = RunLogReader.open(log)) {
      return reader.start().scorers();
    } catch (IOException unreadable) {
      return List.of();
    }
  }

  /** Whether nothing was written to it, and nothing of it is damaged but a torn end. */
  private static boolean isEmpty(Path journal) throws IOException {
    if (Files.size(journal) == 0) {
      return true;
    }
    try (var reader = JournalReader.openLeft(journal)) {
      Cursor<JournalRecord> records = reader.records();
      return records.next() == null
          && records.damage().first().stream().allMatch(Damage.TornTail.class::isInstance);
    }
  }

  /** The file is whole and on the disk: the rest can go. */
  private static void cleanUp(Path journal) throws IOException {
    Files.deleteIfExists(journal);
    for (Path file : LogFiles.halfWritten(journal)) {
      if (isLeftBehind(file)) {
        Files.deleteIfExists(file);
      }
    }
  }

  /** Its name tells which process writes it: {@code .NAME.PID-COUNT.partial}. */
  private static boolean isLeftBehind(Path file) {
    Matcher writer = PARTIAL.matcher(file.getFileName().toString());
    return writer.find() && ProcessHandle.of(Long.parseLong(writer.group(1))).isEmpty();
  }

  /**
   * How much a new run recovers before it begins.
   *
   * @param mostBytes larger journals are only told of
   * @param within when that is over, no other journal is begun
   */
  public record Bound(long mostBytes, Duration within) {}

  /**
   * Recovers what killed runs left in a directory, as a new run does before it begins: only what is
   * this user's and can be read, and no more than the bound allows. Nothing of it is a reason to
   * fail.
   *
   * @param tell hears a sentence for each journal, and how many are left
   */
  public static void recoverOwn(Time time, Path directory, Bound bound, Consumer<String> tell) {
    long deadline = time.after(bound.within());
    List<Path> left = new ArrayList<>();
    for (Path journal : own(directory)) {
      try {
        if (time.nanos() >= deadline || Files.size(journal) > bound.mostBytes()) {
          left.add(journal);
        } else {
          Recovered recovered = recover(journal, true);
          // It stays, and would be told at each start.
          if (!recovered.isKeptScoring()) {
            tell.accept(recovered.told());
          }
        }
      } catch (IOException | RuntimeException unusable) {
        if (Files.exists(journal)) {
          tell.accept(
              "a journal that a killed run left could not be recovered: " + Problem.of(unusable));
        }
      }
    }
    if (!left.isEmpty()) {
      tell.accept(
          "killed runs left %s%s, which would take long to recover now; `weir log recover --log-dir %s` makes logs of all that is left"
              .formatted(
                  left.getFirst(),
                  left.size() == 1 ? "" : " and %d other journals".formatted(left.size() - 1),
                  directory));
    }
  }

  private static List<Path> own(Path directory) {
    List<Path> own = new ArrayList<>();
    try {
      for (Path journal : Files.isDirectory(directory) ? killed(directory) : List.<Path>of()) {
        if (isOwn(journal)) {
          own.add(journal);
        }
      }
    } catch (IOException unreadable) {
      // Of those that were seen.
    }
    return own;
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
