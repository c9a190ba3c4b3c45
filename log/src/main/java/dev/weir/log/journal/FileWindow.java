package dev.weir.log.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Reads a file through one buffer. Not thread-safe. */
final class FileWindow {

  private final FileChannel channel;
  private final ByteBuffer buffer;
  private long start;

  FileWindow(FileChannel channel, int capacity) {
    this.channel = channel;
    this.buffer = ByteBuffer.allocate(capacity).limit(0);
  }

  /** The bytes from {@code offset} on, fewer at the end of the file. Valid until the next call. */
  ByteBuffer read(long offset, int length) throws IOException {
    if (length > buffer.capacity()) {
      return fill(ByteBuffer.allocate(length), offset);
    }
    if (offset < start || offset + length > start + buffer.limit()) {
      start = offset;
      fill(buffer.clear(), offset);
    }
    int from = (int) (offset - start);
    return buffer.slice(from, Math.min(length, buffer.limit() - from));
  }

  private ByteBuffer fill(ByteBuffer into, long offset) throws IOException {
    while (into.hasRemaining()) {
      if (channel.read(into, offset + into.position()) < 0) {
        break;
      }
    }
    return into.flip();
  }
}
