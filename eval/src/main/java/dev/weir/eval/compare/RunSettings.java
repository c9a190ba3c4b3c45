package dev.weir.eval.compare;

import dev.weir.eval.compare.LogComparison.Setting;
import dev.weir.log.RunStart;
import dev.weir.log.RunStart.Step;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The settings of a run by name, as far as they may change its scores, cost or time. */
final class RunSettings {

  /** Options of which the run itself says what became of them. */
  private static final Set<String> RESOLVED =
      Set.of("model", "model_role", "model_roles", "epochs", "seed", "concurrency_mode", "log_dir");

  private RunSettings() {}

  /** Those in which two runs differ, in order. */
  static List<Setting> differences(RunStart baseline, RunStart other) {
    Map<String, String> before = of(baseline);
    Map<String, String> after = of(other);
    Set<String> names = new LinkedHashSet<>(before.keySet());
    names.addAll(after.keySet());
    List<Setting> differences = new ArrayList<>();
    for (String name : names) {
      Optional<String> was = Optional.ofNullable(before.get(name));
      Optional<String> is = Optional.ofNullable(after.get(name));
      if (!was.equals(is)) {
        differences.add(new Setting(name, was, is));
      }
    }
    return differences;
  }

  private static Map<String, String> of(RunStart start) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("task", start.task());
    settings.put("model", start.model());
    start.roles().forEach((role, model) -> settings.put("role " + role, model));
    start.dataset().location().ifPresent(file -> settings.put("dataset", file));
    settings.put("samples", String.valueOf(start.samples()));
    settings.put("epochs", String.valueOf(start.epochs()));
    settings.put("seed", String.valueOf(start.seed()));
    settings.put("solvers", steps(start.solvers()));
    settings.put(
        "scorers",
        start.scorerSteps().map(RunSettings::steps).orElse(String.join(", ", start.scorers())));
    settings.put("concurrency mode", start.concurrencyMode());
    start
        .origin()
        .ifPresent(
            origin ->
                origin.arguments().forEach((name, value) -> settings.put("task " + name, value)));
    start
        .config()
        .forEach(
            (name, value) -> {
              if (!RESOLVED.contains(name.replace('-', '_'))) {
                settings.put(name, value);
              }
            });
    return settings;
  }

  private static String steps(List<Step> steps) {
    return steps.stream()
        .map(step -> step.arguments().isEmpty() ? step.solver() : step.solver() + step.arguments())
        .collect(Collectors.joining(", "));
  }
}
