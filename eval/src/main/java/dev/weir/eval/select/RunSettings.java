package dev.weir.eval.select;

import dev.weir.eval.Trials;
import dev.weir.eval.option.Option;
import dev.weir.eval.option.Options;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.SelectionOptions;
import dev.weir.eval.option.Settings;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.model.ConfigurationException;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a selection makes of the settings of its runs.
 *
 * @param given for the selection, those of the task not included
 */
record RunSettings(Settings given, SelectionOptions options) {

  /** A candidate that is away must not hold up the others for ever. */
  private static final String PATIENCE = "15m";

  /**
   * What is to be found out cannot be given as well, or one of the two would mean nothing. What the
   * task says, or a variable that is there for other commands, is but a default.
   *
   * @throws ConfigurationException if it is
   */
  void requireNotGiven(Set<String> nodes) {
    Set<String> roles = RunOptions.parse(given).modelRoles().keySet();
    for (String node : nodes) {
      boolean isEvaluated = Trials.EVALUATED.contains(node);
      Option option = Options.named(isEvaluated ? "model" : "model-role");
      Optional<Settings.Setting> setting =
          given
              .setting(option)
              .filter(_ -> isEvaluated || roles.contains(node))
              .filter(word -> !word.origin().equals(option.variable()));
      if (setting.isPresent()) {
        throw given.wrong(
            option.name(),
            "gives a model to '%s', which is a node with candidates; leave out one of the two"
                .formatted(node));
      }
    }
  }

  /** By option, what cannot be done if nobody knows what a model costs. */
  Map<String, String> withoutPrices() {
    Map<String, String> undone = new LinkedHashMap<>();
    if (options.objective().needsCost()) {
      undone.put("objective", "combinations cannot be compared by cost");
    }
    options
        .budget()
        .dollars()
        .map(dollars -> "the budget of $%s cannot be kept".formatted(dollars.toPlainString()))
        .ifPresent(what -> undone.put("budget", what));
    return undone;
  }

  /** What the selection may use at a time, and in all, holds for all calls of its runs. */
  Settings bounded(TaskDefinition task) {
    RunOptions of = RunOptions.parse(given.orElse(task.settings()));
    int calls =
        Math.min(options.maxConcurrent(), of.limits().maxConcurrency().orElse(Integer.MAX_VALUE));
    Settings bounded =
        given.with(Options.named("max-concurrency"), Integer.toString(calls), "`max_concurrent`");
    if (of.limits().timeout().isEmpty()) {
      bounded = bounded.with(Options.named("timeout"), PATIENCE, "a selection");
    }
    if (options.budget().dollars().isPresent()) {
      BigDecimal dollars = options.budget().dollars().get();
      BigDecimal least = of.budget().maxCost().map(dollars::min).orElse(dollars);
      bounded = bounded.with(Options.named("max-cost"), least.toPlainString(), "`budget`");
    }
    return bounded;
  }
}
