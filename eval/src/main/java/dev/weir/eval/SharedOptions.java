package dev.weir.eval;

import dev.weir.eval.option.Option;
import dev.weir.eval.option.Options;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Settings;
import dev.weir.eval.option.Settings.Setting;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.model.ConfigurationException;
import dev.weir.model.ModelName;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Options that several tasks share: none of them can say one thing and another something else. */
final class SharedOptions {

  /** Hold for a whole evaluation. */
  private static final List<String> OF_ALL =
      List.of(
          "max-cost",
          "max-tokens-total",
          "max-concurrency",
          "memory",
          "engine-limits",
          "delay",
          "max-tasks",
          "max-sandboxes",
          "max-subprocesses",
          "cache",
          "prices",
          "seed",
          "log-level",
          "trace-bodies",
          "metrics-port",
          "metrics-host");

  /** Hold for all calls to a model, whichever task makes them. */
  private static final List<String> OF_MODEL =
      List.of(
          "concurrency-mode",
          "max-connections",
          "adaptive-connections",
          "cooldown-seconds",
          "decrease-factor",
          "scale-up-percent",
          "min-concurrency",
          "rpm",
          "tpm",
          "max-retries",
          "timeout",
          "attempt-timeout",
          "queue-timeout",
          "request-backoff",
          "retry-5xx",
          "self-hosted",
          "max-poisoned-attempts",
          "max-outage");

  private SharedOptions() {}

  /**
   * @param given wins over what tasks say
   * @throws ConfigurationException if two tasks do not say the same, with both places
   */
  static void requireSame(List<TaskDefinition> tasks, Settings given) {
    for (int i = 1; i < tasks.size(); i++) {
      for (String option : OF_ALL) {
        requireSame(option, "all tasks of an evaluation", tasks.getFirst(), tasks.get(i), given);
      }
      for (TaskDefinition earlier : tasks.subList(0, i)) {
        Set<ModelName> both = models(earlier, given);
        both.retainAll(models(tasks.get(i), given));
        for (ModelName model : both) {
          for (String option : OF_MODEL) {
            requireSame(option, "all calls to " + model, earlier, tasks.get(i), given);
          }
        }
      }
    }
  }

  private static Set<ModelName> models(TaskDefinition task, Settings given) {
    return RunOptions.parse(given.orElse(task.settings())).model().stream()
        .map(ModelName::parse)
        .collect(Collectors.toSet());
  }

  private static void requireSame(
      String name, String what, TaskDefinition one, TaskDefinition other, Settings given) {
    Option option = Options.named(name);
    Optional<Setting> first = given.orElse(one.settings()).setting(option);
    Optional<Setting> second = given.orElse(other.settings()).setting(option);
    if (!first.map(Setting::word).equals(second.map(Setting::word))) {
      throw new ConfigurationException(
          "`%s` holds for %s, but %s and %s do not say the same (%s; %s); give it on the command line"
              .formatted(
                  option.key(),
                  what,
                  one.name(),
                  other.name(),
                  told(one, first),
                  told(other, second)));
    }
  }

  private static String told(TaskDefinition task, Optional<Setting> setting) {
    return setting
        .map(set -> "%s, is '%s'".formatted(set.origin(), set.word()))
        .orElse("%s says nothing".formatted(task.name()));
  }
}
