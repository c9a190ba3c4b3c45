package dev.weir.eval.tool;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** An argument of a {@link ToolMethod}, or a component of a record that is one. */
@Documented
@Target({ElementType.PARAMETER, ElementType.RECORD_COMPONENT})
@Retention(RetentionPolicy.RUNTIME)
public @interface Param {

  /** What it is, for the model. */
  String value();

  /** What the model calls it; by default its name, for which javac needs {@code -parameters}. */
  String name() default "";
}
