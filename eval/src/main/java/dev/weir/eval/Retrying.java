package dev.weir.eval;

import dev.weir.eval.option.Option;
import dev.weir.eval.option.Options;
import dev.weir.eval.option.Secrets;
import dev.weir.eval.option.Settings;
import dev.weir.eval.source.TaskSources;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.eval.task.TaskInput;
import dev.weir.log.RunStart;
import dev.weir.log.TaskOrigin;
import dev.weir.model.ConfigurationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** How a log says what was run, and how: for a run that goes on with it. */
final class Retrying {

  private Retrying() {}

  static Retried read(Path log) {
    try {
      return Retried.read(log);
    } catch (IOException unreadable) {
      throw new ConfigurationException(
          Files.exists(log)
              ? "the log cannot be read: " + unreadable.getMessage()
              : "there is no log %s".formatted(log),
          unreadable);
    }
  }

  /** The settings of the run, which those that are given win over. */
  static Settings settings(Retried old, Settings given) {
    RunStart start = old.start();
    String origin = "the log %s".formatted(old.log().getFileName());
    Settings inherited = Settings.NONE;
    for (Map.Entry<String, String> setting : start.config().entrySet()) {
      Optional<Option> option = Options.find(setting.getKey());
      // A credential is not in the log, and must be given again, in the way it was.
      if (option.isPresent() && !Secrets.isHidden(setting.getValue())) {
        inherited = inherited.with(option.get(), setting.getValue(), origin);
      }
    }
    inherited = inherited.with(Options.named("model"), start.model(), origin);
    if (start.seed() != 0) {
      inherited = inherited.with(Options.named("seed"), Long.toString(start.seed()), origin);
    }
    Path directory = old.log().getParent();
    if (directory != null) {
      inherited = inherited.with(Options.named("log-dir"), directory.toString(), origin);
    }
    return given.orElse(inherited);
  }

  /**
   * Makes the task again.
   *
   * @param arguments of tasks, which win over those of the log
   */
  static TaskDefinition task(Retried old, Map<String, String> arguments, Host host) {
    TaskOrigin origin =
        old.start()
            .origin()
            .orElseThrow(
                () ->
                    new ConfigurationException(
                        "%s: its task was made by a program, and cannot be made again from a file; in Java, give it to Evaluation.retry(log, task)"
                            .formatted(old.log())));
    Map<String, String> all = new LinkedHashMap<>(origin.arguments());
    all.putAll(arguments);
    List<TaskDefinition> tasks =
        TaskSources.load(
            origin.source(), new TaskInput(all, host.environment(), TaskInput.NO_STDIN));
    return tasks.stream()
        .filter(task -> origin.name().isEmpty() || task.name().equals(origin.name().get()))
        .findFirst()
        .orElseThrow(
            () ->
                new ConfigurationException(
                    "%s: there is no task '%s' in %s any more"
                        .formatted(old.log(), origin.name().orElse(""), origin.source())));
  }
}
