package dev.weir.providers.http;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Counts what is read, and refuses to read too much. */
final class BoundedStream extends FilterInputStream {

  private final long most;
  private long read;

  BoundedStream(InputStream in, long most) {
    super(in);
    this.most = most;
  }

  long count() {
    return read;
  }

  @Override
  public int read() throws IOException {
    int next = super.read();
    if (next >= 0) {
      counted(1);
    }
    return next;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    int count = super.read(into, offset, length);
    if (count > 0) {
      counted(count);
    }
    return count;
  }

  @Override
  public long skip(long count) throws IOException {
    long skipped = super.skip(count);
    counted(skipped);
    return skipped;
  }

  @Override
  public boolean markSupported() {
    return false;
  }

  private void counted(long count) throws IOException {
    read += count;
    if (read > most) {
      throw new TooLargeException(most);
    }
  }
}
