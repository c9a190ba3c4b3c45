package dev.weir.eval.tool;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Optional;

/**
 * What files were before they were edited, for one sample; the oldest edits are forgotten first.
 * Thread-safe.
 */
final class EditHistory implements AutoCloseable {

  private static final int MOST_EDITS = 1_000;
  private static final long MOST_CHARACTERS = 16 << 20;

  /**
   * @param before empty if there was no such file
   */
  record Edit(String path, Optional<String> before) {

    private int size() {
      return before.map(String::length).orElse(0);
    }
  }

  // Guarded by this; the newest is the last.
  private final Deque<Edit> edits = new ArrayDeque<>();
  private long characters;

  synchronized void add(Edit edit) {
    edits.addLast(edit);
    characters += edit.size();
    while (edits.size() > MOST_EDITS || (characters > MOST_CHARACTERS && edits.size() > 1)) {
      characters -= edits.removeFirst().size();
    }
  }

  /** The last edit of a file. */
  synchronized Optional<Edit> last(String path) {
    for (Iterator<Edit> newestFirst = edits.descendingIterator(); newestFirst.hasNext(); ) {
      Edit edit = newestFirst.next();
      if (edit.path.equals(path)) {
        return Optional.of(edit);
      }
    }
    return Optional.empty();
  }

  /** For an edit that was taken back. */
  synchronized void forget(Edit edit) {
    if (edits.removeLastOccurrence(edit)) {
      characters -= edit.size();
    }
  }

  @Override
  public synchronized void close() {
    edits.clear();
    characters = 0;
  }
}
