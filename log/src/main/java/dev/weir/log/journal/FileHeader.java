package dev.weir.log.journal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;

/** The first bytes of a journal: magic, version, flags, checksum. */
final class FileHeader {

  static final int BYTES = 16;
  static final int VERSION = 1;

  private static final byte[] MAGIC = "WEIRJRNL".getBytes(StandardCharsets.US_ASCII);
  private static final int CHECKED = 12;

  private FileHeader() {}

  static byte[] bytes() {
    return bytes(VERSION, 0);
  }

  static byte[] bytes(int version, int flags) {
    ByteBuffer header = ByteBuffer.allocate(BYTES);
    header.put(MAGIC).putShort((short) version).putShort((short) flags);
    return header.putInt(checksum(header.array())).array();
  }

  /** Whether the file begins as journals do, as far as it goes. */
  static boolean hasMagic(byte[] header) {
    int length = Math.min(header.length, MAGIC.length);
    return Arrays.equals(header, 0, length, MAGIC, 0, length);
  }

  static int version(byte[] header) {
    return Short.toUnsignedInt(ByteBuffer.wrap(header).getShort(8));
  }

  static int flags(byte[] header) {
    return Short.toUnsignedInt(ByteBuffer.wrap(header).getShort(10));
  }

  static int expectedChecksum(byte[] header) {
    return ByteBuffer.wrap(header).getInt(CHECKED);
  }

  static int checksum(byte[] header) {
    var crc = new CRC32C();
    crc.update(header, 0, CHECKED);
    return (int) crc.getValue();
  }
}
