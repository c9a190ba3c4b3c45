package dev.weir.selection;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A step of an agent, with the models that could do it.
 *
 * @param name such as "planner"
 * @param candidates at least one, none twice
 */
public record Node(String name, List<String> candidates) {

  public Node {
    candidates = List.copyOf(candidates);
    if (name.isBlank()) {
      throw new IllegalArgumentException("a node has no name");
    }
    if (candidates.isEmpty()) {
      throw new IllegalArgumentException("node '" + name + "' has no candidates");
    }
    Set<String> seen = new HashSet<>();
    for (String candidate : candidates) {
      if (!seen.add(candidate)) {
        throw new IllegalArgumentException(
            "node '%s' names the model '%s' twice".formatted(name, candidate));
      }
    }
  }
}
