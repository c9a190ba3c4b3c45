package dev.weir.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that evaluates a model. It fails if the evaluation does, or stays below a threshold.
 *
 * <pre>{@code
 * @Evaluation(task = "capitals.yaml", model = "openai/gpt-5.6-luna", threshold = "accuracy >= 0.8")
 * void knowsCapitals() {}
 *
 * @Evaluation(task = "capitals.yaml", model = {"openai/gpt-5.6-luna", "ollama/llama3.2"})
 * void isCheap(EvaluationResult result) {
 *   assertThat(result.run().cost().knownUsd()).isLessThan("0.01");
 * }
 * }</pre>
 *
 * <p>On a method, it makes a test of it, as {@code @Test} would; each task and model is a test of
 * its own. On a class, it says what its methods leave open, and any {@code @Test} of the class that
 * has a parameter of type {@link EvaluationResult} gets that of the class, which is evaluated once.
 * A class of which no test does either is evaluated after the last of them, and fails if a
 * threshold is missed; a class without tests is not seen by JUnit, and never evaluated.
 *
 * <p>Every option can be set here, in the task, and as a variable such as {@code WEIR_MODEL}, which
 * wins over both.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
@TestTemplate
@ExtendWith(EvaluationExtension.class)
public @interface Evaluation {

  /**
   * What to evaluate: a task file, Java file, jar, class or directory, relative to the working
   * directory; {@code classpath:capitals.yaml} for a resource; {@code @capitals} for a method of
   * the test class with {@link dev.weir.eval.task.EvalTask}. Default: all such methods of the test
   * class.
   */
  String task() default "";

  /** Which models, such as {@code openai/gpt-5.6-luna}. Default: those of the task. */
  String[] model() default {};

  /**
   * What must hold: {@code accuracy >= 0.8}, {@code stderr < 0.05}, {@code includes/accuracy >=
   * 0.9} for one of several scorers, {@code accuracy_over_all >= 0.8} with samples that failed
   * counted as 0, {@code mean[topic=x] >= 0.5} for a group; {@code accuracy=0.8} means at least.
   */
  String[] threshold() default {};

  /** Any options, as in a task file: {@code "max_connections=10"}. */
  String[] options() default {};

  /**
   * Whether the test is skipped, rather than failed, where a credential of the model is missing.
   */
  boolean skipWithoutCredentials() default false;
}
