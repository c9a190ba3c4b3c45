package dev.weir.eval.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.task.TaskDefinition;
import dev.weir.eval.task.TaskInput;
import dev.weir.model.ConfigurationException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tasks of jars that are compiled and packed as users do it. */
class JarTasksTest {

  private static final String TASKS =
      """
      package acme;
      import static dev.weir.eval.scorer.Scorers.*;
      import static dev.weir.eval.solver.Solvers.*;
      import dev.weir.eval.task.*;
      public class Tasks {
        @EvalTask
        public TaskDefinition.Builder helped(%s) {
          return TaskDefinition.named(Helper.NAME)
              .dataset("data.csv").solver(generate()).scorer(includes());
        }
      }
      """;

  private static final String HELPER = "package acme; class Helper { static String NAME = \"h\"; }";

  private static final String EXPLOSIVE =
      "package acme; class Explosive { static { if (true) throw new IllegalStateException(); } }";

  @TempDir Path directory;

  /** Compiles sources, and packs what became of them. */
  private Path jar(String name, Optional<String> classPath, List<String> options, String... sources)
      throws IOException {
    Path classes = directory.resolve(name + "-classes");
    Files.createDirectories(classes);
    List<String> arguments = new ArrayList<>(options);
    String own = System.getProperty("java.class.path") + java.io.File.pathSeparator + directory;
    try (Stream<Path> others = Files.list(directory)) {
      own += java.io.File.pathSeparator;
      own +=
          String.join(
              java.io.File.pathSeparator,
              others.map(Path::toString).filter(path -> path.endsWith("-classes")).toList());
    }
    arguments.addAll(List.of("-proc:none", "-cp", own, "-d", classes.toString()));
    for (String source : sources) {
      String type = source.replaceAll("(?s).*?class (\\w+).*", "$1");
      Path file = directory.resolve(type + ".java");
      arguments.add(Files.writeString(file, source).toString());
    }
    assertThat(
            ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, arguments.toArray(String[]::new)))
        .isZero();
    var manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    classPath.ifPresent(path -> manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, path));
    Path jar = directory.resolve(name + ".jar");
    try (OutputStream file = Files.newOutputStream(jar);
        var packed = new JarOutputStream(file, manifest);
        Stream<Path> compiled = Files.walk(classes)) {
      for (Path classFile : compiled.filter(Files::isRegularFile).toList()) {
        packed.putNextEntry(new JarEntry(classes.relativize(classFile).toString()));
        packed.write(Files.readAllBytes(classFile));
      }
    }
    return jar;
  }

  @Test
  void findsTasksAndTheClassesThatTheManifestNames() throws Exception {
    Files.writeString(directory.resolve("data.csv"), "input,target\nq,a\n");
    jar("helper", Optional.empty(), List.of(), HELPER);
    Path jar = jar("tasks", Optional.of("helper.jar"), List.of(), TASKS.formatted(""), EXPLOSIVE);
    // What helps to compile it is gone when it runs.
    Files.delete(directory.resolve("helper-classes/acme/Helper.class"));
    List<TaskDefinition> tasks = TaskSources.load(jar.toString(), TaskInput.process());
    assertThat(tasks).extracting(TaskDefinition::name).containsExactly("h");
    assertThat(tasks.getFirst().dataset().samples()).hasSize(1);
    assertThat(TaskSources.load(jar + "@helped", TaskInput.process())).hasSize(1);
    assertThat(TaskSources.find(jar.toString()).getFirst().kind()).isEqualTo(TaskSource.Kind.JAR);
  }

  @Test
  void aJarWhoseParametersHaveNoNamesIsRefused() throws Exception {
    Path jar = jar("nameless", Optional.empty(), List.of(), TASKS.formatted("int times"), HELPER);
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> TaskSources.find(jar.toString()))
        .withMessageContaining("nameless.jar@helped: the names of its parameters are not known")
        .withMessageContaining("compile it with -parameters");
  }

  @Test
  void aMissingClassIsToldWithItsName() throws Exception {
    Path jar = jar("alone", Optional.empty(), List.of(), TASKS.formatted(""), HELPER);
    Path torn = directory.resolve("torn.jar");
    try (var from = new java.util.jar.JarFile(jar.toFile());
        var to = new JarOutputStream(Files.newOutputStream(torn))) {
      to.putNextEntry(new JarEntry("acme/Tasks.class"));
      to.write(from.getInputStream(from.getEntry("acme/Tasks.class")).readAllBytes());
    }
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> TaskSources.load(torn.toString(), TaskInput.process()))
        .withMessageContaining("torn.jar@helped")
        .withMessageContaining("acme/Helper");
  }
}
