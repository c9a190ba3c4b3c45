package dev.weir.eval.scorer;

import static dev.weir.eval.component.Parameter.optional;

import dev.weir.eval.component.Component;
import dev.weir.eval.component.Parameter.Kind;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import java.util.List;

/** Right if the output is a target, but for white space around it. */
record Exact(boolean ignoreCase) implements Scorer {

  static final Component<Scorer> COMPONENT =
      new Component<>(
          "exact",
          "Right if the output is a target, ignoring white space around it.",
          List.of(
              optional("ignore_case", Kind.FLAG, "Whether case does not count. Default: true.")),
          arguments -> new Exact(arguments.flag("ignore_case").orElse(true)));

  @Override
  public Score score(SampleState state, SampleContext context) {
    String output = Targets.form(Targets.output(state), ignoreCase);
    for (String target : Targets.of(state)) {
      if (output.equals(Targets.form(target, ignoreCase))) {
        return Score.RIGHT;
      }
    }
    return Score.WRONG;
  }
}
