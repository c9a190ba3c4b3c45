package dev.weir.eval.scorer;

import dev.weir.eval.component.Component;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import java.util.List;
import java.util.Optional;

/**
 * Right if the answer is, as mathematics, the same as a target.
 *
 * <p>The answer is what stands in the last {@code \boxed{}}; or else behind the last {@code
 * ANSWER:}; or else, of the last line (or of a formula between {@code $$} at the end), what stands
 * in {@code $…$}, or behind the last {@code =} or {@code is}, or all of it.
 */
final class MathScorer implements Scorer {

  static final Component<Scorer> COMPONENT =
      Component.of(
          "math",
          "Right if the answer is, as mathematics, the same as a target: 1/2, 0.5, \\frac{1}{2}.",
          new MathScorer());

  private static final int MOST_BOXES = 10;

  private static final List<List<String>> DISPLAYS =
      List.of(List.of("$$", "$$"), List.of("\\[", "\\]"));

  private static final List<String> BOXES = List.of("\\boxed{", "\\fbox{");

  @Override
  public Score score(SampleState state, SampleContext context) {
    List<String> targets = Targets.of(state);
    String answer = answer(Targets.output(state));
    Formula said = Formula.parse(answer);
    boolean isRight =
        targets.stream()
            .map(target -> Formula.parse(boxed(target).orElse(target)))
            .anyMatch(target -> Formula.areEquivalent(said, target));
    return Score.of(isRight).withAnswer(answer);
  }

  static String answer(String output) {
    return boxed(output)
        .or(() -> AnswerScorer.find(AnswerScorer.What.LINE, output))
        .orElseGet(() -> lastWords(output))
        .strip();
  }

  /** What stands in the last box that is closed: an answer may have been cut off. */
  private static Optional<String> boxed(String text) {
    int before = text.length();
    for (int tried = 0; tried < MOST_BOXES && before > 0; tried++) {
      int open = -1;
      int begin = -1;
      for (String box : BOXES) {
        int found = text.lastIndexOf(box, before - 1);
        if (found > open) {
          open = found;
          begin = found + box.length();
        }
      }
      int end = open < 0 ? -1 : closing(text, begin);
      if (end >= 0) {
        return Optional.of(text.substring(begin, end));
      }
      before = open;
    }
    return Optional.empty();
  }

  private static int closing(String text, int begin) {
    int depth = 1;
    for (int i = begin; i < text.length(); i++) {
      char c = text.charAt(i);
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
      if (depth == 0) {
        return i;
      }
    }
    return -1;
  }

  /** A formula at the end that has lines of its own, between two $$ or in brackets. */
  private static Optional<String> displayed(String output) {
    for (List<String> marks : DISPLAYS) {
      if (output.endsWith(marks.getLast())) {
        int close = output.length() - marks.getLast().length();
        int open = output.lastIndexOf(marks.getFirst(), close - 1);
        if (open >= 0) {
          return Optional.of(output.substring(open + marks.getFirst().length(), close));
        }
      }
    }
    return Optional.empty();
  }

  /** Without the marks of bold print around it, and the full stop behind it. */
  private static String trimmed(String text) {
    int begin = 0;
    int end = text.length();
    while (end > 0 && isAround(text.charAt(end - 1), true)) {
      end--;
    }
    while (begin < end && isAround(text.charAt(begin), false)) {
      begin++;
    }
    return text.substring(begin, end);
  }

  private static boolean isAround(char c, boolean atEnd) {
    return Character.isWhitespace(c) || c == '*' || c == '`' || (atEnd && c == '.');
  }

  private static String lastWords(String output) {
    String line = trimmed(output);
    Optional<String> displayed = displayed(line);
    line = displayed.orElse(line).strip();
    line = line.substring(line.lastIndexOf('\n') + 1).strip();
    int close = line.lastIndexOf('$');
    int open = close <= 0 ? -1 : line.lastIndexOf('$', close - 1);
    if (open >= 0 && close > open + 1) {
      line = line.substring(open + 1, close);
    }
    int is = line.lastIndexOf(" is ");
    int equals = line.lastIndexOf('=');
    return trimmed(is > equals ? line.substring(is + 4) : line.substring(equals + 1));
  }
}
