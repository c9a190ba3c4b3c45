package dev.weir.eval.sandbox;

import java.util.List;
import java.util.Map;

/**
 * A process of this machine to be started.
 *
 * @param environment all of its variables; none is inherited
 */
record Launch(List<String> command, Map<String, String> environment) {

  Launch {
    command = List.copyOf(command);
    environment = Map.copyOf(environment);
  }

  /** Values of variables may be credentials. */
  @Override
  public String toString() {
    return "Launch[%s]".formatted(command.getFirst());
  }
}
