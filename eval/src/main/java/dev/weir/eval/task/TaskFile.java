package dev.weir.eval.task;

import dev.weir.eval.component.Arguments;
import dev.weir.eval.component.Component;
import dev.weir.eval.dataset.Dataset;
import dev.weir.eval.dataset.DatasetFile;
import dev.weir.eval.dataset.Rows;
import dev.weir.eval.option.Option;
import dev.weir.eval.option.Options;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Settings;
import dev.weir.eval.scorer.Scorer;
import dev.weir.eval.scorer.Scorers;
import dev.weir.eval.solver.Solver;
import dev.weir.eval.solver.Solvers;
import dev.weir.eval.task.TaskDefinition.NamedScorer;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import dev.weir.model.Spelling;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * Reads a task from a YAML file:
 *
 * <pre>
 * task: capitals
 * dataset: capitals.csv        # or .jsonl, .json, or a list; fields id, input, target
 * solver: [generate]
 * scorer: includes
 * model: sim/demo              # this and what follows is optional
 * max_connections: 10
 * </pre>
 *
 * <p>Paths in it are relative to the file.
 */
public final class TaskFile {

  private static final List<String> KEYS =
      Stream.concat(
              Stream.of("task", "dataset", "solver", "scorer"),
              Options.all().stream().map(Option::key))
          .toList();

  /** Options that are paths, and so relative to the file. */
  private static final List<String> PATHS = List.of("prices", "log-dir");

  private final YamlFile yaml;
  private final Map<String, Node> entries;

  private TaskFile(YamlFile yaml) {
    this.yaml = yaml;
    this.entries = yaml.mapping(yaml.root(), "a task file", KEYS);
  }

  /**
   * @throws ConfigurationException if anything in it cannot be used, with file, line and column
   */
  public static TaskDefinition read(Path file) {
    var reader = new TaskFile(YamlFile.read(file));
    return new TaskDefinition(
        reader.name(),
        reader.dataset(),
        reader.solvers(),
        reader.scorers(),
        Optional.empty(),
        reader.settings());
  }

  private Dataset dataset() {
    Node node = required("dataset");
    if (!yaml.isSequence(node)) {
      return DatasetFile.read(path("dataset", node));
    }
    var rows = new Rows(yaml.path().toString());
    for (Node row : yaml.sequence(node, "`dataset`")) {
      Map<String, String> fields = new LinkedHashMap<>();
      yaml.mapping(row, "a row of `dataset`")
          .forEach((key, value) -> fields.put(key, yaml.text(value, "`%s`".formatted(key))));
      rows.add(yaml.placeOf(row), fields);
    }
    return rows.toDataset();
  }

  private List<Solver> solvers() {
    Node node = required("solver");
    List<Solver> solvers = new ArrayList<>();
    for (Node step : yaml.isSequence(node) ? yaml.sequence(node, "`solver`") : List.of(node)) {
      solvers.add(component(step, "solver", Solvers::find, Solvers.names()).made());
    }
    if (solvers.isEmpty()) {
      throw yaml.problem(node, "`solver` must name at least one solver, for example [generate]");
    }
    return solvers;
  }

  private List<NamedScorer> scorers() {
    Node node = required("scorer");
    List<NamedScorer> scorers = new ArrayList<>();
    for (Node step : yaml.isSequence(node) ? yaml.sequence(node, "`scorer`") : List.of(node)) {
      Made<Scorer> scorer = component(step, "scorer", Scorers::find, Scorers.names());
      if (scorers.stream().anyMatch(other -> other.name().equals(scorer.name()))) {
        throw yaml.problem(step, "the scorer '%s' is there twice".formatted(scorer.name()));
      }
      scorers.add(new NamedScorer(scorer.name(), scorer.made()));
    }
    if (scorers.isEmpty()) {
      throw yaml.problem(node, "`scorer` must name at least one scorer, for example includes");
    }
    return scorers;
  }

  /** A component that the file names, alone or with arguments. */
  private <T> Made<T> component(
      Node node, String kind, Function<String, Optional<Component<T>>> find, Set<String> known) {
    Node named = node;
    Map<String, Node> arguments = Map.of();
    String name;
    if (yaml.isMapping(node)) {
      Map<String, Node> entry = yaml.mapping(node, "a " + kind);
      if (entry.size() != 1) {
        throw yaml.problem(
            node, "a %s must be a name, or one name with its arguments".formatted(kind));
      }
      name = entry.keySet().iterator().next();
      named = yaml.keyNode(node, name);
      Component<T> found = found(named, kind, name, find, known);
      Node given = entry.values().iterator().next();
      if (yaml.isMapping(given)) {
        arguments = yaml.mapping(given, "the arguments of '%s'".formatted(name));
      } else if (!found.parameters().isEmpty()) {
        arguments = Map.of(found.parameters().getFirst().name(), given);
      } else if (!yaml.isNull(given)) {
        throw yaml.problem(given, "'%s' takes no arguments".formatted(name));
      }
    } else {
      name = yaml.text(node, "a " + kind);
    }
    Component<T> found = found(named, kind, name, find, known);
    return new Made<>(name, found.make(arguments(named, arguments)));
  }

  private record Made<T>(String name, T made) {}

  private <T> Component<T> found(
      Node node,
      String kind,
      String name,
      Function<String, Optional<Component<T>>> find,
      Set<String> known) {
    return find.apply(name)
        .orElseThrow(
            () ->
                yaml.problem(
                    node,
                    "there is no %s '%s'%s".formatted(kind, name, Spelling.hint(name, known))));
  }

  private Arguments arguments(Node component, Map<String, Node> nodes) {
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    nodes.forEach((name, node) -> values.put(name, yaml.value(node)));
    return new Arguments(
        values,
        yaml.directory(),
        (name, rule) ->
            yaml.problem(nodes.getOrDefault(name, component), "`%s` %s".formatted(name, rule)));
  }

  /** Options as they stand in the file; lists and mappings as JSON. */
  private Settings settings() {
    Settings settings = Settings.NONE;
    for (Option option : Options.all()) {
      Node node = entries.get(option.key());
      if (node != null) {
        String word =
            PATHS.contains(option.name())
                ? path(option.key(), node).toString()
                : yaml.word(node, "`%s`".formatted(option.key()));
        settings =
            settings.with(
                option,
                word,
                "%s, %s: `%s`".formatted(yaml.path(), yaml.placeOf(node), option.key()));
      }
    }
    // Wrong words are told with their place, even if others win over them.
    RunOptions.parse(settings);
    return settings;
  }

  private Path path(String key, Node node) {
    String text = yaml.text(node, "`%s`".formatted(key));
    if (text.isBlank()) {
      throw yaml.problem(node, "`%s` must not be empty".formatted(key));
    }
    try {
      Path path = yaml.path().resolveSibling(text).normalize();
      return path.toString().isEmpty() ? Path.of(".") : path;
    } catch (InvalidPathException malformed) {
      throw yaml.problem(node, "`%s` is not a path: '%s'".formatted(key, text));
    }
  }

  /** The name of the task, which is shown in tables and is part of the name of a file. */
  private String name() {
    Node node = required("task");
    String name = yaml.text(node, "`task`");
    if (name.isBlank()) {
      throw yaml.problem(node, "`task` must not be empty; give the task a name");
    }
    if (!Printable.isLine(name)) {
      throw yaml.problem(node, "`task` must be one line without control characters");
    }
    return name;
  }

  private Node required(String key) {
    @Nullable Node node = entries.get(key);
    if (node == null) {
      throw new ConfigurationException(
          "%s: the key `%s` is missing; a task needs task, dataset, solver and scorer"
              .formatted(yaml.path(), key));
    }
    return node;
  }
}
