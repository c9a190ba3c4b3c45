package dev.weir.eval.scorer;

import dev.weir.eval.sample.SampleState;
import java.util.List;
import java.util.Locale;

/** What answers are compared with. */
final class Targets {

  private Targets() {}

  /**
   * Any of them will do.
   *
   * @throws NoScoreException if there is none: that an answer is wrong cannot be told then
   */
  static List<String> of(SampleState state) {
    List<String> targets = state.sample().targets();
    if (targets.isEmpty()) {
      throw new NoScoreException(
          "the sample has no target, but its scorer compares the output with one");
    }
    return targets;
  }

  static String output(SampleState state) {
    return state.output().orElse("");
  }

  /** Without white space around it, and without the case of letters if that does not count. */
  static String form(String text, boolean ignoreCase) {
    String stripped = text.strip();
    return ignoreCase ? stripped.toLowerCase(Locale.ROOT) : stripped;
  }
}
