package dev.weir.cli;

import dev.weir.time.Time;
import java.io.PrintWriter;
import java.util.Map;

/**
 * What a command may use of the world, so that tests can give it another one.
 *
 * @param out results, for people and scripts
 * @param err progress and problems
 * @param terminal whether people watch {@code out} as it is written
 */
record Surroundings(
    Time time,
    PrintWriter out,
    PrintWriter err,
    Map<String, String> environment,
    boolean terminal) {

  Surroundings with(Map<String, String> variables) {
    return new Surroundings(time, out, err, variables, terminal);
  }

  /** Variables may be credentials. */
  @Override
  public String toString() {
    return "Surroundings[terminal=%s]".formatted(terminal);
  }

  /** Colours and moving lines are for terminals, unless the user says otherwise. */
  boolean colours() {
    return terminal && environment.getOrDefault("NO_COLOR", "").isEmpty();
  }
}
