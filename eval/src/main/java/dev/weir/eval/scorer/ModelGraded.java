package dev.weir.eval.scorer;

import dev.weir.eval.dataset.Sample;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import dev.weir.model.Printable;
import dev.weir.model.Request;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lets the model of the role {@code grader} judge whether an answer says what the target says. */
final class ModelGraded implements Scorer {

  static final String ROLE = "grader";

  private static final String RIGHT = "GRADE: C";
  private static final String WRONG = "GRADE: I";

  private static final Pattern GRADE = Pattern.compile("GRADE:\\s*([CI])\\b");

  @Override
  public Score score(SampleState state, SampleContext context) throws InterruptedException {
    Sample sample = state.sample();
    String output = state.output().orElse("");
    // A simulated grader is right as often as it was told to.
    String right = Scorers.fold(output).contains(Scorers.fold(sample.target())) ? RIGHT : WRONG;
    String verdict =
        context
            .role(ROLE)
            .generate(Request.of(question(sample, output)).withTarget(right))
            .message()
            .text();
    Matcher grades = GRADE.matcher(verdict);
    String last = "";
    while (grades.find()) {
      last = grades.group(1);
    }
    return switch (last) {
      case "C" -> Score.RIGHT.withExplanation(verdict);
      case "I" -> Score.WRONG.withExplanation(verdict);
      default ->
          throw new NoScoreException(
              "the grader gave no grade, but said: " + shortened(Printable.line(verdict)));
    };
  }

  private static String question(Sample sample, String output) {
    return """
    Judge an answer to a question.

    [Question]
    %s

    [What a right answer says]
    %s

    [Answer]
    %s

    Does the answer say what a right answer says? Other words, and more than was asked for, do \
    no harm. Give your reasons in a few sentences. Then end with a line of its own: %s if it \
    does, %s if it does not.
    """
        .formatted(sample.input(), sample.target(), output, RIGHT, WRONG);
  }

  private static String shortened(String text) {
    return text.length() <= 200 ? text : text.substring(0, 200) + "…";
  }
}
