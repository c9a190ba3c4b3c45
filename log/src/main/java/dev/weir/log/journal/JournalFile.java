package dev.weir.log.journal;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The file under a journal, as far as writing needs it; tests put their faults here. */
interface JournalFile extends Closeable {

  /** Writes some of the bytes at that place; says how many. */
  int write(ByteBuffer from, long at) throws IOException;

  /** Returns when all that was written will survive a loss of power. */
  void force() throws IOException;

  void truncate(long size) throws IOException;

  /**
   * Makes sure that people can find the file. One that was deleted can still be written, without
   * any error, and is gone when it is closed. When it is missed for the second time, it is made
   * anew from what can still be read of it.
   *
   * @param size how long it is
   * @throws IOException if it is not at its place
   */
  void keepInPlace(long size) throws IOException;

  /** Whether people can find the file now. */
  boolean isInPlace();
}
