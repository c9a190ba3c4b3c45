package dev.weir.log.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Goes from head to head through a part of a journal. Where there is no whole head, it looks for
 * the next marker that begins one, and notes what it had to skip. Not thread-safe.
 */
final class RecordScanner {

  /** What a part of the file that ends within a record means. */
  enum Tail {
    /** A writer is still at it: the record is not there yet. */
    GROWING,
    /** The writer is gone: the record was lost. */
    TORN,
    /** More of the file follows: something is broken. */
    INSIDE
  }

  private static final int WINDOW = 256 << 10;

  private final Path file;
  private final FileWindow window;
  private final long end;
  private final Tail tail;
  private final DamageLog damage;
  private long at;

  RecordScanner(Path file, FileChannel channel, Span span, Tail tail, DamageLog damage) {
    this.file = file;
    // Parts are sometimes tiny.
    this.window = new FileWindow(channel, Math.clamp(span.end - span.start, 64, WINDOW));
    this.at = span.start;
    this.end = span.end;
    this.tail = tail;
    this.damage = damage;
  }

  /** A part of the file. */
  record Span(long start, long end) {}

  /** The next head whose record ends within the part; null if there is none. */
  Head.Read.@Nullable Whole next() throws IOException {
    while (at < end) {
      Head.Read read = Head.read(window, at, end);
      switch (read) {
        case Head.Read.Whole whole when whole.head().end() <= end -> {
          at = whole.head().end();
          return whole;
        }
        case Head.Read.Whole whole -> cutAt(at, whole.head().bodyChecksum(), 0);
        case Head.Read.Broken(int expected, int found) -> skip(expected, found);
        case Head.Read.Cut _ -> skip(0, 0);
      }
    }
    return null;
  }

  /** The stored body; null, and noted, if it is damaged. */
  byte @Nullable [] body(Head head) throws IOException {
    return body(file, window, head, damage);
  }

  static byte @Nullable [] body(Path file, FileWindow window, Head head, DamageLog damage)
      throws IOException {
    ByteBuffer bytes = window.read(head.bodyOffset(), head.storedLength());
    byte[] stored = new byte[bytes.remaining()];
    bytes.get(stored);
    int found = Head.checksumOfBody(ByteBuffer.wrap(stored));
    if (stored.length == head.storedLength() && found == head.bodyChecksum()) {
      return stored;
    }
    Damage.Part part = head.isIndex() ? Damage.Part.INDEX : Damage.Part.RECORD_BODY;
    damage.add(
        new Damage.WrongChecksum(
            file, part, head.offset(), head.length(), head.bodyChecksum(), found));
    return null;
  }

  private void skip(int expected, int found) throws IOException {
    long from = at;
    long next = nextWhole(at + 1);
    if (next < 0) {
      cutAt(from, expected, found);
    } else {
      at = next;
      noteHead(from, next, expected, found);
    }
  }

  private void cutAt(long from, int expected, int found) {
    at = end;
    switch (tail) {
      case GROWING -> {
        // Not there yet.
      }
      case TORN -> damage.add(new Damage.TornTail(file, from, end - from));
      case INSIDE -> noteHead(from, end, expected, found);
    }
  }

  private void noteHead(long from, long to, int expected, int found) {
    damage.add(
        new Damage.WrongChecksum(file, Damage.Part.RECORD_HEAD, from, to - from, expected, found));
  }

  /** Where the next whole head is; negative if there is none. */
  private long nextWhole(long from) throws IOException {
    for (long start = from; start + Head.BYTES <= end; ) {
      ByteBuffer block = window.read(start, (int) Math.min(WINDOW / 4, end - start));
      int place = Markers.first(block);
      if (block.remaining() < Integer.BYTES) {
        return -1;
      }
      if (place < 0) {
        start += block.remaining() - (Integer.BYTES - 1);
        continue;
      }
      start += place;
      if (Head.read(window, start, end) instanceof Head.Read.Whole) {
        return start;
      }
      start++;
    }
    return -1;
  }
}
