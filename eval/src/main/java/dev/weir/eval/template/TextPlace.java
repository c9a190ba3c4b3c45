package dev.weir.eval.template;

import java.util.Optional;

/**
 * Where the text of a template stands, for people.
 *
 * @param words the place of the whole: {@code "task.yaml, line 3, column 7: `template`"}
 * @param parts finds the place of a part of it
 */
public record TextPlace(String words, Parts parts) {

  /** Finds where a part of a text stands in the file that it was read from. */
  @FunctionalInterface
  public interface Parts {

    /** Empty if the text is written otherwise there. */
    Optional<String> placeOf(int offset);
  }

  /** Only the place of the whole is known. */
  static TextPlace of(String words) {
    return new TextPlace(words, _ -> Optional.empty());
  }
}
