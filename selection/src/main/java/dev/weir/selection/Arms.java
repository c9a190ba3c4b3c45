package dev.weir.selection;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The combinations to choose from. An arm is one of them, named by its index; it has one model for
 * each node, so it is known which arms share a model.
 */
public final class Arms {

  /** More would not fit the tables of a selection. */
  static final int MOST = 100_000;

  private final List<String> nodes;
  private final List<List<String>> arms;

  private Arms(List<String> nodes, List<List<String>> arms) {
    this.nodes = List.copyOf(nodes);
    this.arms = List.copyOf(arms);
  }

  /** All combinations; the candidates of the last node change fastest. */
  public static Arms of(List<Node> nodes) {
    requireNames(nodes.stream().map(Node::name).toList());
    long count = 1;
    for (Node node : nodes) {
      count *= node.candidates().size();
      if (count > MOST) {
        throw new IllegalArgumentException("there are more than " + MOST + " combinations");
      }
    }
    List<List<String>> arms = List.of(List.of());
    for (Node node : nodes) {
      List<List<String>> longer = new ArrayList<>();
      for (List<String> arm : arms) {
        for (String candidate : node.candidates()) {
          List<String> models = new ArrayList<>(arm);
          models.add(candidate);
          longer.add(List.copyOf(models));
        }
      }
      arms = longer;
    }
    return new Arms(nodes.stream().map(Node::name).toList(), arms);
  }

  /** Only these combinations, each with one model for each node. */
  public static Arms listed(List<String> nodes, List<List<String>> combinations) {
    requireNames(nodes);
    if (combinations.isEmpty()) {
      throw new IllegalArgumentException("there are no combinations");
    }
    Set<List<String>> seen = new HashSet<>();
    for (List<String> combination : combinations) {
      if (combination.size() != nodes.size()) {
        throw new IllegalArgumentException(
            "combination %s must name %d models, one for each node"
                .formatted(combination, nodes.size()));
      }
      if (!seen.add(combination)) {
        throw new IllegalArgumentException("combination " + combination + " is there twice");
      }
    }
    return new Arms(nodes, combinations.stream().map(List::copyOf).toList());
  }

  private static void requireNames(List<String> nodes) {
    if (nodes.isEmpty()) {
      throw new IllegalArgumentException("there are no nodes");
    }
    Set<String> seen = new HashSet<>();
    for (String node : nodes) {
      if (!seen.add(node)) {
        throw new IllegalArgumentException("there are two nodes '" + node + "'");
      }
    }
  }

  public int size() {
    return arms.size();
  }

  /** The names of the nodes. */
  public List<String> nodes() {
    return nodes;
  }

  /** The models of an arm, in the order of the nodes. */
  public List<String> models(int arm) {
    return arms.get(arm);
  }

  /** For people, such as "planner=a + solver=b". */
  public String label(int arm) {
    List<String> models = arms.get(arm);
    return IntStream.range(0, nodes.size())
        .mapToObj(node -> nodes.get(node) + "=" + models.get(node))
        .collect(Collectors.joining(" + "));
  }

  /** How many nodes have different models in the two arms. */
  int distance(int arm, int other) {
    List<String> models = arms.get(arm);
    List<String> others = arms.get(other);
    int distance = 0;
    for (int node = 0; node < nodes.size(); node++) {
      if (!models.get(node).equals(others.get(node))) {
        distance++;
      }
    }
    return distance;
  }
}
