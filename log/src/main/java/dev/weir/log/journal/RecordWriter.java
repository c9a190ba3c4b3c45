package dev.weir.log.journal;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Gives records their places, adds indexes, and brings the bytes to disk.
 *
 * <p>Bytes are made once and may be written several times: after any failure the file is cut back
 * to what is durable, and everything after it is written anew. That holds for a failed force as
 * well, since the system may have dropped what it could not write and would not say so twice.
 *
 * <p>Belongs to the writing task.
 */
final class RecordWriter implements Closeable {

  private static final int BUFFER = 256 << 10;

  private final JournalFile file;
  private final Body.Compressor compressor;
  // Through a buffer of our own: the JDK would keep one as large as the largest write.
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
  private final IndexBuilder index;
  private long previousIndex;
  private long placed;
  private long durable;
  private boolean isDirty;

  RecordWriter(JournalFile file, Body.Compressor compressor, int indexEvery) {
    this.file = file;
    this.index = new IndexBuilder(indexEvery);
    this.compressor = compressor;
  }

  /** Where the durable bytes end. */
  long durableBytes() {
    return durable;
  }

  /** Whether people can find the durable bytes. */
  boolean isInPlace() {
    return file.isInPlace();
  }

  List<byte[]> header() {
    byte[] header = FileHeader.bytes();
    placed = header.length;
    return List.of(header);
  }

  /**
   * The bytes that follow what was encoded before.
   *
   * @param isLast whether to end with an index
   */
  List<byte[]> encode(List<Batch.Pending> records, boolean isLast) {
    List<byte[]> pieces = new ArrayList<>();
    for (Batch.Pending record : records) {
      record.offset = place(record.type, record.key, record.body, pieces);
      index.add(new JournalEntry(record.type, record.offset, record.length(), record.key));
      if (index.isDue()) {
        placeIndex(pieces);
      }
    }
    if (isLast && !index.isEmpty()) {
      placeIndex(pieces);
    }
    return pieces;
  }

  private void placeIndex(List<byte[]> pieces) {
    previousIndex = place(Head.INDEX_TYPE, new byte[0], compressor.compress(index.take()), pieces);
  }

  private long place(int type, byte[] key, Body body, List<byte[]> pieces) {
    var head =
        new Head(
            placed,
            type,
            body.isDeflated(),
            key.length,
            body.stored().length,
            body.rawLength(),
            previousIndex,
            body.checksum());
    pieces.add(head.bytes(key));
    pieces.add(key);
    pieces.add(body.stored());
    placed = head.end();
    return head.offset();
  }

  /** Brings what {@link #encode} gave to disk; may be called again after it failed. */
  void commit(List<byte[]> pieces) throws IOException {
    if (isDirty) {
      file.truncate(durable);
    }
    isDirty = true;
    long end = write(pieces);
    file.force();
    file.keepInPlace(end);
    durable = end;
    isDirty = false;
  }

  private long write(List<byte[]> pieces) throws IOException {
    long at = durable;
    buffer.clear();
    for (byte[] piece : pieces) {
      for (int from = 0; from < piece.length; ) {
        int count = Math.min(buffer.remaining(), piece.length - from);
        buffer.put(piece, from, count);
        from += count;
        if (!buffer.hasRemaining()) {
          at = flush(at);
        }
      }
    }
    return flush(at);
  }

  private long flush(long from) throws IOException {
    long at = from;
    buffer.flip();
    while (buffer.hasRemaining()) {
      at += file.write(buffer, at);
    }
    buffer.clear();
    return at;
  }

  /** Closes the file, with nothing in it but what is durable. */
  @Override
  public void close() throws IOException {
    try {
      if (isDirty) {
        file.truncate(durable);
      }
    } finally {
      file.close();
    }
  }
}
