package dev.weir.eval.task;

import dev.weir.model.ConfigurationException;
import java.util.List;

/**
 * Where the parts of a task stand, for people; a task that a program makes has none.
 *
 * @param solvers of each, in order
 * @param scorers of each, in order
 * @param metrics of those of each scorer, in order
 * @param sandbox empty if there is none
 */
record Places(
    List<String> solvers, List<String> scorers, List<List<String>> metrics, String sandbox) {

  static final Places NONE = new Places(List.of(), List.of(), List.of(), "");

  Places {
    solvers = List.copyOf(solvers);
    scorers = List.copyOf(scorers);
    metrics = List.copyOf(metrics);
  }

  String ofSolver(int step) {
    return step < solvers.size() ? solvers.get(step) : "";
  }

  String ofScorer(int number) {
    return number < scorers.size() ? scorers.get(number) : "";
  }

  String ofMetric(int scorer, int number) {
    return scorer < metrics.size() && number < metrics.get(scorer).size()
        ? metrics.get(scorer).get(number)
        : "";
  }

  /** The same problem with its place, unless it says one already. */
  static ConfigurationException at(String place, String task, ConfigurationException wrong) {
    String message = String.valueOf(wrong.getMessage());
    if (place.isEmpty()) {
      return new ConfigurationException("task %s: %s".formatted(task, message), wrong);
    }
    String file = place.substring(0, Math.max(0, place.indexOf(", line ")));
    return message.startsWith(file + ", line ")
        ? wrong
        : new ConfigurationException("%s: %s".formatted(place, message), wrong);
  }
}
