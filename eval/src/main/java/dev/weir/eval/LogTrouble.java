package dev.weir.eval;

import dev.weir.eval.run.Run;
import dev.weir.log.LogFiles;
import dev.weir.log.RunResult;
import dev.weir.log.journal.JournalListener;
import dev.weir.model.SizeText;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A log that cannot be written, for a while or for good: its run begins no samples meanwhile, and
 * people are told.
 *
 * @param mostHeld how many bytes of results may wait in memory
 */
record LogTrouble(Run run, long mostHeld, Consumer<String> warn) implements JournalListener {

  @Override
  public void paused(String why, long bytesHeld) {
    run.hold(true);
    warn.accept(
        "%s; the run is paused: no new samples start, and results are held in memory (%s at most). It is tried again every second, for 10 minutes"
            .formatted(why, SizeText.told(mostHeld)));
  }

  @Override
  public void resumed() {
    warn.accept("the log can be written again, and nothing is lost; the run continues");
    run.hold(false);
  }

  @Override
  public void abandoned(String why) {
    run.abandon("the log cannot be written: " + why);
  }

  /**
   * What is left of a log whose end could not be written, and how to go on.
   *
   * @param samples of the run, each repetition counted
   */
  static String left(Path journal, long samples, Exception why) {
    // Files are closed under an interrupt, and whoever interrupts a run wants to know this, too.
    boolean isInterrupted = Thread.interrupted();
    try {
      return "%s. %s".formatted(reason(why), left(journal, samples));
    } finally {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * The result of a run whose log lacks what could not be written: a sample counts as finished only
   * if it is on the disk.
   */
  static RunResult onDisk(Path journal, RunResult ended) {
    boolean isInterrupted = Thread.interrupted();
    try {
      return ended.withOnly(
          Files.exists(journal) ? LogFiles.result(journal) : Optional.<RunResult>empty());
    } catch (IOException | RuntimeException unreadable) {
      // Not even its beginning is there.
      return ended.withOnly(Optional.empty());
    } finally {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** The journal is whole, but could not be made a log. */
  static String unconverted(Path journal, Exception why) {
    return "%s could not be written (%s). Nothing is lost: %s has all of it, and `weir log recover` makes a log of it"
        .formatted(LogFiles.eval(journal), reason(why), journal);
  }

  /** Never without words. */
  static String reason(Throwable why) {
    String message = why.getMessage();
    // Those of the file system have only the path as their message.
    return message == null || why instanceof FileSystemException ? why.toString() : message;
  }

  private static String left(Path journal, long samples) {
    if (!Files.exists(journal)) {
      return "The file is gone: nothing of the run is on the disk";
    }
    try {
      LogFiles.Held held = LogFiles.held(journal);
      return String.format(
          Locale.ROOT,
          "%s holds %,d of %,d samples%s; `weir eval-retry %s` resumes with them",
          journal,
          held.own(),
          samples,
          held.elsewhere() == 0
              ? ""
              : String.format(
                  Locale.ROOT, ", and the log that it resumes %,d others", held.elsewhere()),
          journal);
    } catch (IOException | RuntimeException unreadable) {
      return "What of it is readable could not be told: " + reason(unreadable);
    }
  }
}
