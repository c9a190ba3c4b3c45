package dev.weir.eval.solver;

import dev.weir.eval.component.Component;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The solvers that a task can name. */
public final class Solvers {

  private static final List<Component<Solver>> COMPONENTS =
      List.of(
          Component.of(
              "generate",
              "Asks the model, and takes its answer into the conversation.",
              generate()));

  private static final Map<String, Component<Solver>> BY_NAME = new TreeMap<>();

  static {
    COMPONENTS.forEach(component -> BY_NAME.put(component.name(), component));
  }

  private Solvers() {}

  /** Asks the model, and takes its answer into the conversation. */
  public static Solver generate() {
    return (state, context) -> state.generate(context.model());
  }

  public static Optional<Component<Solver>> find(String name) {
    return Optional.ofNullable(BY_NAME.get(name));
  }

  public static Set<String> names() {
    return BY_NAME.keySet();
  }

  public static List<Component<Solver>> all() {
    return COMPONENTS;
  }
}
