package dev.weir.providers.http;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Counts what is read, and refuses to read too much. Not thread-safe. */
final class BoundedStream extends FilterInputStream {

  private static final int MOST_AT_ONCE = 64 << 10;

  private final long announced;
  private final long most;
  private final @Nullable ReplyConnection connection;
  private long read;
  private boolean ended;

  /**
   * @param announced how long the body is said to be; negative if nobody said
   * @param connection what ends with the body
   */
  BoundedStream(InputStream in, long announced, long most, @Nullable ReplyConnection connection) {
    super(in);
    this.announced = announced;
    this.most = most;
    this.connection = connection;
  }

  long count() {
    return read;
  }

  /** Whether the end was met. */
  boolean hasEnded() {
    return ended;
  }

  /**
   * Everything to the end. As {@link #readAllBytes()}, without a large buffer for a small body.
   *
   * @throws TooLargeException if it is too much, or is said to be
   */
  byte[] readWhole() throws IOException {
    if (announced > most) {
      throw new TooLargeException(most);
    }
    // What is announced is not believed: where it is much, the buffer grows with what comes.
    if (announced < 0 || announced > MOST_AT_ONCE) {
      return readAllBytes();
    }
    byte[] whole = new byte[(int) announced];
    int count = readNBytes(whole, 0, whole.length);
    // A body is never longer than announced: this meets its end.
    int end = read();
    return end < 0 && count == whole.length ? whole : Arrays.copyOf(whole, count);
  }

  @Override
  public int read() throws IOException {
    int next;
    try {
      next = ended ? -1 : super.read();
    } catch (IOException failed) {
      throw meaning(failed);
    }
    counted(next < 0 ? -1 : 1);
    return next;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    int count;
    try {
      count = ended ? -1 : super.read(into, offset, length);
    } catch (IOException failed) {
      throw meaning(failed);
    }
    counted(count);
    return count;
  }

  @Override
  public long skip(long count) throws IOException {
    long skipped = ended ? 0 : super.skip(count);
    counted(skipped);
    return skipped;
  }

  @Override
  public boolean markSupported() {
    return false;
  }

  private IOException meaning(IOException failed) {
    return connection == null ? failed : connection.meaning(failed);
  }

  private void counted(long count) throws IOException {
    if (count < 0) {
      ended = true;
      if (connection != null) {
        connection.end();
      }
      return;
    }
    if (connection != null) {
      connection.heard();
    }
    read += count;
    if (read > most) {
      throw new TooLargeException(most);
    }
  }
}
