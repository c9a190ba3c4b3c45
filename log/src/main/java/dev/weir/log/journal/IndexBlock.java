package dev.weir.log.journal;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The body of an index: of each type how many records there are up to here and where the last one
 * is; then the entries since the index before.
 *
 * <p>Not thread-safe.
 */
final class IndexBlock {

  static final int TYPE_BYTES = 18;
  static final int ENTRY_BYTES = 18;

  private final Map<Integer, Total> totals;
  private final ByteBuffer entries;
  private int left;

  private IndexBlock(Map<Integer, Total> totals, ByteBuffer entries, int left) {
    this.totals = totals;
    this.entries = entries;
    this.left = left;
  }

  /** Of one type: how many, and where the last one is. */
  record Total(long records, long lastOffset) {}

  /** Null if the bytes are no index, whatever their checksum says. */
  static @Nullable IndexBlock parse(byte[] body) {
    try {
      IndexBlock block = begin(ByteBuffer.wrap(body));
      IndexBlock probe = begin(ByteBuffer.wrap(body));
      while (probe.hasNext()) {
        probe.skip();
      }
      return block;
    } catch (BufferUnderflowException | IllegalArgumentException malformed) {
      return null;
    }
  }

  private static IndexBlock begin(ByteBuffer in) {
    Map<Integer, Total> totals = new TreeMap<>();
    for (int types = in.getInt(); types > 0; types--) {
      totals.put(Short.toUnsignedInt(in.getShort()), new Total(in.getLong(), in.getLong()));
    }
    return new IndexBlock(totals, in, in.getInt());
  }

  Map<Integer, Total> totals() {
    return totals;
  }

  boolean hasNext() {
    return left > 0;
  }

  /** Where the next entry's record begins. */
  long nextOffset() {
    return entries.getLong(entries.position() + Short.BYTES);
  }

  private void skip() {
    left--;
    entries.position(entries.position() + ENTRY_BYTES - Integer.BYTES);
    int keyLength = entries.getInt();
    if (keyLength < 0) {
      throw new IllegalArgumentException("`keyLength` must be >= 0, was " + keyLength);
    }
    entries.position(entries.position() + keyLength);
  }

  JournalEntry next() {
    left--;
    int type = Short.toUnsignedInt(entries.getShort());
    long offset = entries.getLong();
    int length = entries.getInt();
    byte[] key = new byte[entries.getInt()];
    entries.get(key);
    return new JournalEntry(type, offset, length, key);
  }
}
