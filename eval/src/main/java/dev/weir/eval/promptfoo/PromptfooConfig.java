package dev.weir.eval.promptfoo;

import dev.weir.eval.option.Option;
import dev.weir.eval.option.Options;
import dev.weir.eval.option.Settings;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.model.ConfigurationException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads a configuration of promptfoo: each provider with each prompt is a task, each test a sample,
 * its assertions the score. Everything that cannot be done is told at once, with its place.
 */
public final class PromptfooConfig {

  /** What promptfoo calls variables that providers here know by another name. */
  private static final Map<String, String> OTHER_NAMES =
      Map.of(
          "AZURE_API_KEY", "AZURE_OPENAI_API_KEY",
          "OPENAI_API_BASE_URL", "OPENAI_BASE_URL",
          "VERTEX_PROJECT_ID", "GOOGLE_CLOUD_PROJECT",
          "VERTEX_REGION", "GOOGLE_CLOUD_LOCATION",
          "AWS_BEDROCK_REGION", "AWS_REGION");

  private final Path file;
  private final Map<String, String> environment;
  private final Problems problems = new Problems();

  private PromptfooConfig(Path file, Map<String, String> environment) {
    this.file = file;
    this.environment = environment;
  }

  /** The variables that configurations read, and the option that each of them sets. */
  public static Map<String, String> variables() {
    return RunSettings.VARIABLES;
  }

  /**
   * Whether a file is such a configuration, rather than a task of Weir's: by what is in it, or, if
   * something is missing there, by its name.
   */
  public static boolean isPromptfoo(Path file) {
    if (!Files.isRegularFile(file)
        || !List.of("yaml", "yml", "json").contains(ConfigFiles.ending(file))) {
      return false;
    }
    try {
      Value root = YamlReader.read(file);
      boolean isWhole =
          root.member("prompts").isPresent()
              && (root.member("providers").isPresent() || root.member("targets").isPresent());
      boolean isNamedSo = String.valueOf(file.getFileName()).startsWith("promptfooconfig");
      return (isWhole || isNamedSo) && root.isMapping() && root.member("task").isEmpty();
    } catch (ConfigurationException notYaml) {
      return false;
    }
  }

  /**
   * The variables of a run of the configuration: those of the process, and over them what its
   * {@code env} says.
   *
   * @throws ConfigurationException if the file cannot be read
   */
  public static Map<String, String> environment(Path file, Map<String, String> process) {
    Map<String, String> variables =
        new LinkedHashMap<>(Document.environment(YamlReader.read(file), process));
    OTHER_NAMES.forEach(
        (theirs, ours) -> {
          String value = variables.get(theirs);
          if (value != null) {
            variables.putIfAbsent(ours, value);
          }
        });
    return variables;
  }

  /**
   * The tasks of a configuration.
   *
   * @param process the variables of the process
   * @throws ConfigurationException if anything in it cannot be used: all of that, with file, line
   *     and column
   */
  public static List<TaskDefinition> read(Path file, Map<String, String> process) {
    return read(file, process, ScriptEngine.find());
  }

  static List<TaskDefinition> read(
      Path file, Map<String, String> process, Optional<ScriptEngine> engine) {
    return new PromptfooConfig(file, environment(file, process)).tasks(engine);
  }

  private List<TaskDefinition> tasks(Optional<ScriptEngine> engine) {
    Document.Loaded document = Document.load(file, environment, problems);
    Value root = document.root();
    var section = new Section(root, "the configuration", problems);
    document.referred().forEach(section::ignore);
    root.entries().keySet().stream()
        .filter(key -> key.matches("[_$].*|x-.*"))
        .forEach(section::ignore);
    section.ignore("description", "env", "tags", "metadata", "sharing", "writeLatestResults");
    // For references alone.
    section.ignore("assertionTemplates");
    unsupported(section);

    var files = new ConfigFiles(Place.of(file).directory(), environment, problems);
    var scripts = new Scripts(files, problems, engine);
    var targetReader = new TargetReader(files, scripts, problems, environment);
    var graders = new Graders(targetReader, problems);
    var assertions = new AssertionReader(files, scripts, graders, problems);

    Value nothing = Value.of(null, root.place());
    List<Target> targets = targetReader.read(section.value("providers", "targets").orElse(nothing));
    List<Prompt> prompts =
        new PromptReader(files, problems).read(section.value("prompts").orElse(nothing));
    List<TestCase> tests =
        new TestReader(
                files,
                scripts,
                graders,
                assertions,
                problems,
                section.value("defaultTest").orElse(nothing))
            .read(section.value("tests"), section.value("scenarios"));
    Settings settings =
        tagged(
            RunSettings.read(
                section.value("evaluateOptions"),
                section.value("commandLineOptions"),
                environment,
                problems),
            root);
    section.finish();
    requireSome(root, "providers", targets);
    requireSome(root, "prompts", prompts);
    problems.throwIfAny();
    List<TaskDefinition> tasks =
        new TaskMaker(
                name(root),
                settings,
                graders.roles(),
                assertions.usesPython(),
                new Templates(environment),
                problems)
            .make(targets, prompts, tests);
    if (tasks.isEmpty() && problems.isEmpty()) {
      problems.add(root.place(), "no test is left for any provider and prompt");
    }
    problems.throwIfAny();
    return tasks;
  }

  private void requireSome(Value root, String what, List<?> found) {
    if (found.isEmpty() && problems.isEmpty()) {
      problems.add(root.placeOf(what), "there are no `%s`".formatted(what));
    }
  }

  private static void unsupported(Section section) {
    section.unsupported("outputPath", "logs are written to --log-dir");
    section.unsupported("nunjucksFilters", "use the filters that templates have");
    section.unsupported("derivedMetrics", "use the metric of assertions");
    section.unsupported("extensions", "do it before and after the run");
    section.unsupported("tracing", "see weir trace");
    section.unsupported("redteam", "it is another product");
  }

  private static Settings tagged(Settings settings, Value root) {
    Map<String, String> tags = new LinkedHashMap<>();
    root.member("tags")
        .ifPresent(
            given ->
                given
                    .entries()
                    .forEach((key, value) -> value.text().ifPresent(t -> tags.put(key, t))));
    Optional<Option> option = Options.find("metadata");
    return tags.isEmpty() || option.isEmpty()
        ? settings
        : settings.with(
            option.get(), Json.write(tags), "%s: `tags`".formatted(root.placeOf("tags")));
  }

  /** The description, if it is short; else the folder, as most files have the same name. */
  private String name(Value root) {
    Path parent = file.toAbsolutePath().normalize().getParent();
    Path folder = parent == null ? null : parent.getFileName();
    return root.member("description")
        .flatMap(Value::text)
        .map(String::strip)
        .filter(text -> !text.isEmpty() && text.length() <= 60)
        .orElseGet(() -> folder == null ? "promptfoo" : folder.toString());
  }
}
