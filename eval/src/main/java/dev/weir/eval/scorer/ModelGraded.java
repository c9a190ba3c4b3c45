package dev.weir.eval.scorer;

import static dev.weir.eval.component.Parameter.optional;

import dev.weir.eval.component.Arguments;
import dev.weir.eval.component.Component;
import dev.weir.eval.component.Parameter.Kind;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import dev.weir.model.Printable;
import dev.weir.model.Request;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Lets models judge an answer. Each says C, right; P, half right, where that may be said; or I,
 * wrong. Of several graders the majority decides; if two grades have as many, the lower one holds.
 * A grader that gives no grade is an error of the sample: nobody knows what it would have said.
 *
 * @param roles of the models that grade
 */
record ModelGraded(GraderPrompt prompt, Pattern gradePattern, List<String> roles)
    implements Scorer {

  static final Component<Scorer> QA =
      component(
          "model_graded_qa",
          "A model judges whether the answer to the question is right.",
          GraderPrompt.QUESTION);

  static final Component<Scorer> FACT =
      component(
          "model_graded_fact",
          "A model judges whether the answer states the fact that the target states.",
          GraderPrompt.FACT);

  private static final String GRADER = "grader";
  private static final String SEPARATOR = "\n\n";
  private static final int MOST_SHOWN = 200;

  /** What graders say, the worst first. */
  enum Grade {
    I(0),
    P(0.5),
    C(1);

    private final double value;

    Grade(double value) {
      this.value = value;
    }

    static Optional<Grade> of(String letter) {
      return switch (letter) {
        case "C", "c" -> Optional.of(C);
        case "P", "p" -> Optional.of(P);
        case "I", "i" -> Optional.of(I);
        default -> Optional.empty();
      };
    }
  }

  private static Component<Scorer> component(String name, String description, String template) {
    return new Component<>(
        name,
        description,
        List.of(
            optional(
                "template",
                Kind.TEXT,
                "What the grader is asked, with {{ question }}, {{ answer }}, {{ target }}, {{"
                    + " instructions }} and {{ metadata.KEY }}. Default: a question in English."),
            optional(
                "instructions",
                Kind.TEXT,
                "How to grade; put into the template. Default: to end with a line GRADE: C or"
                    + " GRADE: I."),
            optional(
                "grade_pattern",
                Kind.TEXT,
                "A regular expression whose last match has the grade C, P or I as its first group."
                    + " Default: GRADE: and the letter, at the end of a line with no other."),
            optional(
                "include_history",
                Kind.FLAG,
                "Whether the grader sees the whole conversation as the question. Default: false."),
            optional(
                "partial_credit",
                Kind.FLAG,
                "Whether the grader may say GRADE: P, which counts 0.5. Default: false."),
            optional(
                "roles",
                Kind.TEXTS,
                "The roles of the models that grade; of several, the majority decides, and the"
                    + " lower grade of a tie. Default: grader.")),
        arguments -> make(arguments, template));
  }

  /**
   * A grade that is stated: the only one of its line, with nothing behind it but a remark in
   * brackets. Who repeats what may be said, as in "GRADE: C if it does", states nothing.
   */
  private static Pattern stated(String letters) {
    // Models like to write **GRADE:** in bold.
    String mark = "(?i:GRADE)[*_]*+\\s*+:";
    // And what it stands for in brackets, as a formula or in small letters.
    String around = "(?:[\\s*_\\[({$`\"']|\\\\(?:boxed|text)\\{)*+";
    return Pattern.compile(
        "(?m)^(?:(?!%s).)*+%s%s((?i:[%s]))(?:[^\\p{L}\\p{N}(\\n]|\\([^()\\n]*+\\))*+$"
            .formatted(mark, mark, around, letters));
  }

  private static Scorer make(Arguments arguments, String usualTemplate) {
    boolean partialCredit = arguments.flag("partial_credit").orElse(false);
    Pattern pattern =
        arguments.has("grade_pattern")
            ? PatternScorer.compiled(arguments, "grade_pattern", 0)
            : stated(partialCredit ? "CPI" : "CI");
    if (pattern.matcher("").groupCount() < 1) {
      throw arguments.wrong(
          "grade_pattern", "must have a group around the grade, for example GRADE: ([CPI])");
    }
    List<String> roles = arguments.has("roles") ? arguments.texts("roles") : List.of(GRADER);
    if (roles.isEmpty() || new HashSet<>(roles).size() < roles.size()) {
      throw arguments.wrong("roles", "must name at least one role, and each only once");
    }
    return new ModelGraded(
        GraderPrompt.of(arguments, usualTemplate, partialCredit), pattern, List.copyOf(roles));
  }

  @Override
  public Score score(SampleState state, SampleContext context) throws InterruptedException {
    String question = prompt.question(state);
    // A simulated grader is right as often as it was told to, and gives the other grade otherwise.
    boolean isRight = hasTarget(state);
    String right = said(isRight ? Grade.C : Grade.I);
    String wrong = said(isRight ? Grade.I : Grade.C);
    Map<String, Object> grades = new LinkedHashMap<>();
    Map<Grade, Integer> votes = new LinkedHashMap<>();
    var verdicts = new StringBuilder();
    for (String role : roles) {
      String verdict =
          context
              .role(role)
              .generate(Request.of(question).withTarget(right, wrong))
              .message()
              .text();
      Grade grade = grade(role, verdict, question);
      grades.put(role, grade.name());
      votes.merge(grade, 1, Integer::sum);
      verdicts.append(verdicts.isEmpty() ? "" : SEPARATOR);
      verdicts.append(roles.size() == 1 ? "" : role + ": ").append(verdict);
    }
    Score score = Score.of(majority(votes).value).withExplanation(verdicts.toString());
    return roles.size() == 1 ? score : score.withMetadata(Map.of("grades", grades));
  }

  private static boolean hasTarget(SampleState state) {
    String output = Targets.form(Targets.output(state), true);
    return state.sample().targets().stream()
        .anyMatch(target -> output.contains(Targets.form(target, true)));
  }

  /** A verdict that states the grade, in a form that the pattern finds. */
  private String said(Grade grade) {
    String usual = "GRADE: " + grade;
    return Stream.of(usual, grade.name(), "[[%s]]".formatted(grade))
        .filter(verdict -> last(verdict).filter(grade::equals).isPresent())
        .findFirst()
        .orElse(usual);
  }

  private Optional<Grade> last(String verdict) {
    var text = new BoundedText(verdict);
    Matcher matcher = gradePattern.matcher(text);
    Optional<Grade> last = Optional.empty();
    while (text.find(matcher)) {
      last = Grade.of(String.valueOf(matcher.group(1)).strip());
    }
    return last;
  }

  private Grade grade(String role, String verdict, String question) {
    // What a grader repeats of the question is no verdict.
    Optional<Grade> last = last(verdict.replace(question, ""));
    return last.orElseThrow(
        () ->
            new NoScoreException(
                "the %s gave no grade, but said: %s"
                    .formatted(role, shortened(Printable.line(verdict)))));
  }

  private static Grade majority(Map<Grade, Integer> votes) {
    Grade most = Grade.I;
    int count = 0;
    // From the worst on: a better one needs more votes.
    for (Grade grade : Grade.values()) {
      if (votes.getOrDefault(grade, 0) > count) {
        most = grade;
        count = votes.getOrDefault(grade, 0);
      }
    }
    return most;
  }

  private static String shortened(String text) {
    return text.length() <= MOST_SHOWN ? text : text.substring(0, MOST_SHOWN) + "…";
  }
}
