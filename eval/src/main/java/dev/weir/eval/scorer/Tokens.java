package dev.weir.eval.scorer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Text as words, for scorers that count how many of them two texts share. */
final class Tokens {

  private Tokens() {}

  /**
   * Runs of letters and digits in lower case. Where words are written without spaces between them,
   * as in Chinese, each character is one.
   */
  static List<String> of(String text) {
    List<String> tokens = new ArrayList<>();
    String lower = Targets.normal(text).toLowerCase(Locale.ROOT);
    int begin = -1;
    for (int i = 0; i < lower.length(); ) {
      int c = lower.codePointAt(i);
      int next = i + Character.charCount(c);
      boolean isAlone = Character.isIdeographic(c);
      boolean isPart = !isAlone && (Character.isLetterOrDigit(c) || isMark(c));
      if (!isPart && begin >= 0) {
        tokens.add(lower.substring(begin, i));
        begin = -1;
      }
      if (isAlone) {
        tokens.add(lower.substring(i, next));
      } else if (isPart && begin < 0) {
        begin = i;
      }
      i = next;
    }
    if (begin >= 0) {
      tokens.add(lower.substring(begin));
    }
    return tokens;
  }

  /** Vowel signs of Indian scripts, accents: parts of a word, though no letters. */
  private static boolean isMark(int c) {
    int type = Character.getType(c);
    return type == Character.NON_SPACING_MARK || type == Character.COMBINING_SPACING_MARK;
  }

  /** How often each run of n tokens occurs. */
  static Map<List<String>, Integer> runs(List<String> tokens, int n) {
    Map<List<String>, Integer> counts = new HashMap<>();
    for (int i = 0; i + n <= tokens.size(); i++) {
      counts.merge(tokens.subList(i, i + n), 1, Integer::sum);
    }
    return counts;
  }

  /** How many the two have in common, each as often as in the one that has fewer of it. */
  static int common(Map<List<String>, Integer> left, Map<List<String>, Integer> right) {
    int common = 0;
    for (Map.Entry<List<String>, Integer> entry : left.entrySet()) {
      common += Math.min(entry.getValue(), right.getOrDefault(entry.getKey(), 0));
    }
    return common;
  }

  /** The harmonic mean of precision and recall; 0 if nothing is common. */
  static double f1(int common, int said, int wanted) {
    return common == 0 ? 0 : 2.0 * common / (said + wanted);
  }
}
