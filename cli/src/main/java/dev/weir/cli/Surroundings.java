package dev.weir.cli;

import dev.weir.model.ConfigurationException;
import dev.weir.time.Time;
import java.io.PrintWriter;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What a command may use of the world, so that tests can give it another one.
 *
 * @param out results, for people and scripts
 * @param err progress and problems
 * @param environment variables of the process, and of a file {@code .env}
 * @param environmentProblem why that file could not be read, if it could not
 * @param terminal whether people watch {@code out} as it is written
 * @param screen opens that terminal, for what moves on it
 */
record Surroundings(
    Time time,
    PrintWriter out,
    PrintWriter err,
    Map<String, String> environment,
    Optional<String> environmentProblem,
    boolean terminal,
    Supplier<Screen> screen) {

  Surroundings(
      Time time,
      PrintWriter out,
      PrintWriter err,
      Map<String, String> environment,
      boolean terminal) {
    this(time, out, err, environment, Optional.empty(), terminal, () -> Screen.USUAL);
  }

  /**
   * The variables for a command that opens models: credentials may be among them.
   *
   * @throws ConfigurationException if some of them could not be read
   */
  Map<String, String> variablesForModels() {
    if (environmentProblem.isPresent()) {
      throw new ConfigurationException(environmentProblem.get());
    }
    return environment;
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

  /**
   * How wide the lines of a table may be: as the variable COLUMNS says, else as the terminal is.
   * What goes to a file or another program is never cut.
   */
  int columns() {
    String given = environment.getOrDefault("COLUMNS", "").strip();
    if (given.matches("[1-9]\\d{0,3}")) {
      return Integer.parseInt(given);
    }
    if (!terminal) {
      return ResultTable.UNBOUNDED;
    }
    try (Screen shown = screen.get()) {
      return shown.columns();
    }
  }
}
