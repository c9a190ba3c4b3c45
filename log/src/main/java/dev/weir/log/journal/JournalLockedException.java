package dev.weir.log.journal;

import java.io.IOException;

/** Somebody else writes the journal. */
public final class JournalLockedException extends IOException {

  private static final long serialVersionUID = 1L;

  JournalLockedException(String message) {
    super(message);
  }
}
