package dev.weir.eval.dataset;

import java.io.FilterReader;
import java.io.IOException;
import java.io.Reader;

/**
 * Follows the quotes of a CSV file as it is read, because the parser does not tell when a file ends
 * within them.
 *
 * <pre>
 *   START ──"──> INSIDE ──"──> CLOSED      CLOSED ──"──> INSIDE (a doubled quote)
 *   START ──x──> PLAIN                     any but INSIDE ──comma, line break──> START
 * </pre>
 *
 * <p>Only spaces may stand before a quote that opens. Not thread-safe.
 */
final class QuoteWatch extends FilterReader {

  private enum State {
    START,
    PLAIN,
    INSIDE,
    CLOSED
  }

  private State state = State.START;
  private boolean ended;
  private boolean afterReturn;
  private long line = 1;
  private long column;
  private String openedAt = "";
  private String strayAt = "";
  private final RecentText recent = new RecentText();

  QuoteWatch(Reader reader) {
    super(reader);
  }

  /** Whether all has been read and the last quote is still open. */
  boolean endedInside() {
    return ended && state == State.INSIDE;
  }

  /** Where the last quote was opened: {@code line 2, column 5}. */
  String openedAt() {
    return openedAt;
  }

  /** Where something stands first behind a quote that closes a value; empty if nowhere. */
  String strayAt() {
    return strayAt;
  }

  /** To say where values stand. */
  RecentText recent() {
    return recent;
  }

  private String here() {
    return "line %d, column %d".formatted(line, column);
  }

  @Override
  public int read() throws IOException {
    char[] one = new char[1];
    return read(one, 0, 1) < 0 ? -1 : one[0];
  }

  @Override
  public int read(char[] buffer, int offset, int length) throws IOException {
    int count = super.read(buffer, offset, length);
    ended = count < 0;
    if (count > 0) {
      recent.add(buffer, offset, count);
    }
    for (int i = offset; i < offset + count; i++) {
      follow(buffer[i]);
    }
    return count;
  }

  private void follow(char c) {
    column++;
    switch (c) {
      case '"' -> quote();
      case ',', '\r', '\n' -> {
        if (state != State.INSIDE) {
          state = State.START;
        }
      }
      default -> {
        if (state == State.START && c > ' ') {
          state = State.PLAIN;
        } else if (state == State.CLOSED && c > ' ' && strayAt.isEmpty()) {
          strayAt = here();
        }
      }
    }
    if (c == '\r' || (c == '\n' && !afterReturn)) {
      line++;
    }
    if (c == '\r' || c == '\n') {
      column = 0;
    }
    afterReturn = c == '\r';
  }

  private void quote() {
    state =
        switch (state) {
          case START -> {
            openedAt = here();
            yield State.INSIDE;
          }
          case INSIDE -> State.CLOSED;
          case CLOSED -> State.INSIDE;
          case PLAIN -> State.PLAIN;
        };
  }
}
