package dev.weir.log.inspect;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where the central directory of a zip file is: what the record at the file's end tells.
 *
 * @param members how many there are
 * @param from offset of the central directory
 * @param to offset of what follows it
 * @param misplaced what is wrong with where the record stands, if the file goes on after it
 */
record ZipEnd(long members, long from, long to, Optional<String> misplaced) {

  static final int SIGNATURE = 0x06054b50;
  static final int SIZE = 22;
  static final int LOCATOR_SIGNATURE = 0x07064b50;
  static final int LOCATOR_SIZE = 20;
  static final int LARGE_SIGNATURE = 0x06064b50;
  static final int LARGE_SIZE = 56;

  /** The largest values of the small fields say that the true ones are elsewhere. */
  static final int FULL_SHORT = 0xffff;

  static final long FULL_INT = 0xffff_ffffL;

  private static final int LONGEST_COMMENT = 0xffff;

  /** How far from the end of the file the record is looked for if something was appended to it. */
  private static final int MOST_APPENDED = 128 << 10;

  /** A directory of that many names would be 2 GB; each costs 8 bytes of memory when read. */
  private static final long MOST_MEMBERS = 20_000_000;

  /** What is read at first: enough for the end record, and mostly for the last members too. */
  private static final int TAIL = 4 << 10;

  ZipEnd(long members, long from, long to) {
    this(members, from, to, Optional.empty());
  }

  static ZipEnd find(Path file, Source source) throws IOException {
    long size = source.size();
    long at = position(source, size, TAIL);
    if (at < 0) {
      at = position(source, size, SIZE + LONGEST_COMMENT);
    }
    return at < 0 ? beforeMore(file, source, size) : at(file, source, at);
  }

  /** The last record that stands just after its directory, whatever follows. */
  private static ZipEnd beforeMore(Path file, Source source, long size) throws IOException {
    int length = (int) Math.min(size, MOST_APPENDED);
    ByteBuffer bytes = source.read(size - length, length);
    for (int i = length - SIZE; i >= 0; i--) {
      if (bytes.getInt(i) == SIGNATURE) {
        long at = size - length + i;
        Optional<ZipEnd> found = justBefore(file, source, at);
        if (found.isPresent()) {
          int told = Short.toUnsignedInt(bytes.getShort(i + 20));
          String misplaced =
              "%s is damaged at offset %d: expected %d bytes after the end record of the zip file, found %d"
                  .formatted(file, at, told, length - SIZE - i);
          ZipEnd end = found.get();
          return new ZipEnd(end.members, end.from, end.to, Optional.of(misplaced));
        }
      }
    }
    throw new IOException(
        file
            + " has no end record of a zip file: it is not one, or was cut off ("
            + size
            + " bytes)");
  }

  private static Optional<ZipEnd> justBefore(Path file, Source source, long at) throws IOException {
    try {
      ZipEnd end = at(file, source, at);
      boolean isNext = end.to == at || end.to == at - LOCATOR_SIZE - LARGE_SIZE;
      return isNext && end.members > 0 ? Optional.of(end) : Optional.empty();
    } catch (DamagedException somethingElse) {
      return Optional.empty();
    }
  }

  private static ZipEnd at(Path file, Source source, long at) throws IOException {
    ByteBuffer end = source.read(at, SIZE);
    ZipEnd small =
        new ZipEnd(
            Short.toUnsignedInt(end.getShort(10)),
            Integer.toUnsignedLong(end.getInt(16)),
            Integer.toUnsignedLong(end.getInt(16)) + Integer.toUnsignedLong(end.getInt(12)));
    boolean isLarge =
        small.members == FULL_SHORT || small.from == FULL_INT || small.to - small.from == FULL_INT;
    ZipEnd found = isLarge ? large(file, source, at, small) : small;
    return found.checked(file, at);
  }

  /** The last place of an end record whose comment reaches to the end of the file. */
  private static long position(Source source, long size, int tail) throws IOException {
    int length = (int) Math.min(size, tail);
    ByteBuffer bytes = source.read(size - length, length);
    for (int i = length - SIZE; i >= 0; i--) {
      if (bytes.getInt(i) == SIGNATURE
          && Short.toUnsignedInt(bytes.getShort(i + 20)) == length - SIZE - i) {
        return size - length + i;
      }
    }
    return -1;
  }

  /** A file with exactly 65,535 members need not have the larger record. */
  private static ZipEnd large(Path file, Source source, long at, ZipEnd small) throws IOException {
    if (at < LOCATOR_SIZE) {
      return small;
    }
    ByteBuffer locator = source.read(at - LOCATOR_SIZE, LOCATOR_SIZE);
    if (locator.getInt(0) != LOCATOR_SIGNATURE) {
      return small;
    }
    long where = locator.getLong(8);
    if (where < 0 || where > at - LOCATOR_SIZE - LARGE_SIZE) {
      throw damaged(file, "the zip64 end record would be at offset " + where, at - LOCATOR_SIZE);
    }
    ByteBuffer end = source.read(where, LARGE_SIZE);
    if (end.getInt(0) != LARGE_SIGNATURE) {
      throw damaged(file, "no zip64 end record", where);
    }
    long from = end.getLong(48);
    long length = end.getLong(40);
    if (from < 0 || length < 0 || from > where || length != where - from) {
      throw damaged(file, "the central directory is not before the zip64 end record", where);
    }
    return new ZipEnd(end.getLong(32), from, where);
  }

  private ZipEnd checked(Path file, long at) throws IOException {
    if (from > to || to > at || members < 0 || members > (to - from) / ZipDirectory.FIXED) {
      throw damaged(
          file,
          "the central directory would be at offset %d to %d with %d members"
              .formatted(from, to, members),
          at);
    }
    if (members > MOST_MEMBERS) {
      throw new IOException(
          "%s has %d members; at most %d can be read".formatted(file, members, MOST_MEMBERS));
    }
    return this;
  }

  static IOException damaged(Path file, String what, long at) {
    return new DamagedException(file + " is damaged at offset " + at + ": " + what);
  }
}
