package dev.weir.log.journal;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Gathers what the next index will say. Bounded: an index is due in time. Not thread-safe. */
final class IndexBuilder {

  private static final int MOST_KEY_BYTES = 1 << 20;

  private final int mostRecords;
  private final Map<Integer, IndexBlock.Total> totals = new TreeMap<>();
  private final List<JournalEntry> entries = new ArrayList<>();
  private int keyBytes;

  IndexBuilder(int mostRecords) {
    this.mostRecords = mostRecords;
  }

  void add(JournalEntry entry) {
    entries.add(entry);
    keyBytes += entry.key().length;
    totals.merge(
        entry.type(),
        new IndexBlock.Total(1, entry.offset()),
        (before, one) -> new IndexBlock.Total(before.records() + 1, one.lastOffset()));
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }

  boolean isDue() {
    return entries.size() >= mostRecords || keyBytes >= MOST_KEY_BYTES;
  }

  /** The body of an index of what was added since the last call. */
  byte[] take() {
    ByteBuffer out =
        ByteBuffer.allocate(
            2 * Integer.BYTES
                + totals.size() * IndexBlock.TYPE_BYTES
                + entries.size() * IndexBlock.ENTRY_BYTES
                + keyBytes);
    out.putInt(totals.size());
    totals.forEach(
        (type, total) ->
            out.putShort(type.shortValue()).putLong(total.records()).putLong(total.lastOffset()));
    out.putInt(entries.size());
    for (JournalEntry entry : entries) {
      out.putShort((short) entry.type())
          .putLong(entry.offset())
          .putInt(entry.length())
          .putInt(entry.key().length)
          .put(entry.key());
    }
    entries.clear();
    keyBytes = 0;
    return out.array();
  }
}
