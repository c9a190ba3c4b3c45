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
 * @param maxConnections how many calls may be in flight
 * @param seed what every random choice depends on
 * @param logDir where the result is written
 */
public record TaskOptions(
    Optional<String> model,
    Map<String, String> modelArguments,
    Optional<Integer> limit,
    Optional<Integer> maxConnections,
    Optional<Long> seed,
    Optional<Path> logDir) {

  public static final TaskOptions NONE =
      new TaskOptions(
          Optional.empty(),
          Map.of(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());

  public TaskOptions {
    modelArguments = Map.copyOf(modelArguments);
    requireAtLeastOne("limit", limit);
    requireAtLeastOne("max-connections", maxConnections);
  }

  /** These options, and where they say nothing, the others. */
  public TaskOptions orElse(TaskOptions others) {
    Map<String, String> arguments = new LinkedHashMap<>(others.modelArguments);
    arguments.putAll(modelArguments);
    return new TaskOptions(
        model.or(others::model),
        arguments,
        limit.or(others::limit),
        maxConnections.or(others::maxConnections),
        seed.or(others::seed),
        logDir.or(others::logDir));
  }

  private static void requireAtLeastOne(String name, Optional<Integer> value) {
    if (value.isPresent() && value.get() < 1) {
      throw new ConfigurationException(
          "`%s` must be at least 1, was %s".formatted(name, value.get()));
    }
  }
}
