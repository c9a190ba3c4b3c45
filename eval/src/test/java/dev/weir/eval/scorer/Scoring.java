package dev.weir.eval.scorer;

import dev.weir.eval.dataset.Sample;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Scores single outputs. */
final class Scoring {

  /** Most scorers need nothing but the state. */
  static final SampleContext NO_CONTEXT =
      (SampleContext)
          Proxy.newProxyInstance(
              Scoring.class.getClassLoader(),
              new Class<?>[] {SampleContext.class},
              (_, method, _) -> {
                throw new AssertionError(method);
              });

  private Scoring() {}

  static SampleState state(String output, List<String> targets, List<String> choices) {
    var state =
        new SampleState(
            new Sample(
                "1",
                "question",
                List.of(),
                targets,
                choices,
                Map.of("topic", "history"),
                Map.of(),
                Optional.empty()),
            1);
    state.setOutput(output);
    return state;
  }

  static Score score(Scorer scorer, String output, String... targets) throws Exception {
    return scorer.score(state(output, List.of(targets), List.of()), NO_CONTEXT);
  }

  static double value(String scorer, Map<String, ?> arguments, String output, String... targets)
      throws Exception {
    return score(Scorers.of(scorer, arguments), output, targets).value();
  }
}
