package dev.weir.log.inspect;

/**
 * A member of a zip file as the central directory tells of it.
 *
 * @param method how it is compressed
 * @param isEncrypted whether it cannot be read without a password
 * @param crc checksum of the content
 * @param size of the content
 * @param at offset of its local header
 */
record ZipMember(
    String name,
    int method,
    boolean isEncrypted,
    long crc,
    long compressedSize,
    long size,
    long at) {

  static final int STORED = 0;
  static final int DEFLATED = 8;
  static final int ZSTD = 93;
}
