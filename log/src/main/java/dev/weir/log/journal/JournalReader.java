package dev.weir.log.journal;

import dev.weir.log.journal.RecordScanner.Span;
import dev.weir.log.journal.RecordScanner.Tail;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads a journal, also while it is written; needs no lock, and little memory whatever its size.
 *
 * <p>What is damaged is skipped and noted in {@link Cursor#damage()}; the rest is read. A record
 * that is read is one that was written: nothing else passes the checksums. The end of a journal
 * that is being written may be half a record: that is not damage, it is just not there yet.
 *
 * <p>Thread-safe, its cursors are not. As with every file channel, interrupting a thread that reads
 * closes the file.
 */
public final class JournalReader implements AutoCloseable {

  private final Path file;
  private final FileChannel channel;

  /** Whether nobody can write it, since the reader's owner has the lock. */
  private final boolean isLeft;

  private JournalReader(Path file, FileChannel channel, boolean isLeft) {
    this.file = file;
    this.channel = channel;
    this.isLeft = isLeft;
  }

  /**
   * @throws JournalFormatException if the file is not a journal, or of a newer format
   */
  public static JournalReader open(Path file) throws IOException {
    return open(file, false);
  }

  /**
   * One that nobody writes any more, for whoever has its lock: half a record at its end is damage
   * then.
   *
   * @throws JournalFormatException if the file is not a journal, or of a newer format
   */
  public static JournalReader openLeft(Path file) throws IOException {
    return open(file, true);
  }

  private static JournalReader open(Path file, boolean isLeft) throws IOException {
    FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
    try {
      var reader = new JournalReader(file, channel, isLeft);
      reader.checkHeader();
      return reader;
    } catch (IOException | RuntimeException failed) {
      channel.close();
      throw failed;
    }
  }

  /** Whether this process or another writes that journal now. */
  public static boolean isBeingWritten(Path file) throws IOException {
    return JournalLock.isHeld(file);
  }

  /**
   * The journals that this process writes now, and whatever else it has locked. Waits for nobody.
   */
  public static List<Path> writtenHere() {
    return JournalLock.heldHere();
  }

  public boolean isBeingWritten() throws IOException {
    return !isLeft && isBeingWritten(file);
  }

  /** All records that are whole, in order, except the indexes. */
  public Cursor<JournalRecord> records() throws IOException {
    Extent extent = extent();
    DamageLog damage = headerDamage(extent);
    return new RecordCursor(file, scanner(FileHeader.BYTES, extent, damage), damage);
  }

  /**
   * What the index knows of all records, in order. Bodies are not read: that one is damaged shows
   * only when it is.
   */
  public Cursor<JournalEntry> entries() throws IOException {
    Extent extent = extent();
    return new EntryCursor(file, channel, extent.end, extent.tail, headerDamage(extent));
  }

  /**
   * The record at an offset that an entry gave.
   *
   * @throws JournalFormatException if there is none, or it is damaged
   */
  public JournalRecord read(long offset) throws IOException {
    Head.Read.Whole found = head(offset);
    var damage = new DamageLog();
    var window = new FileWindow(channel, found.head().storedLength());
    byte[] stored = RecordScanner.body(file, window, found.head(), damage);
    if (stored == null) {
      throw new JournalFormatException(damage.report().first().getFirst().toString());
    }
    return new JournalRecord(file, found.head(), found.key(), stored);
  }

  /**
   * The last record of a type, found without going through the others.
   *
   * @throws JournalFormatException if it is damaged
   */
  public Optional<JournalEntry> last(int type) throws IOException {
    IndexBlock.Total total = totals().get(type);
    return total == null
        ? Optional.empty()
        : Optional.of(EntryCursor.entry(head(total.lastOffset())));
  }

  /** How many records of a type were written, found without going through all. */
  public long count(int type) throws IOException {
    IndexBlock.Total total = totals().get(type);
    return total == null ? 0 : total.records();
  }

  /** What the last whole index says, and what came after it. */
  private Map<Integer, IndexBlock.Total> totals() throws IOException {
    Extent extent = extent();
    var unused = new DamageLog();
    var chain = new IndexChain(file, channel, extent.end);
    Map<Integer, IndexBlock.Total> totals = new TreeMap<>();
    long known = FileHeader.BYTES;
    for (Head index = chain.last(); index != null; index = chain.before(index)) {
      IndexBlock block = chain.block(index, unused);
      if (block != null) {
        totals.putAll(block.totals());
        known = index.end();
        break;
      }
    }
    RecordScanner after = scanner(known, extent, unused);
    for (var found = after.next(); found != null; found = after.next()) {
      Head head = found.head();
      if (!head.isIndex()) {
        IndexBlock.Total before = totals.getOrDefault(head.type(), new IndexBlock.Total(0, 0));
        totals.put(head.type(), new IndexBlock.Total(before.records() + 1, head.offset()));
      }
    }
    return totals;
  }

  private Head.Read.Whole head(long offset) throws IOException {
    long end = channel.size();
    if (offset >= FileHeader.BYTES && offset < end) {
      switch (Head.read(new FileWindow(channel, Head.BYTES), offset, end)) {
        case Head.Read.Whole whole when !whole.head().isIndex() && whole.head().end() <= end -> {
          return whole;
        }
        case Head.Read.Broken(int expected, int found) ->
            throw new JournalFormatException(
                new Damage.WrongChecksum(
                        file, Damage.Part.RECORD_HEAD, offset, Head.BYTES, expected, found)
                    .toString());
        case Head.Read.Whole _, Head.Read.Cut _ -> {
          // Said below.
        }
      }
    }
    throw new JournalFormatException(file + ": no record begins at byte " + offset);
  }

  private RecordScanner scanner(long from, Extent extent, DamageLog damage) {
    return new RecordScanner(file, channel, new Span(from, extent.end), extent.tail, damage);
  }

  /** How far the journal goes now. */
  private record Extent(long end, Tail tail) {}

  private Extent extent() throws IOException {
    // In this order: a writer that ends in between has written all of what is then seen.
    Tail tail = isBeingWritten() ? Tail.GROWING : Tail.TORN;
    return new Extent(channel.size(), tail);
  }

  private byte[] header() throws IOException {
    ByteBuffer bytes = new FileWindow(channel, FileHeader.BYTES).read(0, FileHeader.BYTES);
    byte[] header = new byte[bytes.remaining()];
    bytes.get(header);
    return header;
  }

  private void checkHeader() throws IOException {
    byte[] header = header();
    boolean isWhole =
        header.length == FileHeader.BYTES
            && FileHeader.checksum(header) == FileHeader.expectedChecksum(header);
    if (!FileHeader.hasMagic(header) && !hasFirstRecord()) {
      throw new JournalFormatException(file + " is not a journal of Weir");
    }
    if (isWhole && FileHeader.version(header) > FileHeader.VERSION) {
      throw new JournalFormatException(
          ("%s is of format version %d, and this Weir reads up to version %d. Read it with a newer"
                  + " Weir")
              .formatted(file, FileHeader.version(header), FileHeader.VERSION));
    }
    if (isWhole && FileHeader.flags(header) != 0) {
      throw new JournalFormatException(
          "%s has flags that this Weir does not know: %04x. Read it with a newer Weir"
              .formatted(file, FileHeader.flags(header)));
    }
  }

  private boolean hasFirstRecord() throws IOException {
    var window = new FileWindow(channel, Head.BYTES);
    return Head.read(window, FileHeader.BYTES, channel.size()) instanceof Head.Read.Whole;
  }

  /** Begins a report with what is wrong with the header. */
  private DamageLog headerDamage(Extent extent) throws IOException {
    var damage = new DamageLog();
    byte[] header = header();
    if (header.length < FileHeader.BYTES) {
      if (extent.tail == Tail.TORN) {
        damage.add(new Damage.TornTail(file, 0, header.length));
      }
      return damage;
    }
    int expected = FileHeader.expectedChecksum(header);
    int found = FileHeader.checksum(header);
    if (expected != found) {
      damage.add(
          new Damage.WrongChecksum(
              file, Damage.Part.FILE_HEADER, 0, FileHeader.BYTES, expected, found));
    }
    return damage;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  private record RecordCursor(Path file, RecordScanner scanner, DamageLog log)
      implements Cursor<JournalRecord> {

    @Override
    public @Nullable JournalRecord next() throws IOException {
      for (var found = scanner.next(); found != null; found = scanner.next()) {
        byte[] stored = scanner.body(found.head());
        if (stored != null && !found.head().isIndex()) {
          return new JournalRecord(file, found.head(), found.key(), stored);
        }
      }
      return null;
    }

    @Override
    public DamageReport damage() {
      return log.report();
    }
  }
}
