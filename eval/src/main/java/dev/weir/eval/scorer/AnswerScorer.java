package dev.weir.eval.scorer;

import static dev.weir.eval.component.Parameter.optional;

import dev.weir.eval.component.Component;
import dev.weir.eval.component.Parameter.Kind;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads what follows the last {@code ANSWER:} of an output. */
record AnswerScorer(What what) implements Scorer {

  /** How much of what stands there is the answer. */
  enum What {
    // A or B is not one letter.
    LETTER("\\(?([A-Za-z])(?![A-Za-z0-9])(?!\\)?\\s*+(?:[,/&]|or\\b|and\\b)\\s*+\\(?[A-Za-z]\\b)"),
    // With a sign, and with what parts of a number or a word are joined by: -1,000.5, don't.
    WORD("([-+\u2212]?\\w++(?:(?:[.,](?=\\d)|['\u2019-](?=\\w))\\w++)*+)"),
    LINE("([^\\r\\n]++)");

    private final Pattern pattern;

    What(String answer) {
      // Models like to write **ANSWER:** in bold.
      this.pattern =
          Pattern.compile(
              "ANSWER[*_]*+\\s*+[:\uFF1A][\\s*_]*+" + answer,
              Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CHARACTER_CLASS);
    }
  }

  static final Component<Scorer> COMPONENT =
      new Component<>(
          "answer",
          "Correct if what follows the last 'ANSWER:' of the output is a target.",
          List.of(
              optional(
                  "kind",
                  Kind.TEXT,
                  "How much of it is the answer: letter, word or line. Default: line.")),
          arguments -> new AnswerScorer(Words.read(arguments, "kind", What.class, What.LINE)));

  @Override
  public Score score(SampleState state, SampleContext context) {
    List<String> targets = Targets.of(state);
    Optional<String> answer = find(what, Targets.output(state));
    if (answer.isEmpty()) {
      return Score.WRONG.withExplanation("the output has no 'ANSWER:' with a " + Words.word(what));
    }
    String form = Targets.form(answer.get(), true);
    boolean isRight =
        targets.stream()
            .map(target -> Targets.form(target, true))
            .anyMatch(target -> form.equals(target) || form.equals(target + "."));
    return Score.of(isRight).withAnswer(answer.get());
  }

  /** The last answer of that kind. */
  static Optional<String> find(What what, String output) {
    Matcher matcher = what.pattern.matcher(output);
    Optional<String> last = Optional.empty();
    while (matcher.find()) {
      last = Optional.ofNullable(matcher.group(1)).map(AnswerScorer::withoutMarks);
    }
    return last;
  }

  private static String withoutMarks(String answer) {
    int end = answer.length();
    while (end > 0
        && (Character.isWhitespace(answer.charAt(end - 1)) || answer.charAt(end - 1) == '*')) {
      end--;
    }
    return answer.substring(0, end);
  }
}
