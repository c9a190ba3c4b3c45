package dev.weir.log.inspect;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Walks over the central directory of a zip file, holding one member at a time. */
final class ZipDirectory {

  static final int SIGNATURE = 0x02014b50;

  /** Length of an entry without name, extra fields and comment. */
  static final int FIXED = 46;

  private static final int ENCRYPTED = 1;
  private static final int LARGE_FIELD = 1;

  private final Path file;
  private final DataInputStream in;
  private final long end;
  private long left;
  private long at;

  /** From an entry on, to the end of the directory. */
  ZipDirectory(Path file, Source source, ZipEnd end) {
    this.file = file;
    this.in = new DataInputStream(new SourceStream(source, end.from(), end.to()));
    this.left = end.members();
    this.at = end.from();
    this.end = end.to();
  }

  /** The next member, null after the last. */
  @Nullable ZipMember next() throws IOException {
    if (left == 0) {
      return null;
    }
    byte[] head = new byte[FIXED];
    byte[] variable;
    ByteBuffer fields = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN);
    try {
      in.readFully(head);
      if (fields.getInt(0) != SIGNATURE) {
        throw ZipEnd.damaged(file, "no entry of the central directory", at);
      }
      variable = new byte[variableLength(fields)];
      in.readFully(variable);
    } catch (EOFException cut) {
      throw ZipEnd.damaged(file, "the central directory ends within an entry", at);
    }
    ZipMember member = member(file, at, fields, ByteBuffer.wrap(variable));
    at += FIXED + variable.length;
    left--;
    if (left == 0 && at != end) {
      throw ZipEnd.damaged(file, "the central directory has more than its members", at);
    }
    return member;
  }

  static int variableLength(ByteBuffer fields) {
    return Short.toUnsignedInt(fields.getShort(28))
        + Short.toUnsignedInt(fields.getShort(30))
        + Short.toUnsignedInt(fields.getShort(32));
  }

  private static ZipMember member(Path file, long at, ByteBuffer fields, ByteBuffer variable)
      throws IOException {
    int nameLength = Short.toUnsignedInt(fields.getShort(28));
    int extraLength = Short.toUnsignedInt(fields.getShort(30));
    byte[] name = new byte[nameLength];
    variable.get(0, name);
    ByteBuffer extra =
        large(variable.slice(nameLength, extraLength).order(ByteOrder.LITTLE_ENDIAN));
    // Those that do not fit have their true value in the extra field, in this order.
    long size = trueValue(file, at, fields.getInt(24), extra);
    long compressedSize = trueValue(file, at, fields.getInt(20), extra);
    long offset = trueValue(file, at, fields.getInt(42), extra);
    return new ZipMember(
        new String(name, StandardCharsets.UTF_8),
        Short.toUnsignedInt(fields.getShort(10)),
        (fields.getShort(8) & ENCRYPTED) != 0,
        Integer.toUnsignedLong(fields.getInt(16)),
        compressedSize,
        size,
        offset);
  }

  /** The field of zip64 among the extra ones, or nothing. */
  private static ByteBuffer large(ByteBuffer extra) {
    while (extra.remaining() >= 4) {
      int type = Short.toUnsignedInt(extra.getShort());
      int length = Math.min(Short.toUnsignedInt(extra.getShort()), extra.remaining());
      if (type == LARGE_FIELD) {
        return extra.slice(extra.position(), length).order(ByteOrder.LITTLE_ENDIAN);
      }
      extra.position(extra.position() + length);
    }
    return ByteBuffer.allocate(0);
  }

  private static long trueValue(Path file, long at, int small, ByteBuffer extra)
      throws IOException {
    long value = Integer.toUnsignedLong(small);
    if (value != ZipEnd.FULL_INT) {
      return value;
    }
    if (extra.remaining() < Long.BYTES) {
      throw ZipEnd.damaged(file, "a large member without its true sizes", at);
    }
    long large = extra.getLong();
    if (large < 0) {
      throw ZipEnd.damaged(file, "a member with an impossible size or offset", at);
    }
    return large;
  }
}
