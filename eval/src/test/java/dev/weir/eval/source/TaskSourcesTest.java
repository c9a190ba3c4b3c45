package dev.weir.eval.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.Evaluation;
import dev.weir.eval.Host;
import dev.weir.eval.option.Settings;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.eval.task.TaskInput;
import dev.weir.model.ConfigurationException;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TaskSourcesTest {

  /** The beginning and the end of every Java file here. */
  private static final String IMPORTS =
      """
      import static dev.weir.eval.scorer.Scorers.*;
      import static dev.weir.eval.solver.Solvers.*;
      import dev.weir.eval.component.Arguments;
      import dev.weir.eval.dataset.Sample;
      import dev.weir.eval.scorer.Scorer;
      import dev.weir.eval.task.*;
      """;

  private static final String TASK =
      "TaskDefinition.named(\"%s\").dataset(new Sample(\"1\", \"q\", \"a\")).solver(generate())"
          + ".scorer(includes())";

  @TempDir Path directory;

  private String write(String name, String content) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, content).toString();
  }

  private static TaskInput input(Map<String, String> arguments) {
    return new TaskInput(arguments, Map.of(), InputStream::nullInputStream);
  }

  private static List<String> names(String spec) {
    return TaskSources.load(spec, input(Map.of())).stream().map(TaskDefinition::name).toList();
  }

  private static void assertRefused(String spec, Map<String, String> arguments, String... words) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> TaskSources.load(spec, input(arguments)))
        .satisfies(refused -> assertThat(refused).message().contains(words));
  }

  @Test
  void aJavaTaskRunsAsATaskFileDoes() throws Exception {
    write("data/capitals.csv", "input,target\nCapital of Italy?,Rome\nCapital of Peru?,Lima\n");
    String file =
        write(
            "Capitals.java",
            IMPORTS
                + """
                class Capitals {
                  @EvalTask
                  static TaskDefinition.Builder capitals() {
                    return TaskDefinition.named("capitals")
                        .dataset("data/capitals.csv")
                        .solver(shouting(), generate())
                        .scorer(includes())
                        .scorer("short", Scorer.of((output, target) -> output.length() < 9 ? 1 : 0))
                        .model("sim/x:accuracy=1,latency=1s,rpm=0")
                        .epochs(2)
                        .maxConnections(1);
                  }

                  private static dev.weir.eval.solver.Solver shouting() {
                    return (state, context) -> state.setUserPrompt(state.userPrompt() + "!");
                  }
                }
                """);
    VirtualTime time = VirtualTime.seeded(1);
    Evaluation.Finished finished =
        time.run(
            () ->
                Evaluation.prepare(
                        time,
                        TaskSources.load(file, input(Map.of())),
                        Settings.NONE.with("log_dir", directory.resolve("logs")),
                        new Host(Map.of(), Optional.empty(), (_, _) -> {}))
                    .run());
    assertThat(finished.result().metrics()).containsEntry("accuracy", 1.0);
    assertThat(finished.result().samples().scored()).isEqualTo(4);
    assertThat(finished.result().start().scorers()).containsExactly("includes", "short");
    assertThat(finished.result().seconds()).isGreaterThan(3);
  }

  @Test
  void findsAllMethodsInTheOrderOfTheSource() throws Exception {
    String file =
        write(
            "Many.java",
            "package some.where;\n"
                + IMPORTS
                + """
                public class Many {
                  @EvalTask TaskDefinition zebra() { return %s.build(); }
                  @EvalTask static TaskDefinition.Builder ape() { return %s; }
                  TaskDefinition unmarked() { throw new IllegalStateException(); }
                }
                class Others {
                  @EvalTask(name = "a bee") static TaskDefinition.Builder bee() { return %s; }
                }
                """
                    .formatted(
                        TASK.formatted("zebra"), TASK.formatted("ape"), TASK.formatted("bee")));
    assertThat(names(file)).containsExactly("zebra", "ape", "a bee");
    assertThat(names(file + "@ape")).containsExactly("ape");
    assertThat(names(file + "@a bee")).containsExactly("a bee");
    assertThat(names(file + "@Others.bee")).containsExactly("a bee");
    assertThat(TaskSources.find(file))
        .extracting(TaskSource::spec)
        .containsExactly(file + "@zebra", file + "@ape", file + "@bee");
    assertRefused(file + "@aep", Map.of(), "Many.java: there is no task 'aep'", "mean 'ape'?");
  }

  @Test
  void aTaskIsFoundByTheNameThatItsMethodGivesIt() throws Exception {
    String file =
        write(
            "Named.java",
            IMPORTS
                + """
                class Named {
                  @EvalTask static TaskDefinition.Builder broken() { throw new IllegalStateException(); }
                  @EvalTask static TaskDefinition.Builder open(int n) { return %s; }
                  @EvalTask static TaskDefinition.Builder all() { return %s; }
                }
                """
                    .formatted(TASK.formatted("n"), TASK.formatted("all options")));
    assertThat(names(file + "@all options")).containsExactly("all options");
    assertThat(names(file + "@all")).containsExactly("all options");
    assertRefused(file + "@al", Map.of(), "Named.java: there is no task 'al'", "mean 'all'?");
  }

  @Test
  void parametersAreFilledWithArguments() throws Exception {
    String file =
        write(
            "Parameters.java",
            IMPORTS
                + """
                class Parameters {
                  @EvalTask(defaults = {"ratio=0.5", "on=true", "big=5000000000"})
                  static TaskDefinition.Builder one(
                      String word, int n, long big, double ratio, boolean on) {
                    return %s;
                  }

                  @EvalTask
                  static TaskDefinition.Builder any(Arguments arguments) {
                    return %s;
                  }
                }
                """
                    .formatted(
                        TASK.replace("\"%s\"", "word + n + big + ratio + on"),
                        TASK.replace(
                            "\"%s\"",
                            "arguments.text(\"word\").orElse(\"?\")"
                                + " + arguments.directory().getFileName()")));
    assertThat(
            TaskSources.load(file + "@one", input(Map.of("word", "w", "n", "3", "on", "false")))
                .getFirst()
                .name())
        .isEqualTo("w350000000000.5false");
    assertThat(TaskSources.load(file + "@any", input(Map.of("word", "x"))).getFirst().name())
        .isEqualTo("x" + directory.getFileName());
    String one = file + "@one";
    assertRefused(one, Map.of("n", "1"), "@one: `word` is missing; give it with -T word=…");
    assertRefused(one, Map.of("word", "", "n", "1.5"), "@one: `n` must be a whole number", "'1.5'");
    assertRefused(one, Map.of("word", "", "n", "1", "on", "yes"), "`on` must be true or false");
    assertRefused(one, Map.of("wrod", "w"), "takes no argument 'wrod'; did you mean 'word'?");
    // Another task of the file takes whatever it is given.
    assertRefused(file, Map.of("n", "1", "colour", "red"), "`word` is missing");
  }

  @Test
  void compilationErrorsAreToldWithLineAndColumn() throws Exception {
    String file = write("Broken.java", "class Broken {\n  int x = \"text\";\n  Missing y;\n}\n");
    assertRefused(
        file,
        Map.of(),
        "Broken.java, line 2, column 11: incompatible types: java.lang.String cannot be converted"
            + " to int",
        "; line 3, column 3: cannot find symbol, symbol: class Missing");
    String many = write("Worse.java", "class Worse {\n" + "  { Missing y; }\n".repeat(5) + "}");
    assertRefused(many, Map.of(), "Worse.java, line 2", "; and 2 more");
    String other = write("Other.java", "public class Another {}");
    assertRefused(other, Map.of(), "Other.java, line 1", "class Another is public");
  }

  @Test
  void warningsAreNoErrors() throws Exception {
    String file =
        write(
            "Raw.java",
            IMPORTS
                + "class Raw { java.util.List raw = new java.util.ArrayList();"
                + " @EvalTask static TaskDefinition.Builder raw() { Thread.currentThread().getId();"
                + " return "
                + TASK.formatted("raw")
                + "; } }");
    assertThat(names(file)).containsExactly("raw");
  }

  @Test
  void whatATaskThrowsIsToldWithItsLine() throws Exception {
    String file =
        write(
            "Throws.java",
            IMPORTS
                + """
                class Throws {
                  @EvalTask static TaskDefinition fails() {
                    throw new IllegalStateException("no luck");
                  }
                  @EvalTask static TaskDefinition.Builder incomplete() {
                    return TaskDefinition.named("incomplete");
                  }
                  @EvalTask static TaskDefinition nothing() { return null; }
                  @EvalTask static TaskDefinition.Builder noFile() {
                    return TaskDefinition.named("x").dataset("missing.csv");
                  }
                  @EvalTask static TaskDefinition.Builder badOption() {
                    return TaskDefinition.named("x").epochs(0);
                  }
                }
                """);
    assertRefused(
        file + "@fails",
        Map.of(),
        "@fails, line 9 failed: java.lang.IllegalStateException: no luck");
    assertRefused(file + "@incomplete", Map.of(), "@incomplete failed", "`solvers` must not be");
    assertRefused(file + "@nothing", Map.of(), "@nothing returned no task");
    assertRefused(
        file + "@noFile",
        Map.of(),
        "@noFile, line 16: " + directory.resolve("missing.csv") + ": there is no such file");
    assertRefused(file + "@badOption", Map.of(), "@badOption, line 19: ", "epochs must be");
  }

  @Test
  void methodsThatCannotMakeTasksAreRefused() throws Exception {
    String text =
        write("Text.java", IMPORTS + "class Text { @EvalTask String a() { return \"\"; } }");
    assertRefused(text, Map.of(), "Text.java@a must return TaskDefinition", "was String");
    String list =
        write(
            "Lists.java",
            IMPORTS
                + "class Lists { @EvalTask TaskDefinition a(java.util.List<String> x) {"
                + " return null; } }");
    assertRefused(list, Map.of(), "Lists.java@a: the parameter `x` must be", "was List");
    String made =
        write(
            "Made.java",
            IMPORTS
                + "class Made { Made(int x) {} @EvalTask TaskDefinition a() { return null; } }");
    assertRefused(made, Map.of(), "make the method static, or give Made a constructor without");
    String twice =
        write(
            "Twice.java",
            IMPORTS
                + "class Twice { @EvalTask TaskDefinition a() { return null; }"
                + " @EvalTask TaskDefinition a(int x) { return null; } }");
    assertRefused(twice, Map.of(), "two methods of Twice that make tasks are called 'a'");
    String none = write("None.java", "class None {}");
    assertRefused(none, Map.of(), "None.java: there is no task in it", "@EvalTask");
    String defaults =
        write(
            "Defaults.java",
            IMPORTS
                + "class Defaults { @EvalTask(defaults = \"y=1\") TaskDefinition a(int x) {"
                + " return null; } }");
    assertRefused(defaults, Map.of("x", "1"), "`defaults` of @EvalTask names 'y'");
  }

  @Test
  void aClassOnTheClassPathIsFoundByName() {
    String name = TasksOnTheClassPath.class.getName();
    assertThat(names(name)).containsExactly("zebra", "the second");
    assertThat(names(name + "@ape")).containsExactly("the second");
    assertRefused("no.such.Tasks", Map.of(), "there is no file and no class 'no.such.Tasks'");
    assertRefused(TaskSources.class.getName(), Map.of(), "TaskSources: there is no task in it");
  }

  @Test
  void theFileWinsOverAClassOfTheSameName() throws Exception {
    String file =
        write(
            "TasksOnTheClassPath.java",
            "package dev.weir.eval.source;\n"
                + IMPORTS
                + "class TasksOnTheClassPath { @EvalTask static TaskDefinition.Builder mine() {"
                + " return "
                + TASK.formatted("mine")
                + "; } }");
    assertThat(names(file)).containsExactly("mine");
  }

  @Test
  void aDirectoryIsSearchedForTasks() throws Exception {
    String yaml = "task: %s\ndataset: [{input: q, target: a}]\nsolver: generate\nscorer: exact\n";
    write("b.yaml", "# a comment\n" + yaml.formatted("from yaml"));
    write("nested/a.yml", yaml.formatted("nested"));
    write("provider.yaml", "url: http://127.0.0.1\ntasks: 3\n");
    write("select.yaml", "task: b.yaml\nnodes:\n  model: [sim/a, sim/b]\n");
    write(".hidden/c.yaml", yaml.formatted("hidden"));
    write("target/c.yaml", yaml.formatted("built"));
    write("Helper.java", "class Helper {}");
    write(
        "ATest.java",
        "import dev.weir.junit.Evaluation;\nclass ATest { @EvalTask Missing a() {} }");
    write(
        "BTest.java",
        "import static org.junit.Assert.*;\nclass BTest { @EvalTask Missing b() {} }");
    write("prompts.yaml", "prompts: [one, two]\n");
    write(
        "pf/promptfooconfig.yaml",
        "description: from promptfoo\nprompts: [hi]\nproviders: [echo]\ntests: [{}]\n");
    write(
        "Task.java",
        IMPORTS
            + "class Task { @EvalTask static TaskDefinition.Builder java() { return "
            + TASK.formatted("from java")
            + "; } }");
    assertThat(names(directory.toString()))
        .containsExactly("from java", "from yaml", "nested", "from promptfoo: echo");
    assertThat(TaskSources.find(directory.toString()))
        .extracting(TaskSource::kind)
        .containsExactly(
            TaskSource.Kind.JAVA,
            TaskSource.Kind.YAML,
            TaskSource.Kind.YAML,
            TaskSource.Kind.PROMPTFOO);
    Path empty = Files.createDirectory(directory.resolve("empty"));
    assertRefused(empty.toString(), Map.of(), "there is no task in this directory");
  }

  @Test
  void whatIsNoTaskIsRefused() throws Exception {
    assertRefused(directory.resolve("none.yaml").toString(), Map.of(), "there is no such file");
    assertRefused(directory.resolve("None.java").toString(), Map.of(), "there is no such file");
    assertRefused(directory.resolve("none.jar").toString(), Map.of(), "there is no such file");
    assertRefused(directory.resolve("none").toString(), Map.of(), "there is no such file");
    assertRefused("", Map.of(), "");
    assertRefused(write("task.txt", "task: x"), Map.of(), "must be a .yaml, .java or .jar file");
    assertRefused(write("broken.jar", "no zip"), Map.of(), "broken.jar is not a jar");
  }

  @Test
  void argumentsAreVariablesOfTaskFiles() throws Exception {
    String file =
        write(
            "vars.yaml",
            """
            task: variables
            vars: {word: nothing}
            dataset: [{input: "{{ word }}", target: a}]
            solver: generate
            scorer: exact
            tags: "{{ word }}"
            """);
    TaskDefinition task = TaskSources.load(file, input(Map.of("word", "given"))).getFirst();
    assertThat(task.settings().word("tags")).hasValue("given");
  }

  @Test
  void oneTaskOfAFileIsChosenByItsName() throws Exception {
    String yaml =
        write(
            "one.yaml",
            "task: capitals\ndataset: [{input: q, target: a}]\nsolver: generate\nscorer: exact\n");
    assertThat(names(yaml + "@capitals")).containsExactly("capitals");
    assertRefused(
        yaml + "@capitols",
        Map.of(),
        "one.yaml: there is no task 'capitols'; did you mean 'capitals'? It has 'capitals'");

    String promptfoo =
        write(
            "promptfooconfig.yaml",
            """
            description: pf
            env: {WHO: world}
            prompts: [hi]
            providers: [echo, {id: echo, label: "other@v1"}]
            tests: [{}]
            """);
    assertThat(names(promptfoo)).containsExactly("pf: echo", "pf: other@v1");
    assertThat(names(promptfoo + "@pf: other@v1")).containsExactly("pf: other@v1");
    assertRefused(promptfoo + "@nope", Map.of(), "'nope'; it has 'pf: echo', 'pf: other@v1'");
    assertThat(TaskSources.environment(promptfoo + "@pf: echo", Map.of()))
        .containsEntry("WHO", "world");
    // What is run again is the same, however it was named.
    assertThat(
            TaskSources.load(promptfoo + "@pf: echo", input(Map.of()))
                .getFirst()
                .provenance()
                .origin())
        .isEqualTo(TaskSources.load(promptfoo, input(Map.of())).getFirst().provenance().origin());
  }

  @Test
  void aFileMayHaveTheSignInItsName() throws Exception {
    String yaml = "task: odd\ndataset: [{input: q, target: a}]\nsolver: generate\nscorer: exact\n";
    assertThat(names(write("a@b.yaml", yaml))).containsExactly("odd");
    assertThat(names(write("a@b.yaml", yaml) + "@odd")).containsExactly("odd");
  }

  @Test
  void anUnchangedFileIsCompiledOnce() throws Exception {
    String source =
        IMPORTS
            + "class Once { @EvalTask static TaskDefinition.Builder once() { return "
            + TASK.formatted("once")
            + "; } }";
    Path file = Path.of(write("Once.java", source));
    CompiledClasses first = JavaFile.compile(file);
    assertThat(JavaFile.compile(file)).isSameAs(first);
    Files.writeString(file, source.replace("\"once\"", "\"changed\""));
    assertThat(JavaFile.compile(file)).isNotSameAs(first);
    assertThat(names(file.toString())).containsExactly("changed");
  }

  @Test
  void aJavaWithoutACompilerSaysSo() throws Exception {
    Path file = Path.of(write("Some.java", "class Some {}"));
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> JavaFile.compile(file, null))
        .withMessageContaining("has no compiler; run Weir with a JDK");
  }

  @Test
  void fewFilesAreReadOfAHugeDirectory() throws Exception {
    Path huge = Files.createDirectory(directory.resolve("huge"));
    for (int i = 0; i <= 10_000; i++) {
      Files.createFile(huge.resolve("f" + i));
    }
    assertRefused(huge.toString(), Map.of(), "holds more than 10000 files");
    try (Stream<Path> files = Files.list(huge)) {
      assertThat(files.count()).isEqualTo(10_001);
    }
  }
}
