package dev.weir.log.journal;

import java.nio.file.Path;

/** A record that was read; its checksums were right. Thread-safe. */
public final class JournalRecord {

  private final Path file;
  private final Head head;
  private final byte[] key;
  private final byte[] stored;

  JournalRecord(Path file, Head head, byte[] key, byte[] stored) {
    this.file = file;
    this.head = head;
    this.key = key;
    this.stored = stored;
  }

  public int type() {
    return head.type();
  }

  /** Where it begins in the file. */
  public long offset() {
    return head.offset();
  }

  /** What it takes in the file, all included. */
  public int length() {
    return head.length();
  }

  public byte[] key() {
    return key;
  }

  /** How long {@link #body()} is: known without inflating it. */
  public int bodyLength() {
    return head.rawLength();
  }

  /**
   * The body, inflated now.
   *
   * @throws JournalFormatException if it cannot be inflated, although its checksum is right
   */
  public byte[] body() throws JournalFormatException {
    if (!head.isDeflated()) {
      return stored;
    }
    byte[] raw = Body.inflate(stored, head.rawLength());
    if (raw == null) {
      throw new JournalFormatException(
          "%s: the body of the record at byte %d does not inflate to %d bytes"
              .formatted(file, head.offset(), head.rawLength()));
    }
    return raw;
  }
}
