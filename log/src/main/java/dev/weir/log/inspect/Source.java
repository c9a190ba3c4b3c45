package dev.weir.log.inspect;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The bytes of a file, read at any place. */
interface Source extends Closeable {

  long size() throws IOException;

  /** Reads some bytes from a place on; -1 at the end. */
  int read(ByteBuffer into, long at) throws IOException;

  /**
   * Exactly so many bytes, in the byte order of zip files.
   *
   * @throws EOFException if there are fewer
   */
  default ByteBuffer read(long at, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    while (bytes.hasRemaining()) {
      if (read(bytes, at + bytes.position()) < 0) {
        throw new EOFException("the file ends at offset " + (at + bytes.position()));
      }
    }
    return bytes.flip();
  }

  static Source of(Path file) throws IOException {
    FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
    return new Source() {
      @Override
      public long size() throws IOException {
        return channel.size();
      }

      @Override
      public int read(ByteBuffer into, long at) throws IOException {
        return channel.read(into, at);
      }

      @Override
      public void close() throws IOException {
        channel.close();
      }
    };
  }
}
