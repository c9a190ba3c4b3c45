package dev.weir.cli;

import dev.weir.eval.Evaluation;
import dev.weir.eval.option.LimitOptions;
import dev.weir.eval.run.ModelProgress;
import dev.weir.eval.run.RunProgress;
import dev.weir.limits.Lane;
import dev.weir.limits.LimitKey;
import dev.weir.limits.Mode;
import dev.weir.limits.header.Dimension;
import dev.weir.simulator.server.Rehearsal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Looks at a rehearsal from time to time, and remembers what held each model up. It asks the
 * simulated provider, too, which knows what a real one would not tell. Used by one task.
 */
final class RehearsalWatch {

  /** What holds a model up for less than this part of the time does not limit it. */
  private static final double LEAST_SHARE = 0.1;

  private static final String NOTHING = "";

  private final Rehearsal rehearsal;
  private final Map<String, LimitOptions> limits;
  private final Set<String> withoutProvider;
  // How often each was seen, by model: there are few.
  private final Map<String, Map<String, Long>> seen = new LinkedHashMap<>();

  /**
   * @param limits what regulates each evaluated model, by its name
   * @param withoutProvider the models that nobody limits
   */
  RehearsalWatch(
      Rehearsal rehearsal, Map<String, LimitOptions> limits, Set<String> withoutProvider) {
    this.rehearsal = rehearsal;
    this.limits = Map.copyOf(limits);
    this.withoutProvider = Set.copyOf(withoutProvider);
  }

  void look(Evaluation evaluation) {
    List<RunProgress> runs = evaluation.progress().stream().filter(run -> !run.ended()).toList();
    if (runs.isEmpty()) {
      return;
    }
    String elsewhere = elsewhere(evaluation);
    Set<String> fullOfSamples = fullOfSamples(runs);
    for (ModelProgress model : evaluation.models()) {
      String name = model.model();
      String reason = held(model, Optional.ofNullable(limits.get(name)));
      if (reason.equals(NOTHING)) {
        reason = elsewhere;
      }
      if (reason.equals(NOTHING) && fullOfSamples.contains(name)) {
        reason = "samples that are open at once (--max-samples)";
      }
      seen.computeIfAbsent(name, _ -> new LinkedHashMap<>()).merge(reason, 1L, Long::sum);
    }
  }

  /**
   * What limited a model.
   *
   * @param share for which part of the time, from 0 to 1
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

  /** Calls that the tier takes at no time, if there were any. */
  Optional<Rehearsal.NeverPassed> neverPassed(String model) {
    return rehearsal.neverPassed(LimitKey.named(model));
  }

  private static String elsewhere(Evaluation evaluation) {
    if (evaluation.waitingForCommands() > 0) {
      return "commands that run at once in sandboxes (--max-subprocesses)";
    }
    return evaluation.waitingForSandboxes() > 0 ? "sandboxes (--max-sandboxes)" : NOTHING;
  }

  /** The models of runs that would open more samples if they might. */
  private static Set<String> fullOfSamples(List<RunProgress> runs) {
    return runs.stream()
        .filter(run -> run.waitingForOthers() > 0)
        .map(RunProgress::model)
        .collect(Collectors.toSet());
  }

  private Mode mode(String model, LimitOptions limits) {
    return withoutProvider.contains(model) ? limits.modeWithoutProvider() : limits.mode();
  }

  private String held(ModelProgress model, Optional<LimitOptions> limits) {
    var key = LimitKey.named(model.model());
    if (model.lane().waiting() + model.lane().backingOff() == 0) {
      return rehearsal.isFull(key) ? Rehearsal.SERVED_AT_ONCE : NOTHING;
    }
    return switch (model.waitingFor().constraint()) {
      case NOTHING, TURN -> NOTHING;
      case QUOTA -> model.waitingFor().dimension().map(RehearsalWatch::perMinute).orElse("a quota");
      case PACE ->
          rehearsal
              .refusedFor(key)
              .or(() -> given(model.waitingFor().dimension(), limits))
              .or(() -> known(model))
              .orElse("a pace that starts low, since no limit is known (--rpm states one)");
      case WINDOW -> window(key, model.lane(), limits.map(options -> mode(model.model(), options)));
      case MAX_CONCURRENCY -> "calls in flight over all models (--max-concurrency)";
      case ENGINE_LIMIT -> Bottleneck.engineLimit(model.waitingFor());
      case PAUSE -> "a pause";
      case DELAY -> "the time between calls (--delay)";
      case HOLD, BACKOFF -> rehearsal.refusedFor(key).orElse("waits before calls are tried again");
      case CIRCUIT -> "a provider that is unavailable";
      case OVERLOAD -> "a provider that is overloaded";
      case PROBE -> "a provider that refuses every call";
      case LEASE -> "its share of the limits";
    };
  }

  /** What a pace that nobody has refused yet keeps to, if it was told. */
  private static Optional<String> given(
      Optional<Dimension> dimension, Optional<LimitOptions> limits) {
    return dimension.flatMap(
        counted -> {
          boolean isRequests = counted == Dimension.REQUESTS;
          Optional<Double> rate =
              limits.flatMap(options -> isRequests ? options.rpm() : options.tpm());
          return rate.map(
              _ ->
                  "the %s that you gave (%s)"
                      .formatted(perMinute(counted), isRequests ? "--rpm" : "--tpm"));
        });
  }

  private static Optional<String> known(ModelProgress model) {
    return model
        .waitingFor()
        .dimension()
        .filter(
            dimension ->
                model.rates().stream()
                    .anyMatch(rate -> rate.dimension() == dimension && rate.quota().isPresent()))
        .map(RehearsalWatch::perMinute);
  }

  private static String perMinute(Dimension dimension) {
    return dimension.word().replace('-', ' ') + " per minute";
  }

  /** Whether it is as wide as it may be, or what keeps it from that. */
  private String window(LimitKey key, Lane.Status lane, Optional<Mode> mode) {
    boolean isNarrow = mode.filter(known -> lane.window() < known.mostInFlight()).isPresent();
    Optional<String> refused = rehearsal.refusedFor(key);
    if (refused.isPresent() && (isNarrow || lane.backingOff() > 0)) {
      return refused.get();
    }
    if (rehearsal.isFull(key)) {
      return Rehearsal.SERVED_AT_ONCE;
    }
    if (isNarrow) {
      return "a window that opens slowly while no limit is known";
    }
    String option =
        switch (mode.orElse(new Mode.Static(1))) {
          case Mode.Static _, Mode.Pace _ -> "--max-connections";
          case Mode.Aimd _ -> "--adaptive-connections";
          case Mode.Halving _ -> "--max-concurrency";
        };
    return "calls in flight (%s)".formatted(option);
  }
}
