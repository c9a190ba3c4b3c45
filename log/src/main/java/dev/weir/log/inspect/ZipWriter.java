package dev.weir.log.inspect;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * Writes a zip file with little memory however many members it has: the central directory grows in
 * a file beside it. Nothing has the name of the file before {@link #finish}.
 *
 * <p>Not {@link java.util.zip.ZipOutputStream}: that holds an object for each member, and writes
 * sizes behind the content, where whoever reads a damaged file misses them.
 */
final class ZipWriter implements Closeable {

  private static final int VERSION = 20;
  private static final int VERSION_LARGE = 45;
  private static final int NAMES_ARE_UTF_8 = 1 << 11;

  /** The first of January 1980: the same content gives the same file. */
  private static final int DATE = 0x21;

  private static final int LARGE_FIELD = 1;

  /** Half the time of the usual one, for a few percent more bytes. */
  private static final int LEVEL = 3;

  private static final int LONGEST_NAME = 0xffff;

  private final Path target;
  private final PartialFile out;
  private final PartialFile directory;
  private final Deflater deflater = new Deflater(LEVEL, true);
  private final byte[] deflated = new byte[8 << 10];
  private long members;

  ZipWriter(Path target) throws IOException {
    this(target, PartialFile.beside(target));
  }

  ZipWriter(Path target, PartialFile out) throws IOException {
    this.target = target;
    this.out = out;
    try {
      this.directory = PartialFile.beside(target);
    } catch (IOException notWritable) {
      out.close();
      throw notWritable;
    }
  }

  /** Writes a member whose content is at hand. */
  void add(String name, byte[] content) throws IOException {
    try (Member member = new Member(name, false)) {
      member.write(content, 0, content.length);
    }
  }

  /** Writes a member whose content is deflated already. */
  void add(String name, byte[] deflated, long size, int crc) throws IOException {
    var place = new Place(name, out.position(), false);
    out.write(place.localHeader(deflated.length, size, crc));
    out.write(deflated, 0, deflated.length);
    directory.write(place.entry(deflated.length, size, crc));
    members++;
  }

  /** Begins a member of any size, to be closed before the next. */
  OutputStream add(String name) throws IOException {
    return new Member(name, true);
  }

  /** Writes the directory, and gives the file its name once everything is on the disk. */
  void finish() throws IOException {
    long from = out.position();
    byte[] buffer = new byte[8 << 10];
    try (InputStream entries = directory.content()) {
      for (int n = entries.read(buffer); n >= 0; n = entries.read(buffer)) {
        out.write(buffer, 0, n);
      }
    }
    long size = out.position() - from;
    boolean isLarge =
        members >= ZipEnd.FULL_SHORT || from >= ZipEnd.FULL_INT || size >= ZipEnd.FULL_INT;
    if (isLarge) {
      writeLargeEnd(from, size);
    }
    out.write(
        bytes(ZipEnd.SIZE)
            .putInt(ZipEnd.SIGNATURE)
            .putInt(0)
            .putShort((short) Math.min(members, ZipEnd.FULL_SHORT))
            .putShort((short) Math.min(members, ZipEnd.FULL_SHORT))
            .putInt(small(size))
            .putInt(small(from))
            .putShort((short) 0)
            .flip());
    out.moveTo(target);
  }

  private void writeLargeEnd(long from, long size) throws IOException {
    long at = out.position();
    out.write(
        bytes(ZipEnd.LARGE_SIZE + ZipEnd.LOCATOR_SIZE)
            .putInt(ZipEnd.LARGE_SIGNATURE)
            .putLong(ZipEnd.LARGE_SIZE - 12)
            .putShort((short) VERSION_LARGE)
            .putShort((short) VERSION_LARGE)
            .putInt(0)
            .putInt(0)
            .putLong(members)
            .putLong(members)
            .putLong(size)
            .putLong(from)
            .putInt(ZipEnd.LOCATOR_SIGNATURE)
            .putInt(0)
            .putLong(at)
            .putInt(1)
            .flip());
  }

  private static ByteBuffer bytes(int length) {
    return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static int small(long value) {
    return (int) Math.min(value, ZipEnd.FULL_INT);
  }

  /** Removes what was written, unless it was finished. */
  @Override
  public void close() throws IOException {
    deflater.end();
    try (directory) {
      out.close();
    }
  }

  /** Where a member is, and what it is called. */
  private final class Place {

    private final byte[] name;
    private final long at;

    /** Whether room is kept for sizes beyond 4 GiB. */
    private final boolean mayBeLarge;

    Place(String name, long at, boolean mayBeLarge) throws IOException {
      this.name = name.getBytes(StandardCharsets.UTF_8);
      this.at = at;
      this.mayBeLarge = mayBeLarge;
      if (this.name.length > LONGEST_NAME) {
        throw new IOException(
            "%s: a member's name has %d bytes, and a zip file allows %d"
                .formatted(target, this.name.length, LONGEST_NAME));
      }
    }

    ByteBuffer localHeader(long compressedSize, long size, int crc) {
      ByteBuffer header = bytes(ZipReader.LOCAL_FIXED + name.length + (mayBeLarge ? 20 : 0));
      header.putInt(ZipReader.LOCAL_SIGNATURE);
      putCommon(header, mayBeLarge, crc);
      header
          .putInt(mayBeLarge ? -1 : small(compressedSize))
          .putInt(mayBeLarge ? -1 : small(size))
          .putShort((short) name.length)
          .putShort((short) (mayBeLarge ? 20 : 0))
          .put(name);
      if (mayBeLarge) {
        header.putShort((short) LARGE_FIELD).putShort((short) 16).putLong(size);
        header.putLong(compressedSize);
      }
      return header.flip();
    }

    private void putCommon(ByteBuffer header, boolean isLarge, int crc) {
      header
          .putShort((short) (isLarge ? VERSION_LARGE : VERSION))
          .putShort((short) NAMES_ARE_UTF_8)
          .putShort((short) ZipMember.DEFLATED)
          .putShort((short) 0)
          .putShort((short) DATE)
          .putInt(crc);
    }

    /** Its entry in the central directory. */
    ByteBuffer entry(long compressedSize, long size, int crc) {
      ByteBuffer large = bytes(3 * Long.BYTES);
      for (long value : new long[] {size, compressedSize, at}) {
        if (value >= ZipEnd.FULL_INT) {
          large.putLong(value);
        }
      }
      large.flip();
      boolean isLarge = large.hasRemaining();
      int extra = isLarge ? 4 + large.remaining() : 0;
      ByteBuffer entry = bytes(ZipDirectory.FIXED + name.length + extra);
      entry.putInt(ZipDirectory.SIGNATURE).putShort((short) VERSION_LARGE);
      putCommon(entry, isLarge, crc);
      entry
          .putInt(small(compressedSize))
          .putInt(small(size))
          .putShort((short) name.length)
          .putShort((short) extra)
          .putShort((short) 0)
          .putShort((short) 0)
          .putShort((short) 0)
          .putInt(0)
          .putInt(small(at))
          .put(name);
      if (isLarge) {
        entry.putShort((short) LARGE_FIELD).putShort((short) large.remaining()).put(large);
      }
      return entry.flip();
    }
  }

  /** One member while it is written. */
  private final class Member extends OutputStream {

    private final Place place;
    private final CRC32 crc = new CRC32();
    private long size;
    private boolean isClosed;

    Member(String name, boolean mayBeLarge) throws IOException {
      this.place = new Place(name, out.position(), mayBeLarge);
      deflater.reset();
      // Written over when sizes and checksum are known.
      out.write(place.localHeader(0, 0, 0));
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] content, int offset, int length) throws IOException {
      crc.update(content, offset, length);
      size += length;
      deflater.setInput(content, offset, length);
      while (!deflater.needsInput()) {
        out.write(deflated, 0, deflater.deflate(deflated));
      }
    }

    @Override
    public void close() throws IOException {
      if (isClosed) {
        return;
      }
      isClosed = true;
      deflater.finish();
      while (!deflater.finished()) {
        out.write(deflated, 0, deflater.deflate(deflated));
      }
      long compressedSize = deflater.getBytesWritten();
      int checksum = (int) crc.getValue();
      out.writeOver(place.localHeader(compressedSize, size, checksum), place.at);
      directory.write(place.entry(compressedSize, size, checksum));
      members++;
    }
  }
}
