package dev.weir.log.journal;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The indexes of a journal, found from its end: any record there knows the last index before it,
 * and each index the one before. A broken head ends the chain early; the part before it is then
 * read record by record. Not thread-safe.
 */
final class IndexChain {

  /** How far from the end the last whole head is looked for; a larger last record costs a scan. */
  private static final long REACH = 16 << 20;

  private final Path file;
  private final FileChannel channel;
  private final long end;
  private final FileWindow heads;

  IndexChain(Path file, FileChannel channel, long end) {
    this.file = file;
    this.channel = channel;
    this.end = end;
    this.heads = new FileWindow(channel, Head.BYTES);
  }

  @Nullable Head last() throws IOException {
    return switch (Markers.last(channel, end, REACH)) {
      case Head.Read.Whole(Head head, _) when head.isIndex() && head.end() <= end -> head;
      case Head.Read.Whole(Head head, _) -> before(head);
      case Head.Read.Broken _, Head.Read.Cut _ -> null;
    };
  }

  /** The index before that record. */
  @Nullable Head before(Head record) throws IOException {
    long offset = record.previousIndex();
    return offset >= FileHeader.BYTES
            && Head.read(heads, offset, end) instanceof Head.Read.Whole(Head head, _)
            && head.isIndex()
            && head.end() <= end
        ? head
        : null;
  }

  /** All, the first in the file first. One is for 1,000 records, or for very large keys. */
  List<Head> all() throws IOException {
    List<Head> backwards = new ArrayList<>();
    for (Head index = last(); index != null; index = before(index)) {
      backwards.add(index);
    }
    return backwards.reversed();
  }

  /** What the index says; null, and noted, if it is damaged. */
  @Nullable IndexBlock block(Head index, DamageLog damage) throws IOException {
    var window = new FileWindow(channel, index.storedLength());
    byte[] stored = RecordScanner.body(file, window, index, damage);
    if (stored == null) {
      return null;
    }
    byte[] raw = index.isDeflated() ? Body.inflate(stored, index.rawLength()) : stored;
    return raw == null ? null : IndexBlock.parse(raw);
  }
}
