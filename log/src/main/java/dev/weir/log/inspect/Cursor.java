package dev.weir.log.inspect;

import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Goes over many things, of which one at a time is held. Not thread-safe. */
public interface Cursor<T> extends Closeable {

  /** The next, null after the last. */
  @Nullable T next() throws IOException;
}
