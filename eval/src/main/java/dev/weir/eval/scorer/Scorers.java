package dev.weir.eval.scorer;

import dev.weir.eval.component.Arguments;
import dev.weir.eval.component.Component;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The scorers that a task can name. In Java each has a method for its usual form; {@link #of} gives
 * any other.
 *
 * <pre>{@code
 * Scorers.match();
 * Scorers.of("match", Map.of("numeric", true));
 * Scorers.multi("max", Scorers.exact(), Scorers.numeric(0.01));
 * }</pre>
 */
public final class Scorers {

  private static final List<Component<Scorer>> COMPONENTS =
      List.of(
          Exact.COMPONENT,
          Includes.COMPONENT,
          Match.COMPONENT,
          PatternScorer.COMPONENT,
          AnswerScorer.COMPONENT,
          Choice.COMPONENT,
          F1.COMPONENT,
          JsonScorer.COMPONENT,
          Numeric.COMPONENT,
          MathScorer.COMPONENT,
          Rouge.COMPONENT,
          Bleu.COMPONENT,
          Similarity.COMPONENT,
          ModelGraded.QA,
          ModelGraded.FACT,
          Multi.COMPONENT);

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

  /**
   * A scorer by its name.
   *
   * @param arguments as a task file has them
   * @throws ConfigurationException if there is no such scorer, or it cannot use the arguments
   */
  public static Scorer of(String name, Map<String, ?> arguments) {
    return find(name)
        .orElseThrow(
            () ->
                new ConfigurationException(
                    "there is no scorer '%s'%s".formatted(name, Spelling.hint(name, names()))))
        .make(Arguments.of(arguments))
        .named(name);
  }

  /** Right if the output is a target, ignoring case and white space around. */
  public static Scorer exact() {
    return of("exact", Map.of());
  }

  /** Right if a target is anywhere in the output, ignoring case. */
  public static Scorer includes() {
    return of("includes", Map.of());
  }

  /** Right if the output ends with a target, ignoring case and punctuation around. */
  public static Scorer match() {
    return of("match", Map.of());
  }

  /** Right if a group of the pattern, or the whole match if it has none, is a target. */
  public static Scorer pattern(String pattern) {
    return of("pattern", Map.of("pattern", pattern));
  }

  /**
   * Correct if what follows the last {@code ANSWER:} is a target.
   *
   * @param kind {@code letter}, {@code word} or {@code line}
   */
  public static Scorer answer(String kind) {
    return of("answer", Map.of("kind", kind));
  }

  /** Right if the model chose the right answers of {@code multiple_choice} and no other. */
  public static Scorer choice() {
    return of("choice", Map.of());
  }

  /** How many words the output shares with the best target. */
  public static Scorer f1() {
    return of("f1", Map.of());
  }

  /** Right if the output is JSON. */
  public static Scorer json() {
    return of("json", Map.of());
  }

  /** Right if the last number of the output is within the tolerance of a target. */
  public static Scorer numeric(double tolerance) {
    return of("numeric", Map.of("tolerance", tolerance));
  }

  /** Right if the output is, as mathematics, the same as a target. */
  public static Scorer math() {
    return of("math", Map.of());
  }

  /** The F measure of the longest common sequence of words. */
  public static Scorer rouge() {
    return of("rouge", Map.of());
  }

  /** Smoothed BLEU of the output. */
  public static Scorer bleu() {
    return of("bleu", Map.of());
  }

  /**
   * How close the output is in meaning to a target.
   *
   * @throws ConfigurationException if there is no {@link Embedder} on the class path
   */
  public static Scorer similarity() {
    return of("similarity", Map.of());
  }

  /** The model of the role {@code grader} judges whether the answer is right. */
  public static Scorer modelGradedQa() {
    return of("model_graded_qa", Map.of());
  }

  /** The model of the role {@code grader} judges whether the answer states the target's fact. */
  public static Scorer modelGradedFact() {
    return of("model_graded_fact", Map.of());
  }

  /**
   * One score of several.
   *
   * @param reducer {@code mean}, {@code max}, {@code min} or {@code majority}
   */
  public static Scorer multi(String reducer, Scorer... scorers) {
    if (scorers.length == 0) {
      throw new IllegalArgumentException("`scorers` must not be empty");
    }
    Map<String, Scorer> named = new LinkedHashMap<>();
    for (Scorer scorer : scorers) {
      named.put("scorer_" + (named.size() + 1), scorer);
    }
    return new Multi(
            named,
            Words.read(
                Arguments.of(Map.of("reducer", reducer)),
                "reducer",
                Multi.Reduction.class,
                Multi.Reduction.MEAN))
        .named("multi");
  }
}
