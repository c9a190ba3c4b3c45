package dev.weir.log.journal;

import java.nio.file.Path;
import java.util.Locale;

/** A place in a journal that could not be read, and was skipped. Its text is for people. */
public sealed interface Damage {

  Path file();

  /** Where it begins. */
  long offset();

  /** How many bytes were skipped. */
  long bytes();

  /** The file ends within a record: the writer was killed, or the disk was full. */
  record TornTail(Path file, long offset, long bytes) implements Damage {

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%s: torn tail: the last %,d bytes, from byte %d on, are no whole record and were cut",
          file,
          bytes,
          offset);
    }
  }

  /** What is there is not what was written. */
  record WrongChecksum(Path file, Part part, long offset, long bytes, int expected, int found)
      implements Damage {

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%s: damaged: %s at byte %d: expected checksum %08x, found %08x; %,d bytes skipped",
          file,
          part.words,
          offset,
          expected,
          found,
          bytes);
    }
  }

  /** What of the file is damaged. */
  enum Part {
    FILE_HEADER("the header of the file"),
    RECORD_HEAD("the head or key of a record"),
    RECORD_BODY("the body of a record"),
    INDEX("an index");

    private final String words;

    Part(String words) {
      this.words = words;
    }
  }
}
