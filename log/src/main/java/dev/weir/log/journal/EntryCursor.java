package dev.weir.log.journal;

import dev.weir.log.journal.RecordScanner.Span;
import dev.weir.log.journal.RecordScanner.Tail;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a journal, in order: from its indexes, and record by record where there is none or
 * it is damaged. One index is in memory at a time.
 */
final class EntryCursor implements Cursor<JournalEntry> {

  private final Path file;
  private final FileChannel channel;
  private final long end;
  private final Tail tail;
  private final DamageLog damage;
  private final IndexChain chain;
  private final Iterator<Head> indexes;

  // What is being read: first the records of a gap, if there is one, then the entries of an index.
  private @Nullable RecordScanner gap;
  private @Nullable IndexBlock block;
  // Up to where entries are known when both are used up.
  private long known = FileHeader.BYTES;

  EntryCursor(Path file, FileChannel channel, long end, Tail tail, DamageLog damage)
      throws IOException {
    this.file = file;
    this.channel = channel;
    this.end = end;
    this.tail = tail;
    this.damage = damage;
    this.chain = new IndexChain(file, channel, end);
    this.indexes = chain.all().iterator();
  }

  @Override
  public @Nullable JournalEntry next() throws IOException {
    do {
      JournalEntry inGap = nextInGap();
      if (inGap != null) {
        return inGap;
      }
      if (block != null && block.hasNext()) {
        return block.next();
      }
    } while (advance());
    return null;
  }

  private @Nullable JournalEntry nextInGap() throws IOException {
    while (gap != null) {
      Head.Read.Whole found = gap.next();
      if (found == null) {
        gap = null;
      } else if (!found.head().isIndex()) {
        return entry(found);
      }
    }
    return null;
  }

  static JournalEntry entry(Head.Read.Whole found) {
    Head head = found.head();
    return new JournalEntry(head.type(), head.offset(), head.length(), found.key());
  }

  /** Goes on to the next index, or to what comes after the last; false at the end. */
  private boolean advance() throws IOException {
    block = null;
    if (indexes.hasNext()) {
      Head index = indexes.next();
      block = chain.block(index, damage);
      long covered = block != null && block.hasNext() ? block.nextOffset() : index.offset();
      scan(covered, Tail.INSIDE);
      known = index.end();
      return true;
    }
    boolean hasMore = known < end;
    scan(end, tail);
    known = end;
    return hasMore;
  }

  private void scan(long until, Tail meaning) {
    if (known < until) {
      gap = new RecordScanner(file, channel, new Span(known, until), meaning, damage);
    }
  }

  @Override
  public DamageReport damage() {
    return damage.report();
  }
}
