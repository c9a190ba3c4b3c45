package dev.weir.eval.select;

import dev.weir.eval.Host;
import dev.weir.eval.dataset.Sample;
import dev.weir.eval.scorer.Scorers;
import dev.weir.eval.solver.Solver;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.model.Request;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** An agent of two steps, with models of which it is known how good, dear and slow they are. */
final class Planted {

  private static final String PLAN = "add them";

  private Planted() {}

  /** Who is planned for badly cannot answer. */
  static final Solver AGENT =
      (state, context) -> {
        String plan =
            context
                .role("planner")
                .generate(Request.of("Plan: " + state.userPrompt()).withTarget(PLAN))
                .message()
                .text();
        Request question = Request.of(state.userPrompt());
        state.answered(
            context
                .model()
                .generate(plan.contains(PLAN) ? question : question.withTarget("unsure")));
      };

  static Sample[] sums(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> new Sample("s" + i, "What is %d + 17?".formatted(i), "=" + (i + 17)))
        .toArray(Sample[]::new);
  }

  static TaskDefinition task(int samples) {
    return TaskDefinition.named("sums")
        .dataset(sums(samples))
        .solver(AGENT)
        .scorer(Scorers.includes())
        .build();
  }

  static String model(String name, double accuracy, double seconds, String... more) {
    String settings = more.length == 0 ? "" : "," + String.join(",", more);
    return String.format(
        Locale.ROOT,
        "%s:accuracy=%s,seconds=%s,rpm=0%s",
        name.contains("/") ? name : "counted/" + name,
        accuracy,
        seconds,
        settings);
  }

  /** Whole dollars for each token that is asked, so that sums of money are exact. */
  static Path prices(Path directory) throws IOException {
    return Files.writeString(
        directory.resolve("prices.json"),
        """
        {"prices": [{"models": ["dear/*"], "input": 9000000, "output": 0,
                     "as_of": "2026-11-16", "source": "this test"},
                    {"models": ["counted/*"], "input": 1000000, "output": 0,
                     "as_of": "2026-11-16", "source": "this test"}]}
        """);
  }

  static Host host() {
    return new Host(Map.of(), Optional.empty(), (_, _) -> {});
  }

  static SelectionFindings run(VirtualTime time, ModelSelection.Builder selection)
      throws Exception {
    return time.run(() -> selection.prepare(time, host()).run(_ -> {}));
  }

  static SelectionFindings run(ModelSelection.Builder selection) throws Exception {
    return run(VirtualTime.seeded(1), selection);
  }
}
