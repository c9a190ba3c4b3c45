package dev.weir.log.inspect;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A file beside the one that is to be written, with a buffer. It is removed when it is closed,
 * unless it was moved to its place before.
 */
final class PartialFile implements Closeable {

  private static final int BUFFER = 64 << 10;
  private static final AtomicLong COUNT = new AtomicLong();

  private final Path file;
  private final FileChannel channel;
  private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER);

  /** Offset of the first byte in the buffer. */
  private long flushed;

  private PartialFile(Path file, FileChannel channel) throws IOException {
    this.file = file;
    this.channel = channel;
    this.flushed = channel.position();
  }

  /** Begins a file whose name tells which it is to become and who writes it. */
  static PartialFile beside(Path target) throws IOException {
    Path directory = target.toAbsolutePath().getParent();
    if (directory == null || target.getFileName() == null) {
      throw new IOException(target + " is not a place for a file");
    }
    Path file =
        directory.resolve(
            ".%s.%d-%d.partial"
                .formatted(
                    target.getFileName(), ProcessHandle.current().pid(), COUNT.incrementAndGet()));
    return at(file, 0);
  }

  /** Begins a file with a gap of so many bytes. */
  static PartialFile at(Path file, long position) throws IOException {
    FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    return new PartialFile(file, channel.position(position));
  }

  long position() {
    return flushed + buffer.position();
  }

  void write(byte[] bytes, int offset, int length) throws IOException {
    int done = 0;
    while (done < length) {
      if (!buffer.hasRemaining()) {
        flush();
      }
      int count = Math.min(length - done, buffer.remaining());
      buffer.put(bytes, offset + done, count);
      done += count;
    }
  }

  void write(ByteBuffer bytes) throws IOException {
    write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
  }

  /** Writes over what was written before, all of it. */
  void writeOver(ByteBuffer bytes, long at) throws IOException {
    if (at >= flushed) {
      buffer.put((int) (at - flushed), bytes, 0, bytes.limit());
      return;
    }
    flush();
    ByteBuffer left = bytes.duplicate();
    while (left.hasRemaining()) {
      channel.write(left, at + left.position());
    }
  }

  private void flush() throws IOException {
    buffer.flip();
    while (buffer.hasRemaining()) {
      channel.write(buffer);
    }
    flushed += buffer.limit();
    buffer.clear();
  }

  /** What was written so far. */
  SourceStream content() throws IOException {
    flush();
    return new SourceStream(
        new Source() {
          @Override
          public long size() throws IOException {
            return channel.size();
          }

          @Override
          public int read(ByteBuffer into, long at) throws IOException {
            return channel.read(into, at);
          }

          @Override
          public void close() {
            // The file stays open for what writes it.
          }
        },
        0,
        flushed);
  }

  /** Makes it durable and gives it its name, replacing what has the name. */
  void moveTo(Path target) throws IOException {
    flush();
    channel.force(true);
    channel.close();
    Files.move(file, target, StandardCopyOption.ATOMIC_MOVE);
    forceDirectory(target);
  }

  /** The name is durable only then; not every system lets a directory be opened for it. */
  private static void forceDirectory(Path target) {
    Path directory = target.toAbsolutePath().getParent();
    if (directory != null) {
      try (FileChannel opened = FileChannel.open(directory, StandardOpenOption.READ)) {
        opened.force(true);
      } catch (IOException unsupported) {
        // The content is durable nevertheless.
      }
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
    Files.deleteIfExists(file);
  }
}
