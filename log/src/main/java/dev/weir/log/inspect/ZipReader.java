package dev.weir.log.inspect;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads a zip file of any size with little memory: the central directory is walked over, not held.
 * Where a name occurs several times, the last member of the name counts.
 *
 * <p>Not {@link java.util.zip.ZipFile}: that holds the directory in memory and refuses zstd.
 */
final class ZipReader implements Closeable {

  static final int LOCAL_SIGNATURE = 0x04034b50;
  static final int LOCAL_FIXED = 30;

  /** Content that is streamed; more is taken for an attempt to fill the machine. */
  static final long MOST_STREAMED = 64L << 30;

  /** Content that is held in memory as a whole: one sample. */
  static final int MOST_HELD = 1 << 30;

  /** The part of the directory in which a member is looked for before all of it is read. */
  private static final int TAIL = 4 << 10;

  private final Path file;
  private final Source source;
  private final ZipEnd end;

  ZipReader(Path file, Source source) throws IOException {
    this.file = file;
    this.source = source;
    this.end = ZipEnd.find(file, source);
  }

  /** What is wrong with the end of the file, if it can be read all the same. */
  Optional<String> misplaced() {
    return end.misplaced();
  }

  long members() {
    return end.members();
  }

  ZipDirectory directory() {
    return new ZipDirectory(file, source, end);
  }

  /** The last member of the name. What was written last is found without reading everything. */
  Optional<ZipMember> find(String name) throws IOException {
    ZipMember inTail = lastOf(name, tail());
    return Optional.ofNullable(inTail != null ? inTail : lastOf(name, directory()));
  }

  private static @Nullable ZipMember lastOf(String name, ZipDirectory directory)
      throws IOException {
    ZipMember found = null;
    for (ZipMember member = directory.next(); member != null; member = directory.next()) {
      if (member.name().equals(name)) {
        found = member;
      }
    }
    return found;
  }

  /**
   * The last entries of the directory. Entries can be read only forwards, so the first place is
   * taken from which a chain of them leads exactly to the directory's end.
   */
  private ZipDirectory tail() throws IOException {
    int length = (int) Math.min(end.to() - end.from(), TAIL);
    if (length == end.to() - end.from()) {
      return directory();
    }
    ByteBuffer bytes = source.read(end.to() - length, length);
    for (int i = 0; i <= length - ZipDirectory.FIXED; i++) {
      int members = chain(bytes, i);
      if (members > 0) {
        return new ZipDirectory(file, source, new ZipEnd(members, end.to() - length + i, end.to()));
      }
    }
    return new ZipDirectory(file, source, new ZipEnd(0, end.to(), end.to()));
  }

  private static int chain(ByteBuffer bytes, int from) {
    int members = 0;
    int at = from;
    while (at <= bytes.limit() - ZipDirectory.FIXED && bytes.getInt(at) == ZipDirectory.SIGNATURE) {
      at +=
          ZipDirectory.FIXED
              + ZipDirectory.variableLength(
                  bytes.slice(at, ZipDirectory.FIXED).order(bytes.order()));
      members++;
    }
    return at == bytes.limit() ? members : 0;
  }

  /** The content of a member, checked while it is read. */
  InputStream open(ZipMember member) throws IOException {
    return open(member, true);
  }

  private InputStream open(ZipMember member, boolean isBoundToName) throws IOException {
    if (member.size() > MOST_STREAMED) {
      throw tooLarge(member, MOST_STREAMED);
    }
    if (member.isEncrypted()) {
      throw new DamagedException(file + ": " + member.name() + " is encrypted");
    }
    return MemberStream.open(file, source, member, contentAt(member, isBoundToName));
  }

  private long contentAt(ZipMember member, boolean isBoundToName) throws IOException {
    long latest = end.from() - LOCAL_FIXED - member.compressedSize();
    if (member.at() > latest) {
      throw reachesTooFar(member);
    }
    int expected = member.name().getBytes(StandardCharsets.UTF_8).length;
    int length = (int) Math.min(LOCAL_FIXED + expected, end.from() - member.at());
    ByteBuffer local = source.read(member.at(), length);
    if (local.getInt(0) != LOCAL_SIGNATURE) {
      throw ZipEnd.damaged(file, "no local header of " + member.name(), member.at());
    }
    int nameLength = Short.toUnsignedInt(local.getShort(26));
    int variable = nameLength + Short.toUnsignedInt(local.getShort(28));
    if (member.at() + variable > latest) {
      throw reachesTooFar(member);
    }
    byte[] name = new byte[Math.min(nameLength, length - LOCAL_FIXED)];
    local.get(LOCAL_FIXED, name);
    String found = new String(name, StandardCharsets.UTF_8);
    if (isBoundToName && (nameLength != expected || !found.equals(member.name()))) {
      throw ZipEnd.damaged(
          file,
          "expected the local header of %s, found that of %s".formatted(member.name(), found),
          member.at());
    }
    return member.at() + LOCAL_FIXED + variable;
  }

  private IOException reachesTooFar(ZipMember member) {
    return ZipEnd.damaged(
        file, member.name() + " would reach into the central directory", member.at());
  }

  /** The whole content of a member. */
  byte[] read(ZipMember member) throws IOException {
    return read(member, true);
  }

  /**
   * The same even if the central directory and the member do not agree on its name: its checksum is
   * right, and its content tells what it is.
   */
  byte[] readUnderAnyName(ZipMember member) throws IOException {
    return read(member, false);
  }

  private byte[] read(ZipMember member, boolean isBoundToName) throws IOException {
    if (member.size() > MOST_HELD) {
      throw tooLarge(member, MOST_HELD);
    }
    try (InputStream in = open(member, isBoundToName)) {
      // What the directory says of the size is not believed before the bytes are there.
      var bytes = new ByteArrayOutputStream((int) Math.min(member.size(), 64 << 10));
      in.transferTo(bytes);
      return bytes.toByteArray();
    }
  }

  private IOException tooLarge(ZipMember member, long limit) {
    return new DamagedException(
        "%s: %s has %d bytes when inflated; at most %d are read"
            .formatted(file, member.name(), member.size(), limit));
  }

  @Override
  public void close() throws IOException {
    source.close();
  }
}
