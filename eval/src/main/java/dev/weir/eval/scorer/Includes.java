package dev.weir.eval.scorer;

import static dev.weir.eval.component.Parameter.optional;

import dev.weir.eval.component.Component;
import dev.weir.eval.component.Parameter.Kind;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import java.util.List;

/** Right if a target is anywhere in the output. */
record Includes(boolean ignoreCase) implements Scorer {

  static final Component<Scorer> COMPONENT =
      new Component<>(
          "includes",
          "Right if a target is anywhere in the output.",
          List.of(
              optional("ignore_case", Kind.FLAG, "Whether case does not count. Default: true.")),
          arguments -> new Includes(arguments.flag("ignore_case").orElse(true)));

  @Override
  public Score score(SampleState state, SampleContext context) {
    String output = Targets.form(Targets.output(state), ignoreCase);
    for (String target : Targets.of(state)) {
      if (isIn(output, Targets.form(target, ignoreCase))) {
        return Score.RIGHT;
      }
    }
    return Score.WRONG;
  }

  /** Nothing is in everything, but an empty target asks for an empty output. */
  private static boolean isIn(String output, String target) {
    return target.isEmpty() ? output.isEmpty() : output.contains(target);
  }
}
