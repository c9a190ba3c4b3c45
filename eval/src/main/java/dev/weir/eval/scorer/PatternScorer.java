package dev.weir.eval.scorer;

import static dev.weir.eval.component.Parameter.optional;
import static dev.weir.eval.component.Parameter.required;

import dev.weir.eval.component.Arguments;
import dev.weir.eval.component.Component;
import dev.weir.eval.component.Parameter.Kind;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Finds the answer by a pattern and compares it with the targets.
 *
 * @param group which group is the answer; absent for all of them, or the whole match if there is
 *     none
 * @param matchAll whether all groups must be targets; otherwise one is enough
 */
record PatternScorer(Pattern pattern, Optional<Integer> group, boolean matchAll, boolean ignoreCase)
    implements Scorer {

  static final Component<Scorer> COMPONENT =
      new Component<>(
          "pattern",
          "Right if what a pattern finds in the output is a target.",
          List.of(
              required(
                  "pattern",
                  Kind.TEXT,
                  "A regular expression; its first match counts, and in it the groups."),
              optional(
                  "group",
                  Kind.WHOLE,
                  "Which group is the answer; 0 for the whole match. Default: any of them."),
              optional(
                  "match_all",
                  Kind.FLAG,
                  "Whether every group must be a target. Default: false, one is enough."),
              optional("ignore_case", Kind.FLAG, "Whether case does not count. Default: true.")),
          PatternScorer::make);

  private static final int IGNORE_CASE = Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE;

  private static Scorer make(Arguments arguments) {
    boolean ignoreCase = arguments.flag("ignore_case").orElse(true);
    Pattern pattern = compiled(arguments, "pattern", ignoreCase ? IGNORE_CASE : 0);
    Optional<Integer> group = arguments.whole("group", 0);
    int groups = pattern.matcher("").groupCount();
    if (group.isPresent() && group.get() > groups) {
      throw arguments.wrong(
          "group",
          "must be at most %d, the groups of the pattern, was %d".formatted(groups, group.get()));
    }
    return new PatternScorer(pattern, group, arguments.flag("match_all").orElse(false), ignoreCase);
  }

  /** A pattern that was given. */
  static Pattern compiled(Arguments arguments, String name, int flags) {
    try {
      return Pattern.compile(arguments.text(name).orElse(""), flags);
    } catch (PatternSyntaxException malformed) {
      throw arguments.wrong(
          name,
          "is no regular expression: %s at character %d"
              .formatted(malformed.getDescription(), malformed.getIndex() + 1));
    }
  }

  @Override
  public Score score(SampleState state, SampleContext context) {
    List<String> targets = Targets.of(state);
    var output = new BoundedText(Targets.normal(Targets.output(state)));
    Matcher matcher = pattern.matcher(output);
    if (!output.find(matcher)) {
      return Score.WRONG.withExplanation("the pattern was not found in the output");
    }
    List<String> found = answers(matcher);
    List<String> right = found.stream().filter(answer -> isTarget(answer, targets)).toList();
    boolean isRight = matchAll ? right.size() == found.size() : !right.isEmpty();
    String answer = isRight && !matchAll ? right.getFirst() : String.join(", ", found);
    return Score.of(isRight && !found.isEmpty()).withAnswer(answer);
  }

  private List<String> answers(Matcher matcher) {
    List<String> answers = new ArrayList<>();
    int first = group.orElse(matcher.groupCount() == 0 ? 0 : 1);
    int last = group.orElse(matcher.groupCount());
    for (int i = first; i <= last; i++) {
      String answer = matcher.group(i);
      if (answer != null) {
        answers.add(answer);
      }
    }
    return answers;
  }

  private boolean isTarget(String answer, List<String> targets) {
    String form = Targets.form(answer, ignoreCase);
    return targets.stream().anyMatch(target -> form.equals(Targets.form(target, ignoreCase)));
  }
}
