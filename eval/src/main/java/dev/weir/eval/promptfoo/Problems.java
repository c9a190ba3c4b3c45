package dev.weir.eval.promptfoo;

import dev.weir.model.ConfigurationException;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Collects what is wrong with a configuration, so that all of it is told at once. Not thread-safe.
 */
final class Problems {

  /** More would not be read. */
  private static final int MOST_SHOWN = 50;

  /** One per line, and still apart where a message is shown as one line. */
  private static final String BETWEEN = ";\n";

  private final Set<String> found = new LinkedHashSet<>();

  void add(Place place, String problem) {
    add("%s: %s".formatted(place, problem));
  }

  /**
   * @param problem with its place
   */
  void add(String problem) {
    found.add(problem);
  }

  /** What cannot be done, as opposed to what is wrong. */
  void unsupported(Place place, String what, String instead) {
    add(place, "%s is not supported; %s".formatted(what, instead));
  }

  boolean isEmpty() {
    return found.isEmpty();
  }

  int size() {
    return found.size();
  }

  /**
   * @throws ConfigurationException if there are any, with all of them
   */
  void throwIfAny() {
    if (found.isEmpty()) {
      return;
    }
    String shown = String.join(BETWEEN, found.stream().limit(MOST_SHOWN).toList());
    throw new ConfigurationException(
        found.size() > MOST_SHOWN
            ? "%s%s(and %d more)".formatted(shown, BETWEEN, found.size() - MOST_SHOWN)
            : shown);
  }
}
