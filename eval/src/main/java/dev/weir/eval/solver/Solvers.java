package dev.weir.eval.solver;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The solvers that a task file can name. */
public final class Solvers {

  private static final Map<String, Solver> BY_NAME =
      Map.of(
          "generate",
          (conversation, generator) -> conversation.with(generator.generate(conversation)));

  private Solvers() {}

  public static Optional<Solver> find(String name) {
    return Optional.ofNullable(BY_NAME.get(name));
  }

  public static Set<String> names() {
    return BY_NAME.keySet();
  }
}
