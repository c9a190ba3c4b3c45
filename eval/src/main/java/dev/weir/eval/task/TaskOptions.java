package dev.weir.eval.task;

import dev.weir.model.ConfigurationException;
import dev.weir.model.GenerationSettings;
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
 * @param modelRoles models for other parts than that of the evaluated one: {@code grader}
 * @param models how models are reached and asked
 * @param limit evaluate only so many samples, from the start of the dataset
 * @param limits what regulates the calls
 * @param trace what is told of single calls
 * @param seed what every random choice depends on
 * @param logDir where the result is written
 */
public record TaskOptions(
    Optional<String> model,
    Map<String, String> modelArguments,
    Map<String, String> modelRoles,
    ModelOptions models,
    Optional<Integer> limit,
    LimitOptions limits,
    TraceOptions trace,
    Optional<Long> seed,
    Optional<Path> logDir) {

  public static final TaskOptions NONE =
      new TaskOptions(
          Optional.empty(),
          Map.of(),
          Map.of(),
          ModelOptions.NONE,
          Optional.empty(),
          LimitOptions.NONE,
          TraceOptions.NONE,
          Optional.empty(),
          Optional.empty());

  public TaskOptions {
    modelArguments = Map.copyOf(modelArguments);
    modelRoles = Map.copyOf(modelRoles);
    if (limit.isPresent() && limit.get() < 1) {
      throw new ConfigurationException("`limit` must be at least 1, was " + limit.get());
    }
  }

  /** These options, and where they say nothing, the others. */
  public TaskOptions orElse(TaskOptions others) {
    return new TaskOptions(
        model.or(others::model),
        merged(modelArguments, others.modelArguments),
        merged(modelRoles, others.modelRoles),
        models.orElse(others.models),
        limit.or(others::limit),
        limits.orElse(others.limits),
        trace.orElse(others.trace),
        seed.or(others::seed),
        logDir.or(others::logDir));
  }

  /** How answers are made. A seed that the user gave is for the provider, too. */
  public GenerationSettings generation() {
    return seed.map(models.generation()::withSeed).orElse(models.generation());
  }

  private static Map<String, String> merged(Map<String, String> first, Map<String, String> others) {
    Map<String, String> merged = new LinkedHashMap<>(others);
    merged.putAll(first);
    return merged;
  }
}
