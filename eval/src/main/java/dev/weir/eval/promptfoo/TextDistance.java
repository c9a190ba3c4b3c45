package dev.weir.eval.promptfoo;

import dev.weir.eval.scorer.NoScoreException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** How near two texts are. */
final class TextDistance {

  private static final Pattern SPACE = Pattern.compile("\\s+");

  /** Two texts of twenty thousand characters. */
  private static final long MOST_STEPS = 400_000_000;

  /** As BLEU is usually computed. */
  private static final int LONGEST_GRAM = 4;

  private TextDistance() {}

  /** How many characters must be changed, added or removed; to the nearest of the references. */
  static double levenshtein(String answer, List<String> references) {
    return references.stream()
        .mapToDouble(reference -> edits(answer, reference))
        .min()
        .orElse(answer.length());
  }

  private static int edits(String a, String b) {
    if ((long) a.length() * b.length() > MOST_STEPS) {
      throw new NoScoreException("the output is too long to count its differences from the value");
    }
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[b.length()];
  }

  /** The F score of the words that both have, clipped; of the best reference. */
  static double rouge1(String answer, List<String> references) {
    List<String> words = words(answer);
    return references.stream().mapToDouble(one -> rouge1(words, words(one))).max().orElse(0);
  }

  private static double rouge1(List<String> answer, List<String> reference) {
    double common = overlap(grams(answer, 1), grams(reference, 1));
    if (common == 0) {
      return 0;
    }
    double precision = common / answer.size();
    double recall = common / reference.size();
    return 2 * precision * recall / (precision + recall);
  }

  /** BLEU-4: precision of runs of one to four words, clipped, with a penalty for brevity. */
  static double bleu(String answer, List<String> references) {
    List<String> words = words(answer);
    List<List<String>> others = references.stream().map(TextDistance::words).toList();
    if (words.isEmpty() || others.isEmpty()) {
      return 0;
    }
    double logs = 0;
    for (int n = 1; n <= LONGEST_GRAM; n++) {
      Map<List<String>, Integer> grams = grams(words, n);
      Map<List<String>, Integer> most = new HashMap<>();
      for (List<String> other : others) {
        grams(other, n).forEach((gram, count) -> most.merge(gram, count, Math::max));
      }
      double total = Math.max(0, words.size() - n + 1);
      double common = overlap(grams, most);
      if (common == 0 || total == 0) {
        return 0;
      }
      logs += Math.log(common / total) / LONGEST_GRAM;
    }
    int length = words.size();
    int nearest =
        others.stream()
            .mapToInt(List::size)
            .reduce((a, b) -> Math.abs(a - length) <= Math.abs(b - length) ? a : b)
            .orElse(length);
    double brevity = length >= nearest ? 1 : Math.exp(1 - (double) nearest / length);
    return brevity * Math.exp(logs);
  }

  private static double overlap(Map<List<String>, Integer> a, Map<List<String>, Integer> b) {
    return a.entrySet().stream()
        .mapToInt(gram -> Math.min(gram.getValue(), b.getOrDefault(gram.getKey(), 0)))
        .sum();
  }

  private static Map<List<String>, Integer> grams(List<String> words, int n) {
    Map<List<String>, Integer> grams = new HashMap<>();
    for (int i = 0; i + n <= words.size(); i++) {
      grams.merge(words.subList(i, i + n), 1, Integer::sum);
    }
    return grams;
  }

  private static List<String> words(String text) {
    List<String> words = new ArrayList<>();
    SPACE
        .splitAsStream(text.toLowerCase(Locale.ROOT).strip())
        .filter(word -> !word.isEmpty())
        .forEach(words::add);
    return words;
  }
}
