package dev.weir.eval.sandbox;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** The beginning of an output that may be endless. Not thread-safe. */
final class Captured {

  /** What a pipe holds on Linux. */
  private static final int MOST_AT_ONCE = 65_536;

  private final int limit;
  private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
  private boolean truncated;

  Captured(int limit) {
    this.limit = limit;
  }

  /** Takes what can be read without waiting; says whether there was something. */
  boolean readFrom(InputStream stream) throws IOException {
    byte[] read = stream.readNBytes(Math.min(stream.available(), MOST_AT_ONCE));
    int room = Math.min(read.length, limit - kept.size());
    kept.write(read, 0, room);
    truncated |= room < read.length;
    return read.length > 0;
  }

  byte[] bytes() {
    return kept.toByteArray();
  }

  boolean truncated() {
    return truncated;
  }

  /** As UTF-8; a character that was cut in two is left out. */
  String text() {
    byte[] bytes = kept.toByteArray();
    int end = truncated ? wholeCharacters(bytes) : bytes.length;
    return new String(bytes, 0, end, StandardCharsets.UTF_8);
  }

  private static int wholeCharacters(byte[] bytes) {
    int start = bytes.length - 1;
    while (start >= 0 && start > bytes.length - 4 && (bytes[start] & 0xC0) == 0x80) {
      start--;
    }
    if (start < 0) {
      return bytes.length;
    }
    int first = bytes[start] & 0xFF;
    int length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
    return start + length > bytes.length ? start : bytes.length;
  }
}
