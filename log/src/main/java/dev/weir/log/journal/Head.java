package dev.weir.log.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * What stands before the key and the body of each record.
 *
 * <p>Its checksum covers the head, the key, and the place in the file: bytes that look like a
 * record and are not, such as those of another journal inside a body, do not pass. The key is
 * therefore good without the body being read.
 *
 * @param previousIndex where the last index before this record is; 0 if there is none
 * @param bodyChecksum of the body as it is stored
 */
record Head(
    long offset,
    int type,
    boolean isDeflated,
    int keyLength,
    int storedLength,
    int rawLength,
    long previousIndex,
    int bodyChecksum) {

  static final int BYTES = 36;

  /** Begins and ends with a byte that no UTF-8 text has, so that no JSON can hold it. */
  static final int MARKER = 0xFF5752FE;

  static final int INDEX_TYPE = 0xFFFF;
  static final int MAX_TYPE = INDEX_TYPE - 1;
  static final int MAX_KEY = 64 << 10;
  static final int MAX_BODY = 256 << 20;

  private static final int DEFLATED = 1;
  private static final int CHECKED = BYTES - Integer.BYTES;

  long end() {
    return bodyOffset() + storedLength;
  }

  long bodyOffset() {
    return offset + BYTES + keyLength;
  }

  int length() {
    return BYTES + keyLength + storedLength;
  }

  boolean isIndex() {
    return type == INDEX_TYPE;
  }

  byte[] bytes(byte[] key) {
    ByteBuffer head = ByteBuffer.allocate(BYTES);
    head.putInt(MARKER)
        .putShort((short) type)
        .putShort((short) (isDeflated ? DEFLATED : 0))
        .putInt(keyLength)
        .putInt(storedLength)
        .putInt(rawLength)
        .putLong(previousIndex)
        .putInt(bodyChecksum);
    head.putInt(checksum(offset, head.duplicate().flip(), ByteBuffer.wrap(key)));
    return head.array();
  }

  /**
   * Reads the head and the key at {@code offset}.
   *
   * @param end where the file ends
   */
  static Read read(FileWindow file, long offset, long end) throws IOException {
    ByteBuffer bytes = file.read(offset, BYTES);
    if (end - offset < BYTES || bytes.remaining() < BYTES) {
      return new Read.Cut();
    }
    int marker = bytes.getInt();
    int type = Short.toUnsignedInt(bytes.getShort());
    int flags = Short.toUnsignedInt(bytes.getShort());
    var head =
        new Head(
            offset,
            type,
            flags == DEFLATED,
            bytes.getInt(),
            bytes.getInt(),
            bytes.getInt(),
            bytes.getLong(),
            bytes.getInt());
    int expected = bytes.getInt();
    boolean hasKey = head.keyLength >= 0 && head.keyLength <= MAX_KEY;
    ByteBuffer all = file.read(offset, hasKey ? BYTES + head.keyLength : BYTES);
    if (hasKey && all.remaining() < BYTES + head.keyLength) {
      hasKey = false;
    }
    ByteBuffer key = all.slice(all.position() + BYTES, hasKey ? head.keyLength : 0);
    int found = checksum(offset, all.slice(all.position(), CHECKED), key.duplicate());
    if (marker != MARKER || expected != found || !hasKey || !head.isPossible(flags)) {
      return new Read.Broken(expected, found);
    }
    byte[] copy = new byte[head.keyLength];
    key.get(copy);
    return new Read.Whole(head, copy);
  }

  /** A head of a later version may be whole and yet not for us. */
  private boolean isPossible(int flags) {
    return (flags & ~DEFLATED) == 0
        && storedLength >= 0
        && storedLength <= MAX_BODY
        && rawLength >= storedLength
        && rawLength <= MAX_BODY
        && isDeflated == (storedLength < rawLength)
        && previousIndex >= 0
        && previousIndex < offset;
  }

  private static int checksum(long offset, ByteBuffer head, ByteBuffer key) {
    var crc = new CRC32C();
    crc.update(ByteBuffer.allocate(Long.BYTES).putLong(offset).flip());
    crc.update(head);
    crc.update(key);
    return (int) crc.getValue();
  }

  static int checksumOfBody(ByteBuffer stored) {
    var crc = new CRC32C();
    crc.update(stored);
    return (int) crc.getValue();
  }

  /** What was found where a head should be. */
  sealed interface Read {

    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Whole(Head head, byte[] key) implements Read {}

    record Broken(int expected, int found) implements Read {}

    /** The file ends within it. */
    record Cut() implements Read {}
  }
}
