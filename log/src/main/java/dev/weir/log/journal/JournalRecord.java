package dev.weir.log.journal;

import java.nio.file.Path;
import java.util.Arrays;

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

  /** Whether {@link #stored()} is the body deflated, without a header; else it is the body. */
  public boolean isDeflated() {
    return head.isDeflated();
  }

  /** The body as it is in the file. */
  public byte[] stored() {
    return stored;
  }

  /**
   * The first bytes of the body; no more of it is inflated.
   *
   * @throws JournalFormatException if there are not so many
   */
  public byte[] bodyStart(int length) throws JournalFormatException {
    byte[] start =
        head.isDeflated() ? Body.inflateStart(stored, length) : Arrays.copyOf(stored, length);
    if (start == null || length > head.rawLength()) {
      throw unusable("does not begin with " + length + " bytes");
    }
    return start;
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
      throw unusable("does not inflate to " + head.rawLength() + " bytes");
    }
    return raw;
  }

  private JournalFormatException unusable(String why) {
    return new JournalFormatException(
        "%s: the body of the record at byte %d %s".formatted(file, head.offset(), why));
  }
}
