package dev.weir.cli;

import dev.weir.eval.Evaluation;
import dev.weir.eval.run.ModelProgress;
import dev.weir.eval.run.RunProgress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Looks at a rehearsal from time to time, and remembers what held each model up. Used by one task.
 */
final class RehearsalWatch {

  /** What holds a model up for less than this part of the time does not limit it. */
  private static final double LEAST_SHARE = 0.1;

  private static final String NOTHING = "";
  private static final String SANDBOXES =
      "sandboxes and their commands (--max-sandboxes, --max-subprocesses)";

  private final Function<String, Optional<String>> tightest;
  // How often each was seen, by model: there are few.
  private final Map<String, Map<String, Long>> seen = new LinkedHashMap<>();

  /**
   * @param tightest the quota of a model of which the least is left, if there is one
   */
  RehearsalWatch(Function<String, Optional<String>> tightest) {
    this.tightest = tightest;
  }

  void look(Evaluation evaluation) {
    if (evaluation.progress().stream().allMatch(RunProgress::ended)) {
      return;
    }
    List<ModelProgress> models = evaluation.models();
    boolean lacksSandboxes = evaluation.waitingForSandboxes() > 0;
    for (ModelProgress model : models) {
      String held = held(model);
      String reason = held.equals(NOTHING) && lacksSandboxes ? SANDBOXES : held;
      seen.computeIfAbsent(model.model(), _ -> new LinkedHashMap<>()).merge(reason, 1L, Long::sum);
    }
  }

  /**
   * What limited a model, and for which part of the time.
   *
   * @param share from 0 to 1
   */
  record Limit(String words, double share) {}

  /** What limited it most; empty if nothing did for long. */
  Optional<Limit> limit(String model) {
    Map<String, Long> reasons = seen.getOrDefault(model, Map.of());
    double all = reasons.values().stream().mapToLong(Long::longValue).sum();
    return reasons.entrySet().stream()
        .filter(reason -> !reason.getKey().equals(NOTHING))
        .max(Map.Entry.comparingByValue())
        .map(most -> new Limit(most.getKey(), most.getValue() / all))
        .filter(limit -> limit.share() >= LEAST_SHARE);
  }

  private String held(ModelProgress model) {
    if (model.lane().waiting() + model.lane().backingOff() == 0) {
      return NOTHING;
    }
    return switch (model.waitingFor().constraint()) {
      case NOTHING, TURN -> NOTHING;
      case QUOTA, PACE -> rate(model).orElse("the pace that was learned");
      case WINDOW -> "calls in flight (--max-connections)";
      case MAX_CONCURRENCY -> "calls in flight over all models (--max-concurrency)";
      case PAUSE -> "a pause";
      case DELAY -> "the time between calls (--delay)";
      case HOLD ->
          "waits that the provider asked for (retry-after"
              + rate(model).map(" of %s"::formatted).orElse("")
              + ")";
      case BACKOFF -> "waits before calls are tried again";
      case CIRCUIT -> "a provider that does not answer";
      case OVERLOAD -> "a provider that is overloaded";
      case LEASE -> "its share of the limits";
    };
  }

  /**
   * The lane does not tell which of several quotas it is; the one that has the least left, then.
   */
  private Optional<String> rate(ModelProgress model) {
    return tightest.apply(model.model()).map(quota -> quota.replace('-', ' ') + " per minute");
  }
}
