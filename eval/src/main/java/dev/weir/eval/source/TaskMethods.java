package dev.weir.eval.source;

import dev.weir.eval.source.TaskSource.Kind;
import dev.weir.eval.task.EvalTask;
import dev.weir.eval.task.TaskInput;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The methods of a place that make tasks.
 *
 * @param directory what relative paths in them start from
 */
record TaskMethods(Named named, Kind kind, ClassLoader loader, Path directory) {

  /**
   * Those that were named, in the order of their classes.
   *
   * @throws ConfigurationException if there is none, or one cannot make a task
   */
  List<TaskSource> of(List<AnnotatedMethods> annotated) {
    List<Method> methods = new ArrayList<>();
    annotated.forEach(type -> methods.addAll(methods(type)));
    if (methods.isEmpty()) {
      throw new ConfigurationException(
          "%s: there is no task in it; mark the methods that make tasks with @EvalTask"
              .formatted(named.place()));
    }
    List<MethodSource> all = methods.stream().map(method -> source(method, methods)).toList();
    if (named.task().isEmpty()) {
      return List.copyOf(all);
    }
    String wanted = named.task().get();
    List<MethodSource> chosen =
        all.stream().filter(source -> names(source).anyMatch(wanted::equals)).toList();
    if (chosen.isEmpty()) {
      chosen = all.stream().filter(source -> makes(source, wanted)).toList();
    }
    if (chosen.isEmpty()) {
      throw new ConfigurationException(
          "%s: there is no task '%s'%s"
              .formatted(
                  named.place(),
                  wanted,
                  Spelling.hint(wanted, all.stream().flatMap(TaskMethods::names).toList())));
    }
    return List.copyOf(chosen);
  }

  private List<Method> methods(AnnotatedMethods type) {
    try {
      List<Method> declared =
          Stream.of(Class.forName(type.className(), false, loader).getDeclaredMethods())
              .filter(method -> method.isAnnotationPresent(EvalTask.class))
              .toList();
      Set<String> names = new HashSet<>();
      for (Method method : declared) {
        if (!names.add(method.getName())) {
          throw new ConfigurationException(
              "%s: two methods of %s that make tasks are called '%s'; rename one"
                  .formatted(named.place(), type.className(), method.getName()));
        }
      }
      return type.names().stream()
          .flatMap(name -> declared.stream().filter(method -> method.getName().equals(name)))
          .toList();
    } catch (ClassNotFoundException | LinkageError unusable) {
      throw new ConfigurationException(
          "%s: the class %s cannot be loaded: %s"
              .formatted(named.place(), type.className(), unusable),
          unusable);
    }
  }

  /** By its name; where several have it, with that of its class. */
  private MethodSource source(Method method, List<Method> all) {
    boolean unique =
        all.stream().filter(other -> other.getName().equals(method.getName())).count() == 1;
    return new MethodSource(
        named.place() + "@" + (unique ? method.getName() : withClass(method)),
        kind,
        method,
        directory);
  }

  /** Whether the task is called so, which only the method knows. */
  private static boolean makes(MethodSource source, String wanted) {
    try {
      return source.isComplete()
          && source
              .load(new TaskInput(Map.of(), Map.of(), TaskInput.NO_STDIN))
              .getFirst()
              .name()
              .equals(wanted);
    } catch (ConfigurationException unusable) {
      // It is told when that task is asked for.
      return false;
    }
  }

  private static Stream<String> names(MethodSource source) {
    return Stream.of(source.method().getName(), source.taskName(), withClass(source.method()))
        .filter(name -> !name.isEmpty());
  }

  private static String withClass(Method method) {
    return method.getDeclaringClass().getSimpleName() + "." + method.getName();
  }
}
