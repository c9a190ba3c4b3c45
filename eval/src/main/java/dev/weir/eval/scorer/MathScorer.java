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
 * ANSWER:}; or else, of the last line, what stands in {@code $…$}, or behind the last {@code =} or
 * {@code is}, or all of it.
 */
final class MathScorer implements Scorer {

  static final Component<Scorer> COMPONENT =
      Component.of(
          "math",
          "Right if the answer is, as mathematics, the same as a target: 1/2, 0.5, \\frac{1}{2}.",
          new MathScorer());

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

  /** What stands in the last box that is closed. */
  private static Optional<String> boxed(String text) {
    for (String box : BOXES) {
      int open = text.lastIndexOf(box);
      int begin = open + box.length();
      int depth = 1;
      for (int i = begin; open >= 0 && i < text.length(); i++) {
        char c = text.charAt(i);
        depth += c == '{' ? 1 : c == '}' ? -1 : 0;
        if (depth == 0) {
          return Optional.of(text.substring(begin, i));
        }
      }
    }
    return Optional.empty();
  }

  private static String lastWords(String output) {
    String line = output.stripTrailing();
    line = line.substring(line.lastIndexOf('\n') + 1).strip();
    int close = line.lastIndexOf('$');
    int open = close <= 0 ? -1 : line.lastIndexOf('$', close - 1);
    if (open >= 0 && close > open + 1) {
      line = line.substring(open + 1, close);
    }
    int is = line.lastIndexOf(" is ");
    int equals = line.lastIndexOf('=');
    return is > equals ? line.substring(is + 4) : line.substring(equals + 1);
  }
}
