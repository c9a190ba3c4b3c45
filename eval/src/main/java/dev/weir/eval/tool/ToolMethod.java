package dev.weir.eval.tool;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method that a model may call; {@link Tools#of(Object)} makes a tool of it.
 *
 * <p>Its parameters are what the model gives, each with a {@link Param}: text, numbers, booleans,
 * enums (as their {@code toString} says), records, lists of these, and {@code Optional} for what
 * may be left out. {@code SampleContext}, {@code SampleState} and {@code ToolCall} are given by the
 * runner. It is called by any number of samples at once.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface ToolMethod {

  /** What it does, for the model. */
  String value();

  /** What the model calls it; by default the name of the method. */
  String name() default "";
}
