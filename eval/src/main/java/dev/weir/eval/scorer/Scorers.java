package dev.weir.eval.scorer;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The scorers that a task file can name. */
public final class Scorers {

  private static final Map<String, Scorer> BY_NAME =
      Map.of(
          "includes",
          Scorers::includes,
          "exact",
          Scorers::exact,
          "model_graded_qa",
          new ModelGraded());

  private Scorers() {}

  public static Optional<Scorer> find(String name) {
    return Optional.ofNullable(BY_NAME.get(name));
  }

  public static Set<String> names() {
    return BY_NAME.keySet();
  }

  /** The parts that scorers have for models. */
  public static Set<String> roles() {
    return Set.of(ModelGraded.ROLE);
  }

  /** Right if the target is anywhere in the output, ignoring case. */
  static double includes(String output, String target) {
    return fold(output).contains(fold(target)) ? 1 : 0;
  }

  /** Right if the output is the target, ignoring case and white space around. */
  private static double exact(String output, String target) {
    return fold(output).equals(fold(target)) ? 1 : 0;
  }

  private static String fold(String text) {
    return text.strip().toLowerCase(Locale.ROOT);
  }
}
