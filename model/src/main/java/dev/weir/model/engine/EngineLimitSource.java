package dev.weir.model.engine;

import dev.weir.limits.EngineLimits;
import dev.weir.model.ConfigurationException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where the limits of engines stand: in variables, in files that variables name, and in a file of
 * Weir's own form. All of them hold; of several limits the lowest.
 *
 * @param environment variables of the process
 * @param file in Weir's own form
 */
public record EngineLimitSource(Map<String, String> environment, Optional<Path> file) {

  public EngineLimitSource {
    environment = Map.copyOf(environment);
  }

  /**
   * As they stand there now.
   *
   * @throws ConfigurationException if a place cannot be read or is malformed; it repeats nothing of
   *     what stands there
   */
  public EngineLimits read() {
    Map<String, String> variables = environment;
    for (String name : EngineLimitVariables.NAMES) {
      variables = FileVariables.refreshed(variables, name);
    }
    EngineLimits limits = EngineLimitVariables.read(variables);
    return file.map(it -> EngineLimitFile.read(it, limits)).orElse(limits);
  }

  /** Whether there is any place where limits stand, or may stand later. */
  public boolean isPresent() {
    return !files().isEmpty()
        || EngineLimitVariables.NAMES.stream().anyMatch(environment::containsKey);
  }

  /** The files that are read each time; what stands in variables cannot change. */
  public List<Path> files() {
    List<Path> files = new ArrayList<>(file.stream().toList());
    for (String name : EngineLimitVariables.NAMES) {
      FileVariables.file(name, environment).ifPresent(files::add);
    }
    return files;
  }

  /** Variables may be credentials. */
  @Override
  public String toString() {
    return "EngineLimitSource" + files();
  }
}
