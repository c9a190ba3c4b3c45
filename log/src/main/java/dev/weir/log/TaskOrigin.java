package dev.weir.log;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Where a task can be made again from.
 *
 * @param source as it was named on the command line, absolute if it is a file
 * @param name which of the tasks in it, if it has several
 * @param arguments what it was given
 */
public record TaskOrigin(String source, Optional<String> name, Map<String, String> arguments) {

  public TaskOrigin {
    arguments = Collections.unmodifiableMap(new LinkedHashMap<>(arguments));
  }
}
