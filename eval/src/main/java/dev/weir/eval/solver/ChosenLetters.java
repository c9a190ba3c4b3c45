package dev.weir.eval.solver;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Finds the letters that an answer chooses: after the last {@code ANSWER:}, or if there is none, in
 * an answer that is nothing but letters.
 *
 * <pre>
 *   ANSWER: B    **Answer:** (B)    ANSWER: B) Paris    B.       one
 *   ANSWER: \boxed{B}                                           one
 *   ANSWER: A, C    ANSWER: A and C    ANSWER: AC                several
 * </pre>
 */
final class ChosenLetters {

  private static final Pattern ANSWER =
      Pattern.compile("ANSWER\\W{0,4}?:", Pattern.CASE_INSENSITIVE);

  private static final Pattern BEFORE_WORD = Pattern.compile("^[^\\p{L}\\p{N}]+");

  private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{N}]+");

  /** {@code \boxed{B}}, {@code \text{B}}: the word of the command is none of the answer. */
  private static final Pattern COMMAND = Pattern.compile("\\\\[a-z]{1,10}\\s?\\{");

  private ChosenLetters() {}

  /**
   * @param choices how many there are to choose from
   * @return places from 0, in order; empty if nothing was chosen, or more than may be
   */
  static List<Integer> in(String output, int choices, boolean several) {
    String said = COMMAND.matcher(output).replaceAll("{").strip();
    Optional<String> answer = last(said);
    List<Integer> found = new ArrayList<>(places(answer.orElse(said), choices, answer.isEmpty()));
    return several || found.size() == 1 ? found : List.of();
  }

  /** The line of what was said after the last one. */
  private static Optional<String> last(String output) {
    return ANSWER
        .matcher(output)
        .results()
        .reduce((_, later) -> later)
        .map(marker -> BEFORE_WORD.matcher(output.substring(marker.end())).replaceFirst(""))
        .map(rest -> rest.lines().findFirst().orElse(""));
  }

  /**
   * @param alone whether nothing but letters may be said
   */
  private static Set<Integer> places(String answer, int choices, boolean alone) {
    List<String> words = WORD.matcher(answer).results().map(found -> found.group()).toList();
    Set<Integer> places = new TreeSet<>();
    for (String word : words) {
      if (!places.isEmpty() && isJoin(word)) {
        continue;
      }
      // A small "a" is a word of its own in most sentences.
      String letters = words.size() == 1 ? word.toUpperCase(Locale.ROOT) : word;
      if (!areLetters(letters, choices)) {
        return alone ? Set.of() : places;
      }
      letters.chars().forEach(letter -> places.add(letter - 'A'));
    }
    return places;
  }

  private static boolean isJoin(String word) {
    return word.equalsIgnoreCase("and") || word.equalsIgnoreCase("or");
  }

  private static boolean areLetters(String word, int choices) {
    return word.chars().allMatch(c -> c >= 'A' && c < 'A' + choices)
        && word.chars().distinct().count() == word.length();
  }
}
