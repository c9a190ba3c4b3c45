package dev.weir.cli;

import java.io.IOException;
import java.io.Serial;

/** A run that listens does not answer; says which, and what to do. */
final class SilentRunException extends IOException {

  @Serial private static final long serialVersionUID = 1;

  SilentRunException(String sentence) {
    super(sentence);
  }
}
