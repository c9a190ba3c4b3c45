package dev.weir.log.inspect;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.zip.CRC32;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;
import org.jspecify.annotations.Nullable;

/** The content of a member; whoever reads it to its end knows that it is whole. */
final class MemberStream extends InputStream {

  private static final int INFLATER_BUFFER = 8 << 10;

  private final Path file;
  private final ZipMember member;
  private final InputStream content;
  private final @Nullable Inflater inflater;
  private final CRC32 crc = new CRC32();
  private long read;

  private MemberStream(
      Path file, ZipMember member, InputStream content, @Nullable Inflater inflater) {
    this.file = file;
    this.member = member;
    this.content = content;
    this.inflater = inflater;
  }

  static MemberStream open(Path file, Source source, ZipMember member, long at) throws IOException {
    InputStream raw = new SourceStream(source, at, at + member.compressedSize());
    return switch (member.method()) {
      case ZipMember.STORED -> new MemberStream(file, member, raw, null);
      case ZipMember.DEFLATED -> {
        var inflater = new Inflater(true);
        yield new MemberStream(
            file, member, new InflaterInputStream(raw, inflater, INFLATER_BUFFER), inflater);
      }
      case ZipMember.ZSTD -> new MemberStream(file, member, ZstdFrames.open(file, raw), null);
      default ->
          throw new DamagedException(
              "%s: %s is compressed by method %d; stored, deflate and zstd can be read"
                  .formatted(file, member.name(), member.method()));
    };
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, into.length);
    if (length == 0) {
      return 0;
    }
    int count;
    try {
      count = content.read(into, offset, length);
    } catch (ClosedChannelException closed) {
      // Nothing is wrong with the file: whoever reads was interrupted.
      throw closed;
    } catch (IOException broken) {
      throw new DamagedException(
          damaged(
              expected()
                  + ", after %d of them it cannot be read: %s"
                      .formatted(read, broken.getMessage())),
          broken);
    }
    if (count < 0) {
      check();
      return -1;
    }
    crc.update(into, offset, count);
    read += count;
    if (read > member.size()) {
      throw new DamagedException(damaged(expected() + ", more found"));
    }
    return count;
  }

  private void check() throws IOException {
    if (read != member.size()) {
      throw new DamagedException(damaged(expected() + ", %d bytes found".formatted(read)));
    }
    if (crc.getValue() != member.crc()) {
      throw new DamagedException(
          damaged("checksum %08x expected, %08x found".formatted(member.crc(), crc.getValue())));
    }
  }

  private String expected() {
    return "%d bytes with checksum %08x expected".formatted(member.size(), member.crc());
  }

  private String damaged(String what) {
    return "%s: %s at offset %d is damaged: %s".formatted(file, member.name(), member.at(), what);
  }

  @Override
  public void close() throws IOException {
    content.close();
    if (inflater != null) {
      inflater.end();
    }
  }
}
