package dev.weir.log.inspect;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Counts the bytes that are read. */
final class CountedSource implements Source {

  private final Source source;
  private long bytes;

  CountedSource(Source source) {
    this.source = source;
  }

  long bytes() {
    return bytes;
  }

  @Override
  public long size() throws IOException {
    return source.size();
  }

  @Override
  public int read(ByteBuffer into, long at) throws IOException {
    int count = source.read(into, at);
    bytes += Math.max(0, count);
    return count;
  }

  @Override
  public void close() throws IOException {
    source.close();
  }
}
