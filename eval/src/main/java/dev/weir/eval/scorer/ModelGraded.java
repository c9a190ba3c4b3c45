package dev.weir.eval.scorer;

import dev.weir.eval.dataset.Sample;
import dev.weir.eval.solver.Conversation;
import dev.weir.model.Printable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lets the model of the role {@code grader} judge whether an answer says what the target says. */
final class ModelGraded implements Scorer {

  static final String ROLE = "grader";

  private static final String RIGHT = "GRADE: C";
  private static final String WRONG = "GRADE: I";

  private static final Pattern GRADE = Pattern.compile("GRADE:\\s*([CI])\\b");

  @Override
  public double score(String output, String target) {
    throw new IllegalStateException("model_graded_qa needs a model to judge");
  }

  @Override
  public double score(Conversation conversation, Roles roles) throws InterruptedException {
    Sample sample = conversation.sample();
    String output = conversation.output().orElse("");
    // A simulated grader is right as often as it was told to.
    String simulated = Scorers.includes(output, sample.target()) == 1 ? RIGHT : WRONG;
    var question = new Sample(sample.id(), question(sample, output), simulated);
    String verdict = roles.role(ROLE).generate(Conversation.begin(question)).text();
    Matcher grades = GRADE.matcher(verdict);
    String last = "";
    while (grades.find()) {
      last = grades.group(1);
    }
    return switch (last) {
      case "C" -> 1;
      case "I" -> 0;
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
