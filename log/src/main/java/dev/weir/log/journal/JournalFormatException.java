package dev.weir.log.journal;

import java.io.IOException;

/** The file is not a journal, is of a newer format, or is damaged where something was looked up. */
public final class JournalFormatException extends IOException {

  private static final long serialVersionUID = 1L;

  JournalFormatException(String message) {
    super(message);
  }
}
