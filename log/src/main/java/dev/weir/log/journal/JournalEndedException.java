package dev.weir.log.journal;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/** The journal takes no more records; says what is on disk and what is not. */
public final class JournalEndedException extends IOException {

  private static final long serialVersionUID = 1L;

  private final long recordsOnDisk;
  private final long bytesOnDisk;
  private final long recordsLost;
  private final long bytesLost;

  JournalEndedException(Path file, String why, Backlog.Size onDisk, Backlog.Size lost) {
    super(
        String.format(
            Locale.ROOT,
            "%s takes no more records: %s. On disk: %,d records, %,d bytes. Not on disk: %,d"
                + " records, %,d bytes",
            file,
            why,
            onDisk.records(),
            onDisk.bytes(),
            lost.records(),
            lost.bytes()));
    this.recordsOnDisk = onDisk.records();
    this.bytesOnDisk = onDisk.bytes();
    this.recordsLost = lost.records();
    this.bytesLost = lost.bytes();
  }

  public long recordsOnDisk() {
    return recordsOnDisk;
  }

  /** The length of the file up to the end of the last record that is on disk. */
  public long bytesOnDisk() {
    return bytesOnDisk;
  }

  public long recordsLost() {
    return recordsLost;
  }

  /** What the lost records would have taken in the file. */
  public long bytesLost() {
    return bytesLost;
  }
}
