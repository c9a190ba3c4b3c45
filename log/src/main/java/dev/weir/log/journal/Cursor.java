package dev.weir.log.journal;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** One pass over a journal, as long as it was when the pass began. Not thread-safe. */
public interface Cursor<T> {

  /** The next one; null at the end. */
  @Nullable T next() throws IOException;

  /** What was wrong with what this pass has read so far. */
  DamageReport damage();
}
