package dev.weir.log.journal;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Knows why a journal cannot be written now, and tells its listener. Thread-safe. */
final class Pauses {

  private final Path file;
  private final JournalListener listener;
  // Null while it can be written. Volatile: written by the writing task, read by those who end it.
  private volatile @Nullable String trouble;

  Pauses(Path file, JournalListener listener) {
    this.file = file;
    this.listener = listener;
  }

  void failed(IOException failure, long bytesHeld) {
    String message = failure.getMessage();
    // Those of the file system have only the path as their message.
    boolean isClear = message != null && !(failure instanceof FileSystemException);
    String why = file + " cannot be written: " + (isClear ? message : failure.toString());
    if (!why.equals(trouble)) {
      trouble = why;
      tell(() -> listener.paused(why, bytesHeld));
    }
  }

  void succeeded() {
    if (trouble != null) {
      trouble = null;
      tell(listener::resumed);
    }
  }

  void abandoned(String why) {
    tell(() -> listener.abandoned(explain(why)));
  }

  /** The reason for an end, with what is the matter with the disk. */
  String explain(String why) {
    String now = trouble;
    return now == null ? why : why + " (" + now + ")";
  }

  private static void tell(Runnable news) {
    try {
      news.run();
    } catch (RuntimeException broken) {
      // A display that fails must not cost the records.
    }
  }
}
