package dev.weir.eval.task;

import dev.weir.model.ConfigurationException;
import java.io.InputStream;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What a task file may take from outside.
 *
 * @param arguments win over the variables of the file, by name
 * @param environment variables for {@code ${NAME}}, credentials among them
 * @param stdin what a dataset called {@code -} is read from
 */
public record TaskInput(
    Map<String, String> arguments, Map<String, String> environment, Supplier<InputStream> stdin) {

  /** For programs that have none to give. */
  public static final Supplier<InputStream> NO_STDIN =
      () -> {
        throw new ConfigurationException(
            "the dataset is to be read from standard input, which is not available here");
      };

  public TaskInput {
    arguments = Map.copyOf(arguments);
    environment = Map.copyOf(environment);
  }

  /** The variables of this process; no arguments and no standard input, which is a program's. */
  public static TaskInput process() {
    return new TaskInput(Map.of(), System.getenv(), NO_STDIN);
  }

  public TaskInput withArguments(Map<String, String> given) {
    return new TaskInput(given, environment, stdin);
  }

  /** Variables may be credentials. */
  @Override
  public String toString() {
    return "TaskInput[arguments=%s]".formatted(arguments.keySet());
  }
}
