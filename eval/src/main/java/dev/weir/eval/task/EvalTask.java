package dev.weir.eval.task;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method that makes a task, so that {@code weir eval} finds it in a {@code .java} file, a
 * jar or on the class path:
 *
 * <pre>{@code
 * @EvalTask(defaults = "words=1")
 * static TaskDefinition.Builder capitals(int words) {
 *   return TaskDefinition.named("capitals")
 *       .dataset("capitals.csv")
 *       .solver(generate())
 *       .scorer(includes());
 * }
 * }</pre>
 *
 * <p>It returns a {@link TaskDefinition} or its builder, and is static or in a class with a
 * constructor without parameters. Its parameters of type {@code String}, {@code int}, {@code long},
 * {@code double} and {@code boolean} are the arguments of the task, given with {@code -T words=3};
 * one of type {@link dev.weir.eval.component.Arguments} gets all of them, whatever their names.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface EvalTask {

  /** What the task is called; else the name that its definition has. */
  String name() default "";

  /** Arguments that need not be given: {@code "words=1"}. */
  String[] defaults() default {};
}
