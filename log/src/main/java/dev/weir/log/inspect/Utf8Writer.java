package dev.weir.log.inspect;

import java.io.IOException;
import java.io.OutputStream;
import java.io.Writer;

/**
 * Writes JSON as UTF-8. Half a character, which no encoding has, can only stand within a string,
 * and is written as an escape there: it survives, where an encoder would lose it or fail.
 */
final class Utf8Writer extends Writer {

  private static final String HEX = "0123456789abcdef";

  private final OutputStream out;
  private final byte[] buffer = new byte[8 << 10];
  private int length;
  private char high;

  Utf8Writer(OutputStream out) {
    this.out = out;
  }

  @Override
  public void write(char[] text, int offset, int count) throws IOException {
    for (int i = offset; i < offset + count; i++) {
      write(text[i]);
    }
  }

  private void write(char c) throws IOException {
    if (length > buffer.length - 12) {
      drain();
    }
    if (high != 0) {
      char first = high;
      high = 0;
      if (Character.isLowSurrogate(c)) {
        int point = Character.toCodePoint(first, c);
        put(0xf0 | (point >> 18));
        put(0x80 | ((point >> 12) & 0x3f));
        put(0x80 | ((point >> 6) & 0x3f));
        put(0x80 | (point & 0x3f));
        return;
      }
      escape(first);
    }
    if (c < 0x80) {
      put(c);
    } else if (c < 0x800) {
      put(0xc0 | (c >> 6));
      put(0x80 | (c & 0x3f));
    } else if (Character.isHighSurrogate(c)) {
      high = c;
    } else if (Character.isLowSurrogate(c)) {
      escape(c);
    } else {
      put(0xe0 | (c >> 12));
      put(0x80 | ((c >> 6) & 0x3f));
      put(0x80 | (c & 0x3f));
    }
  }

  private void escape(char c) {
    put('\\');
    put('u');
    for (int shift = 12; shift >= 0; shift -= 4) {
      put(HEX.charAt((c >> shift) & 0xf));
    }
  }

  private void put(int b) {
    buffer[length++] = (byte) b;
  }

  private void drain() throws IOException {
    out.write(buffer, 0, length);
    length = 0;
  }

  /** Does not reach the stream below: its buffer is written when it is full, and at the end. */
  @Override
  public void flush() {}

  /** Leaves the stream below open. */
  @Override
  public void close() throws IOException {
    if (high != 0) {
      escape(high);
      high = 0;
    }
    drain();
  }
}
