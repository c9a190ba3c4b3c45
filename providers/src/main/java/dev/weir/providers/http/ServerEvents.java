package dev.weir.providers.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads server-sent events. Comments and blank lines, which servers send to keep a connection open,
 * are passed over. Not thread-safe.
 */
final class ServerEvents {

  private final InputStream in;
  private final StringBuilder whole = new StringBuilder();
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private boolean skipLineFeed;

  /**
   * @param in bounded and buffered
   */
  ServerEvents(InputStream in) {
    this.in = in;
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
      String value = colon < 0 ? "" : text.substring(colon + 1);
      String stripped = value.startsWith(" ") ? value.substring(1) : value;
      if (field.equals("event")) {
        type = stripped;
      } else if (field.equals("data")) {
        data = data == null ? new StringBuilder() : data.append('\n');
        data.append(stripped);
      }
    }
    // Some servers forget the blank line after the last event.
    return data == null ? null : new ServerEvent(type, data.toString());
  }

  /** Everything that was read so far. */
  String text() {
    return whole.toString();
  }

  private @Nullable String readLine() throws IOException {
    line.reset();
    while (true) {
      int next = in.read();
      if (next == '\n' && skipLineFeed) {
        skipLineFeed = false;
        continue;
      }
      skipLineFeed = next == '\r';
      if (next == '\n' || next == '\r') {
        return finished();
      }
      if (next < 0) {
        return line.size() == 0 ? null : finished();
      }
      line.write(next);
    }
  }

  private String finished() {
    String text = line.toString(StandardCharsets.UTF_8);
    whole.append(text).append('\n');
    return text;
  }
}
