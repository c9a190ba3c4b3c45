package dev.weir.eval.task;

import dev.weir.eval.option.Option;
import dev.weir.eval.option.Options;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Settings;
import dev.weir.model.ConfigurationException;
import dev.weir.model.PathSpelling;
import dev.weir.model.Spelling;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * The entries of a task file and of those it includes: its own win, then those of the last included
 * file. Variables are laid over each other one by one. Not thread-safe.
 */
final class TaskEntries {

  /** Keys of a task file that are no options, in the order to show them. */
  static final List<String> PARTS =
      List.of("include", "vars", "task", "dataset", "solver", "scorer", "metrics", "sandbox");

  private static final List<String> KEYS =
      Stream.concat(PARTS.stream(), Options.all().stream().map(Option::key)).toList();

  /** What people may look for here, and where it belongs. */
  private static final Map<String, String> ELSEWHERE =
      Map.of(
          "tools", "a step of `solver`: use_tools or react",
          "files", "a sample of `dataset`",
          "setup", "a sample of `dataset`");

  private static final int DEEPEST = 20;

  private final Substitution substitution;
  private final Map<String, Node> entries = new LinkedHashMap<>();
  private final Map<String, Node> variables = new LinkedHashMap<>();

  private TaskEntries(Substitution substitution) {
    this.substitution = substitution;
  }

  /**
   * Reads all files, and makes their variables known.
   *
   * @param arguments win over the variables
   */
  static TaskEntries read(YamlFile yaml, Substitution substitution, Map<String, String> arguments) {
    var entries = new TaskEntries(substitution);
    entries.add(yaml, List.of(identity(yaml.path())));
    entries.makeVariablesKnown(yaml, arguments);
    return entries;
  }

  Optional<Node> find(String key) {
    return Optional.ofNullable(entries.get(key));
  }

  /** Included files first, so that what comes later wins. */
  private void add(YamlFile yaml, List<Path> within) {
    requireNoneFromElsewhere(yaml);
    Map<String, Node> own = yaml.mapping(yaml.root(), "a task file", KEYS);
    Node included = own.get("include");
    if (included != null) {
      for (Node item : yaml.items(included)) {
        Path file = yaml.resolve(item, "`include`", yaml.text(item, "`include`"));
        add(
            included(item, file, within),
            Stream.concat(within.stream(), Stream.of(identity(file))).toList());
      }
    }
    Node vars = own.get("vars");
    if (vars != null) {
      variables.putAll(yaml.mapping(vars, "`vars`"));
    }
    entries.putAll(own);
  }

  /** No name of a key that is near would help. */
  private static void requireNoneFromElsewhere(YamlFile yaml) {
    for (String key : yaml.mapping(yaml.root(), "a task file").keySet()) {
      String place = ELSEWHERE.get(key);
      if (place != null) {
        throw YamlFile.problem(
            yaml.keyNode(yaml.root(), key),
            "`%s` is no key of a task, but belongs to %s".formatted(key, place));
      }
    }
  }

  private YamlFile included(Node item, Path file, List<Path> within) {
    if (within.contains(identity(file))) {
      throw YamlFile.problem(item, "%s includes itself".formatted(file));
    }
    if (within.size() > DEEPEST) {
      throw YamlFile.problem(item, "files include each other more than %s deep".formatted(DEEPEST));
    }
    if (!Files.isRegularFile(file)) {
      throw YamlFile.problem(
          item, "`include`: there is no such file: %s%s".formatted(file, PathSpelling.hint(file)));
    }
    return YamlFile.read(file, substitution);
  }

  private static Path identity(Path file) {
    return file.toAbsolutePath().normalize();
  }

  private void makeVariablesKnown(YamlFile yaml, Map<String, String> arguments) {
    variables.forEach(
        (name, node) -> {
          if (!Variables.isName(name)) {
            throw YamlFile.problem(
                node, "`vars`: '%s' is no name; a name has letters, digits and _".formatted(name));
          }
        });
    Map<String, String> given = new LinkedHashMap<>(ownArguments(yaml));
    given.putAll(arguments);
    given
        .keySet()
        .forEach(
            name -> {
              if (!variables.containsKey(name)) {
                throw unknownArgument(yaml, name, variables.keySet(), arguments.containsKey(name));
              }
            });
    substitution.setVariables(
        new Variables(
                variables,
                given,
                substitution,
                problem -> new ConfigurationException("%s: %s".formatted(yaml.path(), problem)))
            .resolve());
  }

  private ConfigurationException unknownArgument(
      YamlFile yaml, String name, Set<String> known, boolean fromOutside) {
    String problem =
        known.isEmpty()
            ? "the task has no variable '%s'; it has no `vars`".formatted(name)
            : "the task has no variable '%s'%s".formatted(name, Spelling.hint(name, known));
    return fromOutside
        ? new ConfigurationException("%s: %s".formatted(yaml.path(), problem))
        : YamlFile.problem(find("task_args").orElse(yaml.root()), "`task_args`: " + problem);
  }

  private Map<String, String> ownArguments(YamlFile yaml) {
    Option option = Options.named("task-args");
    return find(option.key())
        .map(node -> Settings.NONE.with(option, yaml.word(node, "`task_args`"), "`task_args`"))
        .map(settings -> RunOptions.parse(settings).samples().arguments())
        .orElse(Map.of());
  }
}
