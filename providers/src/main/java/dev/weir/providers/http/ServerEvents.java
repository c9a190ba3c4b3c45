package dev.weir.providers.http;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads server-sent events. Comments and blank lines, which servers send to keep a connection open,
 * are passed over. Not thread-safe.
 */
final class ServerEvents {

  private static final int FIRST_BYTES = 4_096;
  private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

  private final InputStream in;
  // All that was read: it is told to the log in the end.
  private byte[] bytes;
  private int size;
  private int next;
  private boolean skipLineFeed;

  /**
   * @param begun what was read of the stream before
   * @param in the rest, bounded
   */
  ServerEvents(byte[] begun, InputStream in) {
    this.in = in;
    this.bytes = Arrays.copyOf(begun, Math.max(FIRST_BYTES, begun.length));
    this.size = begun.length;
  }

  /** The next event; nothing at the end of the stream. */
  @Nullable ServerEvent next() throws IOException {
    String type = "";
    @Nullable StringBuilder data = null;
    for (String text = readLine(); text != null; text = readLine()) {
      if (text.isEmpty()) {
        if (data != null) {
          return new ServerEvent(type, data.toString());
        }
        type = "";
        continue;
      }
      int colon = text.indexOf(':');
      String field = colon < 0 ? text : text.substring(0, colon);
      if (field.equals("event")) {
        type = value(text, colon);
      } else if (field.equals("data")) {
        data = data == null ? new StringBuilder() : data.append('\n');
        data.append(value(text, colon));
      }
    }
    // Some servers forget the blank line after the last event.
    return data == null ? null : new ServerEvent(type, data.toString());
  }

  /** Everything that was read so far. */
  String text() {
    return new String(bytes, 0, size, StandardCharsets.UTF_8);
  }

  private static String value(String line, int colon) {
    if (colon < 0) {
      return "";
    }
    return line.startsWith(" ", colon + 1) ? line.substring(colon + 2) : line.substring(colon + 1);
  }

  private @Nullable String readLine() throws IOException {
    int begin = next;
    while (true) {
      if (next == size && !fill()) {
        return begin == size ? null : line(begin, size);
      }
      byte one = bytes[next++];
      if (one == '\n' && skipLineFeed) {
        skipLineFeed = false;
        begin = next;
        continue;
      }
      skipLineFeed = one == '\r';
      if (one == '\n' || one == '\r') {
        return line(begin, next - 1);
      }
    }
  }

  private String line(int begin, int end) {
    boolean isMarked =
        begin == 0
            && end >= BYTE_ORDER_MARK.length
            && Arrays.equals(
                bytes, 0, BYTE_ORDER_MARK.length, BYTE_ORDER_MARK, 0, BYTE_ORDER_MARK.length);
    int from = isMarked ? BYTE_ORDER_MARK.length : begin;
    return new String(bytes, from, end - from, StandardCharsets.UTF_8);
  }

  private boolean fill() throws IOException {
    if (size == bytes.length) {
      bytes = Arrays.copyOf(bytes, 2 * size);
    }
    int count = in.read(bytes, size, bytes.length - size);
    size += Math.max(0, count);
    return count > 0;
  }
}
