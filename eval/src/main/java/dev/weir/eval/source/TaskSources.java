package dev.weir.eval.source;

import dev.weir.eval.dataset.InputFile;
import dev.weir.eval.option.Secrets;
import dev.weir.eval.promptfoo.PromptfooConfig;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.eval.task.TaskInput;
import dev.weir.log.TaskOrigin;
import dev.weir.model.ConfigurationException;
import dev.weir.model.PathSpelling;
import dev.weir.model.Printable;
import dev.weir.model.Spelling;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Finds tasks where a user says they are:
 *
 * <ul>
 *   <li>{@code capitals.yaml}: a task file
 *   <li>{@code promptfooconfig.yaml}: a configuration of promptfoo, all its tasks; with
 *       {@code @NAME}, the one of that name
 *   <li>{@code Tasks.java}: all methods with {@link dev.weir.eval.task.EvalTask} of a Java file,
 *       which is compiled in memory; {@code Tasks.java@capitals}: one of them
 *   <li>{@code tasks.jar}, {@code tasks.jar@capitals}: likewise of a jar
 *   <li>{@code com.acme.Tasks}, {@code com.acme.Tasks@capitals}: likewise of a class on the class
 *       path
 *   <li>{@code tasks/}: all task files, configurations of promptfoo, and Java files with tasks that
 *       are no JUnit tests, recursively
 * </ul>
 */
public final class TaskSources {

  private static final Pattern CLASS_NAME =
      Pattern.compile("[\\p{L}_$][\\p{L}\\p{N}_$]*(\\.[\\p{L}_$][\\p{L}\\p{N}_$]*)*");

  private TaskSources() {}

  /**
   * Loads the tasks that a user named.
   *
   * @param input each of its arguments must be known to one of the tasks
   * @throws ConfigurationException if there is no such task, or it cannot be made
   */
  public static List<TaskDefinition> load(String spec, TaskInput input) {
    return loadEach(spec, input).values().stream().flatMap(List::stream).toList();
  }

  /** As {@link #load}, with where each comes from, in order. */
  public static Map<TaskSource, List<TaskDefinition>> loadEach(String spec, TaskInput input) {
    List<TaskSource> sources = find(spec);
    requireKnown(spec, sources, input.arguments().keySet());
    Map<TaskSource, List<TaskDefinition>> tasks = new LinkedHashMap<>();
    sources.forEach(source -> tasks.put(source, load(source, input)));
    return tasks;
  }

  /** Each task knows where it can be made again from. */
  private static List<TaskDefinition> load(TaskSource source, TaskInput input) {
    return source.load(input).stream()
        .map(
            task ->
                task.with(
                    new TaskOrigin(
                        absolute(source),
                        Optional.of(task.name()),
                        new Secrets(input.environment())
                            .and(task.provenance().secrets())
                            .hidden(input.arguments()))))
        .toList();
  }

  private static String absolute(TaskSource source) {
    return switch (source) {
      case YamlSource(_, Path file) -> absolute(file);
      case PromptfooSource(_, Path file) -> absolute(file);
      case MethodSource method ->
          method.kind() == TaskSource.Kind.CLASS
              ? method.spec()
              : path(method.spec()).map(TaskSources::absolute).orElse(method.spec());
    };
  }

  private static String absolute(Path file) {
    return file.toAbsolutePath().normalize().toString();
  }

  /**
   * The variables that models of the tasks are opened with: those of the process, and over them
   * what a configuration of promptfoo says.
   */
  public static Map<String, String> environment(String spec, Map<String, String> process) {
    return path(Named.parse(spec).place())
        .filter(PromptfooConfig::isPromptfoo)
        .map(file -> PromptfooConfig.environment(file, process))
        .orElse(process);
  }

  /**
   * The places that the tasks come from, at least one. Java files are compiled, but none of their
   * code runs, unless one is named by what only its method calls it.
   *
   * @throws ConfigurationException if there is none, or one cannot be compiled
   */
  public static List<TaskSource> find(String spec) {
    List<TaskSource> sources = files(spec).stream().flatMap(file -> findIn(file).stream()).toList();
    if (sources.isEmpty()) {
      throw new ConfigurationException("%s: there is no task in it".formatted(spec));
    }
    return sources;
  }

  /**
   * The files that a directory is made of, each to be found by itself; anything else as it is.
   *
   * @throws ConfigurationException if there is no task in the directory
   */
  public static List<String> files(String spec) {
    Optional<Path> directory = path(spec).filter(Files::isDirectory);
    return directory.isPresent()
        ? TaskDirectory.files(directory.get()).stream().map(Path::toString).toList()
        : List.of(spec);
  }

  private static List<TaskSource> findIn(String spec) {
    Named named = Named.parse(spec);
    String ending = named.place().toLowerCase(Locale.ROOT);
    Optional<Path> path = path(named.place());
    if (path.isPresent() && (ending.endsWith(".yaml") || ending.endsWith(".yml"))) {
      return List.of(
          PromptfooConfig.isPromptfoo(path.get())
              ? new PromptfooSource(named, path.get())
              : new YamlSource(named, path.get()));
    }
    if (path.isPresent() && ending.endsWith(".java")) {
      return javaFile(named, path.get());
    }
    if (path.isPresent() && ending.endsWith(".jar")) {
      return jar(named, path.get());
    }
    if (path.isPresent() && Files.exists(path.get())) {
      throw new ConfigurationException(
          "%s: a task must be a .yaml, .java or .jar file, a directory of them, or a class"
              .formatted(Printable.line(spec)));
    }
    if (CLASS_NAME.matcher(named.place()).matches()) {
      return classPath(named);
    }
    throw InputFile.unreadable(
        path.orElse(Path.of(Printable.line(spec))), new NoSuchFileException(spec));
  }

  private static List<TaskSource> javaFile(Named named, Path file) {
    CompiledClasses classes = JavaFile.compile(file);
    List<AnnotatedMethods> annotated =
        classes.classFiles().stream()
            .flatMap(classFile -> AnnotatedMethods.in(classFile).stream())
            .toList();
    return new TaskMethods(named, TaskSource.Kind.JAVA, classes, directory(file)).of(annotated);
  }

  private static List<TaskSource> jar(Named named, Path file) {
    List<AnnotatedMethods> annotated = JarTasks.scan(file);
    return new TaskMethods(named, TaskSource.Kind.JAR, JarTasks.classLoader(file), directory(file))
        .of(annotated);
  }

  private static List<TaskSource> classPath(Named named) {
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    ClassLoader loader = context == null ? TaskSources.class.getClassLoader() : context;
    String resource = named.place().replace('.', '/') + ".class";
    try (InputStream classFile = loader.getResourceAsStream(resource)) {
      if (classFile == null) {
        throw new ConfigurationException(
            "there is no file and no class '%s'%s"
                .formatted(named.place(), path(named.place()).map(PathSpelling::hint).orElse("")));
      }
      List<AnnotatedMethods> annotated =
          AnnotatedMethods.in(classFile.readAllBytes()).stream().toList();
      return new TaskMethods(named, TaskSource.Kind.CLASS, loader, Path.of("")).of(annotated);
    } catch (IOException unreadable) {
      throw new ConfigurationException(
          "the class %s cannot be read: %s".formatted(named.place(), unreadable), unreadable);
    }
  }

  /** Relative if the file is, so that messages show what the user wrote. */
  private static Path directory(Path file) {
    Path parent = file.getParent();
    return parent == null ? Path.of("") : parent;
  }

  private static void requireKnown(String spec, List<TaskSource> sources, Set<String> arguments) {
    if (sources.stream().anyMatch(TaskSource::takesAny)) {
      return;
    }
    Set<String> known =
        sources.stream()
            .flatMap(source -> source.parameters().stream())
            .collect(Collectors.toCollection(LinkedHashSet::new));
    for (String argument : arguments) {
      if (!known.contains(argument)) {
        throw new ConfigurationException(
            "%s takes no argument '%s'%s"
                .formatted(spec, argument, Spelling.hint(argument, known)));
      }
    }
  }

  private static Optional<Path> path(String text) {
    try {
      return Optional.of(Path.of(text));
    } catch (InvalidPathException malformed) {
      return Optional.empty();
    }
  }
}
