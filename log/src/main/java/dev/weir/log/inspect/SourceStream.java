package dev.weir.log.inspect;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Objects;

/** A part of a file as a stream. It has a small buffer and reads nothing beyond the part. */
final class SourceStream extends InputStream {

  private static final int BUFFER = 16 << 10;

  private final Source source;
  private final ByteBuffer buffer;

  /** Where the next reading of the file begins, and where the part ends. */
  private long at;

  private final long end;

  SourceStream(Source source, long from, long end) {
    this.source = source;
    this.at = from;
    this.end = end;
    this.buffer = ByteBuffer.allocate(Math.clamp(end - from, 0, BUFFER)).limit(0);
  }

  @Override
  public int read() throws IOException {
    return fill() ? buffer.get() & 0xff : -1;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, into.length);
    if (length == 0) {
      return 0;
    }
    if (!fill()) {
      return -1;
    }
    int count = Math.min(length, buffer.remaining());
    buffer.get(into, offset, count);
    return count;
  }

  private boolean fill() throws IOException {
    if (buffer.hasRemaining()) {
      return true;
    }
    if (at >= end) {
      return false;
    }
    buffer.clear().limit((int) Math.min(buffer.capacity(), end - at));
    int count = source.read(buffer, at);
    buffer.flip();
    if (count <= 0) {
      throw new EOFException("the file ends at offset " + at + " instead of " + end);
    }
    at += count;
    return true;
  }
}
