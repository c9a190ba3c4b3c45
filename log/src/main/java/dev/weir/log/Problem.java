package dev.weir.log;

import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;

/** What went wrong with a file, in words. */
final class Problem {

  private Problem() {}

  static String of(Exception problem) {
    return switch (problem) {
      case NoSuchFileException gone -> gone.getFile() + " is not there";
      case AccessDeniedException denied -> denied.getFile() + ": permission denied";
      default -> problem.getMessage() == null ? problem.toString() : problem.getMessage();
    };
  }
}
