package dev.weir.eval.task;

import dev.weir.eval.dataset.Dataset;
import dev.weir.eval.dataset.DatasetFile;
import dev.weir.eval.dataset.Rows;
import dev.weir.eval.scorer.Scorer;
import dev.weir.eval.scorer.Scorers;
import dev.weir.eval.solver.Solver;
import dev.weir.eval.solver.Solvers;
import dev.weir.model.ConfigurationException;
import dev.weir.model.ModelName;
import dev.weir.model.Printable;
import dev.weir.model.Spelling;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
              Stream.of(
                  "task",
                  "dataset",
                  "solver",
                  "scorer",
                  "model",
                  "model_args",
                  "model_role",
                  "limit",
                  "seed",
                  "log_dir"),
              Stream.of(ModelOptions.NAMES, LimitOptions.NAMES, TraceOptions.NAMES)
                  .flatMap(List::stream)
                  .map(TaskFile::key))
          .toList();

  /** Options that are paths, and so relative to the file. */
  private static final List<String> PATHS = List.of("prices");

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
        reader.name(), reader.dataset(), reader.solvers(), reader.scorer(), reader.options());
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
    for (Node name : yaml.isSequence(node) ? yaml.sequence(node, "`solver`") : List.of(node)) {
      String text = yaml.text(name, "a solver");
      solvers.add(
          Solvers.find(text).orElseThrow(() -> unknown(name, "solver", text, Solvers.names())));
    }
    if (solvers.isEmpty()) {
      throw yaml.problem(node, "`solver` must name at least one solver, for example [generate]");
    }
    return solvers;
  }

  private Scorer scorer() {
    Node node = required("scorer");
    String text = yaml.text(node, "`scorer`");
    return Scorers.find(text).orElseThrow(() -> unknown(node, "scorer", text, Scorers.names()));
  }

  private TaskOptions options() {
    OptionWords words = new FileWords();
    return new TaskOptions(
        model(),
        texts("model_args"),
        texts("model_role"),
        ModelOptions.parse(words),
        atLeastOne("limit"),
        LimitOptions.parse(words),
        TraceOptions.parse(words),
        optional("seed").map(node -> yaml.whole(node, "`seed`", Long.MIN_VALUE, Long.MAX_VALUE)),
        optional("log_dir").map(node -> path("log_dir", node)));
  }

  /** Options as they stand in the file; lists and mappings as JSON. */
  private final class FileWords implements OptionWords {

    @Override
    public Optional<String> word(String option) {
      return optional(key(option))
          .map(
              node ->
                  PATHS.contains(option)
                      ? path(key(option), node).toString()
                      : yaml.word(node, "`%s`".formatted(key(option))));
    }

    @Override
    public ConfigurationException wrong(String option, String rule) {
      return yaml.problem(required(key(option)), "`%s` %s".formatted(key(option), rule));
    }
  }

  private static String key(String option) {
    return option.replace('-', '_');
  }

  private Optional<String> model() {
    return optional("model")
        .map(
            node -> {
              String text = yaml.text(node, "`model`");
              try {
                ModelName.parse(text);
              } catch (ConfigurationException malformed) {
                throw yaml.problem(node, String.valueOf(malformed.getMessage()));
              }
              return text;
            });
  }

  private Map<String, String> texts(String name) {
    Map<String, String> texts = new LinkedHashMap<>();
    optional(name)
        .ifPresent(
            node ->
                yaml.mapping(node, "`%s`".formatted(name))
                    .forEach(
                        (key, value) -> texts.put(key, yaml.text(value, "`%s`".formatted(key)))));
    return texts;
  }

  private Optional<Integer> atLeastOne(String key) {
    return optional(key)
        .map(node -> (int) yaml.whole(node, "`%s`".formatted(key), 1, Integer.MAX_VALUE));
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

  private Optional<Node> optional(String key) {
    return Optional.ofNullable(entries.get(key));
  }

  private ConfigurationException unknown(
      Node node, String kind, String name, java.util.Collection<String> known) {
    return yaml.problem(
        node, "there is no %s '%s'%s".formatted(kind, name, Spelling.hint(name, known)));
  }
}
