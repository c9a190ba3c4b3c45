package dev.weir.eval.scorer;

import dev.weir.eval.component.Component;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The scorers that a task can name. */
public final class Scorers {

  private static final List<Component<Scorer>> COMPONENTS =
      List.of(
          Component.of(
              "includes",
              "Right if the target is anywhere in the output, ignoring case.",
              includes()),
          Component.of(
              "exact",
              "Right if the output is the target, ignoring case and white space around.",
              exact()),
          Component.of(
              "model_graded_qa",
              "A model, that of the role grader, judges whether the answer is right.",
              new ModelGraded()));

  private static final Map<String, Component<Scorer>> BY_NAME = new TreeMap<>();

  static {
    COMPONENTS.forEach(component -> BY_NAME.put(component.name(), component));
  }

  private Scorers() {}

  public static Optional<Component<Scorer>> find(String name) {
    return Optional.ofNullable(BY_NAME.get(name));
  }

  public static Set<String> names() {
    return BY_NAME.keySet();
  }

  public static List<Component<Scorer>> all() {
    return COMPONENTS;
  }

  /** Right if a target is anywhere in the output, ignoring case. */
  public static Scorer includes() {
    return (state, _) -> {
      String output = fold(state.output().orElse(""));
      return Score.of(
          state.sample().targets().stream().anyMatch(target -> output.contains(fold(target))));
    };
  }

  /** Right if the output is a target, ignoring case and white space around. */
  public static Scorer exact() {
    return (state, _) -> {
      String output = fold(state.output().orElse(""));
      return Score.of(
          state.sample().targets().stream().anyMatch(target -> output.equals(fold(target))));
    };
  }

  static String fold(String text) {
    return text.strip().toLowerCase(Locale.ROOT);
  }
}
