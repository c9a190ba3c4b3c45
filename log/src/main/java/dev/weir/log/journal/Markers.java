package dev.weir.log.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Finds the markers that begin records. */
final class Markers {

  private static final int BLOCK = 64 << 10;

  private Markers() {}

  /** Where the first marker is, counted from the buffer's position; negative if there is none. */
  static int first(ByteBuffer bytes) {
    for (int at = bytes.position(); at <= bytes.limit() - Integer.BYTES; at++) {
      if (bytes.getInt(at) == Head.MARKER) {
        return at - bytes.position();
      }
    }
    return -1;
  }

  /** The last whole head that begins within {@code reach} of the end; its body may be cut. */
  static Head.Read last(FileChannel channel, long end, long reach) throws IOException {
    long stop = Math.max(FileHeader.BYTES, end - reach);
    var blocks = new FileWindow(channel, BLOCK + Integer.BYTES);
    var heads = new FileWindow(channel, Head.BYTES + Head.MAX_KEY);
    for (long before = end; before > stop; ) {
      long start = Math.max(stop, before - BLOCK);
      // A marker may begin in this block and end in the next.
      int length = (int) Math.min(end - start, before - start + Integer.BYTES - 1);
      ByteBuffer block = blocks.read(start, length);
      for (int place = block.remaining() - Integer.BYTES; place >= 0; place--) {
        if (block.getInt(place) == Head.MARKER) {
          Head.Read read = Head.read(heads, start + place, end);
          if (read instanceof Head.Read.Whole) {
            return read;
          }
        }
      }
      before = start;
    }
    return new Head.Read.Cut();
  }
}
