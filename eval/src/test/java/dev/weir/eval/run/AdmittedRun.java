package dev.weir.eval.run;

import dev.weir.eval.dataset.Dataset;
import dev.weir.eval.dataset.Sample;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Secrets;
import dev.weir.eval.option.Settings;
import dev.weir.eval.sandbox.SandboxCaps;
import dev.weir.eval.sandbox.Sandboxes;
import dev.weir.eval.scorer.Scorer;
import dev.weir.eval.solver.Solver;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.limits.Lane;
import dev.weir.limits.Mode;
import dev.weir.limits.Regulator;
import dev.weir.log.RunResult;
import dev.weir.model.Adapter;
import dev.weir.model.Model;
import dev.weir.model.ModelName;
import dev.weir.time.virtual.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/** A run of samples that are all alike, on virtual time. */
final class AdmittedRun {

  static final ModelName NAME = ModelName.parse("fake/agent");

  private AdmittedRun() {}

  static RunResult run(
      VirtualTime time,
      long seed,
      int samples,
      Solver solver,
      Adapter provider,
      Mode mode,
      Settings settings)
      throws Exception {
    List<Sample> alike = new ArrayList<>();
    for (int i = 1; i <= samples; i++) {
      alike.add(new Sample("s" + i, "question", "answer"));
    }
    TaskDefinition task =
        TaskDefinition.named("agents")
            .dataset(new Dataset(alike))
            .solver(solver)
            .scorer("right", Scorer.of((_, _) -> 1))
            .build();
    Lane lane = Regulator.unbounded(time, new SplittableRandom(seed)).lane(NAME.toString(), mode);
    RunOptions options = RunOptions.parse(settings);
    var plan =
        new RunPlan(
            "id",
            "task",
            task,
            options,
            watch ->
                new PricedModel(
                    new Model(
                        time,
                        NAME,
                        watch.watched(provider, Optional.empty(), false),
                        lane,
                        _ -> {}),
                    Optional.empty(),
                    false),
            _ -> Map.of(),
            time,
            seed,
            new Budget(options.budget()),
            new Sandboxes(time, SandboxCaps.defaults(), Map.of()),
            false,
            KeptSamples.NONE,
            Secrets.NONE,
            _ -> {});
    var start = RunStarts.of("agents", NAME.toString(), samples, 1, seed, "right", time.instant());
    return time.run(() -> new Run(plan, start).run());
  }
}
