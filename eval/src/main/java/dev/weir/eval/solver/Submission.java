package dev.weir.eval.solver;

import dev.weir.eval.template.Template;
import java.util.regex.Pattern;

/**
 * How an agent hands in its answer: by calling a tool.
 *
 * @param name of the tool
 * @param description of the tool, for the model
 * @param attempts how often it may submit; all but the last are judged by the first scorer of the
 *     task, and a right one ends the work
 * @param incorrectMessage what the model is told after a wrong one
 */
public record Submission(String name, String description, int attempts, Template incorrectMessage) {

  /** What all providers take as the name of a tool. */
  static final Pattern NAME = Pattern.compile("[a-zA-Z0-9_-]{1,64}");

  static final String NAME_RULE = "1 to 64 letters, digits, _ or -";

  public static final Submission DEFAULT =
      new Submission(
          "submit",
          "Submits your final answer and ends your work.",
          1,
          incorrect(
              "What you submitted is not right. Find out what is wrong with it, and submit another"
                  + " answer."));

  public Submission {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("`name` must be %s, was '%s'".formatted(NAME_RULE, name));
    }
    if (attempts < 1) {
      throw new IllegalArgumentException("`attempts` must be >= 1, was " + attempts);
    }
  }

  public Submission withName(String tool) {
    return new Submission(tool, description, attempts, incorrectMessage);
  }

  public Submission withDescription(String text) {
    return new Submission(name, text, attempts, incorrectMessage);
  }

  public Submission withAttempts(int most) {
    return new Submission(name, description, most, incorrectMessage);
  }

  /**
   * @param text a template
   */
  public Submission withIncorrectMessage(String text) {
    return new Submission(name, description, attempts, incorrect(text));
  }

  private static Template incorrect(String text) {
    return Prompts.of(text, "the message after a wrong attempt");
  }
}
