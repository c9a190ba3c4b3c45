package dev.weir.log.inspect;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * The objects in a JSON array, one at a time, as the bytes that stand there. It only finds where
 * they end, which is many times faster than to read them: whether one is JSON shows when it is
 * read. Not thread-safe.
 */
final class ArraySplitter implements Closeable {

  private static final int BUFFER = 64 << 10;

  private final String where;
  private final InputStream in;
  private final byte[] buffer = new byte[BUFFER];
  private int at;
  private int limit;
  private boolean hasBegun;
  private boolean isFirst = true;
  private boolean hasEnded;

  /**
   * @param where for messages
   */
  ArraySplitter(String where, InputStream in) {
    this.where = where;
    this.in = in;
  }

  /** The next object, null after the last. */
  byte @Nullable [] next() throws IOException {
    if (!hasBegun) {
      hasBegun = true;
      expect('[', significant());
    }
    if (hasEnded) {
      return null;
    }
    int next = significant();
    if (next == ']') {
      hasEnded = true;
      if (significant() >= 0) {
        throw new DamagedException(where + " goes on after its JSON has ended");
      }
      return null;
    }
    if (!isFirst) {
      expect(',', next);
      next = significant();
    }
    isFirst = false;
    expect('{', next);
    return object();
  }

  private void expect(char wanted, int found) throws DamagedException {
    if (found < 0) {
      throw cut();
    }
    if (found != wanted) {
      throw new DamagedException(
          "%s is not the JSON array of objects it should be: there is %s instead of '%c'"
              .formatted(where, found == 'n' ? "null" : "'" + (char) found + "'", wanted));
    }
  }

  private DamagedException cut() {
    return new DamagedException(where + " ends before its JSON does");
  }

  /** The next byte that is no white space; negative at the end. */
  private int significant() throws IOException {
    while (at < limit || fill()) {
      byte next = buffer[at++];
      if (next != ' ' && next != '\n' && next != '\r' && next != '\t') {
        return next & 0xff;
      }
    }
    return -1;
  }

  private boolean fill() throws IOException {
    at = 0;
    limit = Math.max(0, in.read(buffer, 0, BUFFER));
    return limit > 0;
  }

  /** The object whose brace was just read. */
  private byte[] object() throws IOException {
    var bytes = new ByteArrayOutputStream(1 << 10);
    bytes.write('{');
    int depth = 1;
    boolean isText = false;
    boolean isEscaped = false;
    while (at < limit || fill()) {
      int from = at;
      while (at < limit && depth > 0) {
        byte next = buffer[at++];
        if (isEscaped) {
          isEscaped = false;
        } else if (next == '"') {
          isText = !isText;
        } else if (isText) {
          isEscaped = next == '\\';
        } else if (next == '{') {
          depth++;
        } else if (next == '}') {
          depth--;
        }
      }
      bytes.write(buffer, from, at - from);
      if (depth == 0) {
        return bytes.toByteArray();
      }
      if (bytes.size() > ZipReader.MOST_HELD) {
        throw new DamagedException(
            "%s has an object of more than %d bytes".formatted(where, ZipReader.MOST_HELD));
      }
    }
    throw cut();
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
