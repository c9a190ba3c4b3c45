package dev.weir.eval.source;

import dev.weir.eval.task.TaskDefinition;
import dev.weir.eval.task.TaskInput;
import dev.weir.model.ConfigurationException;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** A place that a task can be loaded from. */
public sealed interface TaskSource permits YamlSource, PromptfooSource, MethodSource {

  /** What a task is written in. */
  enum Kind {
    YAML,
    /** A configuration of promptfoo. */
    PROMPTFOO,
    /** A method of a Java file. */
    JAVA,
    /** A method in a jar. */
    JAR,
    /** A method of a class on the class path. */
    CLASS;

    /** For people and scripts. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** What selects it alone: {@code capitals.yaml}, {@code Tasks.java@capitals}. */
  String spec();

  Kind kind();

  /** The arguments it takes, by name. */
  default Set<String> parameters() {
    return Set.of();
  }

  /** Whether it can be loaded without arguments. */
  default boolean isComplete() {
    return true;
  }

  /** Whether it takes arguments of any name. */
  default boolean takesAny() {
    return false;
  }

  /**
   * Makes the tasks.
   *
   * @param input arguments that it does not take are passed over
   * @throws ConfigurationException if that fails, with where
   */
  List<TaskDefinition> load(TaskInput input);
}
