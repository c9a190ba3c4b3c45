package dev.weir.eval.task;

import dev.weir.model.ConfigurationException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The options of a run; each has the same name in the task file ({@code max_connections}), on the
 * command line ({@code --max-connections}) and in the environment ({@code WEIR_MAX_CONNECTIONS}).
 *
 * @param model {@code provider/model}
 * @param modelArguments given to the provider
 * @param limit evaluate only so many samples, from the start of the dataset
 * @param limits what regulates the calls
 * @param seed what every random choice depends on
 * @param logDir where the result is written
 */
public record TaskOptions(
    Optional<String> model,
    Map<String, String> modelArguments,
    Optional<Integer> limit,
    LimitOptions limits,
    Optional<Long> seed,
    Optional<Path> logDir) {

  public static final TaskOptions NONE =
      new TaskOptions(
          Optional.empty(),
          Map.of(),
          Optional.empty(),
          LimitOptions.NONE,
          Optional.empty(),
          Optional.empty());

  public TaskOptions {
    modelArguments = Map.copyOf(modelArguments);
    if (limit.isPresent() && limit.get() < 1) {
      throw new ConfigurationException("`limit` must be at least 1, was " + limit.get());
    }
  }

  /** These options, and where they say nothing, the others. */
  public TaskOptions orElse(TaskOptions others) {
    Map<String, String> arguments = new LinkedHashMap<>(others.modelArguments);
    arguments.putAll(modelArguments);
    return new TaskOptions(
        model.or(others::model),
        arguments,
        limit.or(others::limit),
        limits.orElse(others.limits),
        seed.or(others::seed),
        logDir.or(others::logDir));
  }
}
