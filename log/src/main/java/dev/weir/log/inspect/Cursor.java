package dev.weir.log.inspect;

import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Goes over many things, of which one at a time is held. That nothing was damaged is certain once
 * there is no next one. Not thread-safe.
 */
public interface Cursor<T> extends Closeable {

  /** The next, null after the last. */
  @Nullable T next() throws IOException;
}
