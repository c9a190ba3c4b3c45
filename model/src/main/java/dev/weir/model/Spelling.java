package dev.weir.model;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Finds what a mistyped word was meant to be. */
public final class Spelling {

  /** More than these nobody reads. */
  private static final int MOST = 30;

  private Spelling() {}

  /** The known word that is nearest to {@code word}, if one is near enough to be a typo of it. */
  public static Optional<String> nearest(String word, Collection<String> known) {
    int tolerated = Math.max(2, word.length() / 3);
    return new TreeSet<>(known)
        .stream()
            .filter(
                candidate ->
                    distance(word, candidate) <= Math.min(tolerated, candidate.length() - 1))
            .min(Comparator.comparingInt(candidate -> distance(word, candidate)));
  }

  /**
   * The end of an error message about an unknown word: the likely intention, or all that is known.
   */
  public static String hint(String word, Collection<String> known) {
    return nearest(word, known)
        .map("; did you mean '%s'?"::formatted)
        .orElseGet(
            () ->
                known.isEmpty()
                    ? "; none is known"
                    : "; known are: " + String.join(", ", new TreeSet<>(known)));
  }

  /**
   * The end of an error message about an unknown word: the likely intention, and what there is.
   *
   * @param there how the list of what there is begins: {@code "There are"}
   */
  public static String withAll(String there, String word, Collection<String> known) {
    if (known.isEmpty()) {
      return "; none is known";
    }
    String all = known.stream().limit(MOST).map(Printable::line).collect(Collectors.joining(", "));
    return nearest(word, known).map("; did you mean '%s'?"::formatted).orElse(".")
        + " %s: %s%s".formatted(there, all, known.size() > MOST ? ", …" : "");
  }

  /** Edit distance in which swapping two neighbours counts as one, ignoring case. */
  private static int distance(String left, String right) {
    String a = left.toLowerCase(Locale.ROOT);
    String b = right.toLowerCase(Locale.ROOT);
    int[][] edits = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          edits[i][j] = i + j;
          continue;
        }
        int replaced = edits[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        edits[i][j] = Math.min(replaced, 1 + Math.min(edits[i - 1][j], edits[i][j - 1]));
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          edits[i][j] = Math.min(edits[i][j], edits[i - 2][j - 2] + 1);
        }
      }
    }
    return edits[a.length()][b.length()];
  }
}
