package dev.weir.log.journal;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/**
 * A body as it is stored: deflated where that makes it smaller, and there is time.
 *
 * @param checksum of what is stored
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Body(byte[] stored, int rawLength, int checksum) {

  boolean isDeflated() {
    return stored.length < rawLength;
  }

  private static Body of(byte[] stored, int rawLength) {
    return new Body(stored, rawLength, Head.checksumOfBody(ByteBuffer.wrap(stored)));
  }

  /** The body as it was given; null if it cannot have been made by {@link Compressor}. */
  static byte @Nullable [] inflate(byte[] stored, int rawLength) {
    return inflate(stored, rawLength, true);
  }

  /** The first bytes of the body as it was given; null if there are not so many. */
  static byte @Nullable [] inflateStart(byte[] stored, int length) {
    return inflate(stored, length, false);
  }

  private static byte @Nullable [] inflate(byte[] stored, int wanted, boolean isAllOfIt) {
    var inflater = new Inflater(true);
    try {
      inflater.setInput(stored);
      byte[] raw = new byte[wanted];
      int length = 0;
      while (length < wanted) {
        int count = inflater.inflate(raw, length, wanted - length);
        if (count == 0) {
          return null;
        }
        length += count;
      }
      // Its end may be one more step, which gives no bytes.
      boolean isWhole = !isAllOfIt || (inflater.inflate(new byte[1]) == 0 && inflater.finished());
      return isWhole ? raw : null;
    } catch (DataFormatException broken) {
      return null;
    } finally {
      inflater.end();
    }
  }

  /** Makes bodies. Keeps a few deflaters, since each has a quarter of a megabyte. Thread-safe. */
  static final class Compressor implements AutoCloseable {

    private static final int KEPT = 4;

    /** Less gains nothing worth the time. */
    private static final int LEAST_COMPRESSED = 64;

    /** What a larger one takes of the disk costs more than the time to compress it. */
    private static final int MOST_UNCOMPRESSED = 16 << 10;

    // Guarded by this.
    private final Deque<Deflater> idle = new ArrayDeque<>();
    private boolean isClosed;

    private volatile boolean isHurried;

    /** From now on time counts more than room: bodies stay as they are, unless they are large. */
    void hurry() {
      isHurried = true;
    }

    Body compress(byte[] raw) {
      if (raw.length < LEAST_COMPRESSED || (isHurried && raw.length <= MOST_UNCOMPRESSED)) {
        return of(raw.clone(), raw.length);
      }
      byte[] smaller = new byte[raw.length - 1];
      Deflater deflater = take();
      try {
        deflater.setInput(raw);
        deflater.finish();
        int length = deflater.deflate(smaller);
        if (deflater.finished()) {
          return of(Arrays.copyOf(smaller, length), raw.length);
        }
      } finally {
        giveBack(deflater);
      }
      return of(raw.clone(), raw.length);
    }

    private synchronized Deflater take() {
      Deflater kept = idle.poll();
      return kept != null ? kept : new Deflater(Deflater.BEST_SPEED, true);
    }

    private synchronized void giveBack(Deflater deflater) {
      if (isClosed || idle.size() == KEPT) {
        deflater.end();
      } else {
        deflater.reset();
        idle.push(deflater);
      }
    }

    @Override
    public synchronized void close() {
      isClosed = true;
      idle.forEach(Deflater::end);
      idle.clear();
    }
  }
}
