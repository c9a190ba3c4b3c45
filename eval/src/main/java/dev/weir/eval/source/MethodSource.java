package dev.weir.eval.source;

import dev.weir.eval.component.Arguments;
import dev.weir.eval.task.EvalTask;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.eval.task.TaskInput;
import dev.weir.eval.task.TaskPaths;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A method that makes a task.
 *
 * @param directory what relative paths in it start from
 */
record MethodSource(String spec, Kind kind, Method method, Path directory) implements TaskSource {

  private static final List<Class<?>> WORDS =
      List.of(String.class, int.class, long.class, double.class, boolean.class);

  /**
   * @throws ConfigurationException if the method cannot make a task
   */
  MethodSource {
    if (method.getReturnType() != TaskDefinition.class
        && method.getReturnType() != TaskDefinition.Builder.class) {
      throw new ConfigurationException(
          "%s must return TaskDefinition or TaskDefinition.Builder, was %s"
              .formatted(spec, method.getReturnType().getSimpleName()));
    }
    for (Parameter parameter : method.getParameters()) {
      if (parameter.getType() == Arguments.class) {
        continue;
      }
      if (!WORDS.contains(parameter.getType())) {
        throw new ConfigurationException(
            "%s: the parameter `%s` must be a String, int, long, double, boolean or Arguments, was %s"
                .formatted(spec, parameter.getName(), parameter.getType().getSimpleName()));
      }
      if (!parameter.isNamePresent()) {
        throw new ConfigurationException(
            "%s: the names of its parameters are not known; compile it with -parameters, or take"
                    .formatted(spec)
                + " Arguments instead");
      }
    }
    method.setAccessible(true);
  }

  @Override
  public Set<String> parameters() {
    Set<String> names = new LinkedHashSet<>();
    words().forEach(parameter -> names.add(parameter.getName()));
    return names;
  }

  @Override
  public boolean isComplete() {
    return withDefaults(Map.of()).keySet().containsAll(parameters());
  }

  @Override
  public boolean takesAny() {
    return Stream.of(method.getParameters())
        .anyMatch(parameter -> parameter.getType() == Arguments.class);
  }

  /** What selects it beside its own name. */
  String taskName() {
    return annotation().name();
  }

  @Override
  public List<TaskDefinition> load(TaskInput input) {
    var arguments =
        new Arguments(
            withDefaults(input.arguments()),
            directory,
            (name, rule) -> new ConfigurationException("%s: `%s` %s".formatted(spec, name, rule)));
    Object[] values =
        Stream.of(method.getParameters()).map(parameter -> value(parameter, arguments)).toArray();
    Object made =
        TaskPaths.<@Nullable Object, RuntimeException>relativeTo(directory, () -> call(values));
    TaskDefinition task =
        switch (made) {
          case TaskDefinition definition -> definition;
          case TaskDefinition.Builder builder -> built(builder);
          case null, default -> throw new ConfigurationException(spec + " returned no task");
        };
    return List.of(taskName().isEmpty() ? task : task.with(taskName()));
  }

  private Map<String, String> withDefaults(Map<String, String> given) {
    Map<String, String> arguments = new LinkedHashMap<>();
    for (String pair : annotation().defaults()) {
      int equals = pair.indexOf('=');
      if (equals < 1) {
        throw new ConfigurationException(
            "%s: `defaults` of @EvalTask must be of the form name=value, was '%s'"
                .formatted(spec, pair));
      }
      String name = pair.substring(0, equals).strip();
      if (!takesAny() && !parameters().contains(name)) {
        throw new ConfigurationException(
            "%s: `defaults` of @EvalTask names '%s', but there is no such parameter"
                .formatted(spec, name));
      }
      arguments.put(name, pair.substring(equals + 1).strip());
    }
    arguments.putAll(given);
    return arguments;
  }

  private Object value(Parameter parameter, Arguments arguments) {
    if (parameter.getType() == Arguments.class) {
      return arguments;
    }
    String name = parameter.getName();
    String word =
        arguments
            .text(name)
            .orElseThrow(
                () -> arguments.wrong(name, "is missing; give it with -T %s=…".formatted(name)));
    try {
      return switch (parameter.getType().getName()) {
        case "int" -> Integer.parseInt(word);
        case "long" -> Long.parseLong(word);
        case "double" -> Double.parseDouble(word);
        case "boolean" -> arguments.flag(name).orElseThrow();
        default -> word;
      };
    } catch (NumberFormatException notANumber) {
      throw arguments.wrong(
          name,
          "must be %s, was '%s'"
              .formatted(
                  parameter.getType() == double.class ? "a number" : "a whole number", word));
    }
  }

  private @Nullable Object call(Object[] values) {
    try {
      return method.invoke(Modifier.isStatic(method.getModifiers()) ? null : instance(), values);
    } catch (InvocationTargetException thrown) {
      throw failed(thrown.getCause());
    } catch (ReflectiveOperationException impossible) {
      throw new IllegalStateException("an accessible method cannot be called", impossible);
    }
  }

  private Object instance() throws ReflectiveOperationException {
    Class<?> type = method.getDeclaringClass();
    try {
      Constructor<?> constructor = type.getDeclaredConstructor();
      constructor.setAccessible(true);
      return constructor.newInstance();
    } catch (NoSuchMethodException | InstantiationException unusable) {
      throw new ConfigurationException(
          "%s: make the method static, or give %s a constructor without parameters"
              .formatted(spec, type.getSimpleName()),
          unusable);
    }
  }

  private TaskDefinition built(TaskDefinition.Builder builder) {
    try {
      return builder.build();
    } catch (IllegalArgumentException incomplete) {
      throw failed(incomplete);
    }
  }

  /** What a task's code throws is the user's to mend, and so is told with its line. */
  private ConfigurationException failed(@Nullable Throwable thrown) {
    return switch (thrown) {
      case ConfigurationException told ->
          new ConfigurationException(
              "%s%s: %s".formatted(spec, line(told), told.getMessage()), told);
      case VirtualMachineError fatal -> throw fatal;
      case null -> new ConfigurationException(spec + " failed");
      default ->
          new ConfigurationException(
              "%s%s failed: %s".formatted(spec, line(thrown), Printable.line(thrown.toString())),
              thrown);
    };
  }

  private String line(Throwable thrown) {
    return Stream.of(thrown.getStackTrace())
        .filter(frame -> frame.getClassName().equals(method.getDeclaringClass().getName()))
        .filter(frame -> frame.getLineNumber() > 0)
        .findFirst()
        .map(frame -> ", line " + frame.getLineNumber())
        .orElse("");
  }

  private Stream<Parameter> words() {
    return Stream.of(method.getParameters())
        .filter(parameter -> parameter.getType() != Arguments.class);
  }

  private EvalTask annotation() {
    EvalTask annotation = method.getAnnotation(EvalTask.class);
    if (annotation == null) {
      throw new IllegalStateException("a method without @EvalTask: " + method);
    }
    return annotation;
  }
}
