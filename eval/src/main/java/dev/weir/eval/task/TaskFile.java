package dev.weir.eval.task;

import dev.weir.eval.dataset.Dataset;
import dev.weir.eval.metric.Metric;
import dev.weir.eval.metric.Metrics;
import dev.weir.eval.metric.Reducer;
import dev.weir.eval.option.Option;
import dev.weir.eval.option.Options;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Secrets;
import dev.weir.eval.option.Settings;
import dev.weir.eval.scorer.Scorer;
import dev.weir.eval.scorer.Scorers;
import dev.weir.eval.solver.Solver;
import dev.weir.eval.solver.Solvers;
import dev.weir.eval.task.TaskDefinition.NamedScorer;
import dev.weir.log.RunStart;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * Reads a task from a YAML file:
 *
 * <pre>
 * task: capitals
 * dataset: capitals.csv        # or .jsonl, .json, a folder, a list; columns id, input, target
 * solver: [generate]
 * scorer: includes
 * model: sim/demo              # this and what follows is optional
 * max_connections: 10
 * </pre>
 *
 * <p>Paths in it are relative to the file. docs/tasks.md tells all of it.
 */
public final class TaskFile {

  /** Keys that may stand beside the name of a scorer. */
  static final Set<String> BESIDE_SCORERS = Set.of("name", "metrics");

  /** Options that are paths, and so relative to the file. */
  private static final List<String> PATHS = List.of("prices", "engine-limits", "log-dir");

  /** Arguments of models that are so, too. */
  private static final Set<String> PATH_ARGUMENTS = Set.of("replies");

  /** Options that are texts, one or more of them. */
  private static final List<String> TEXTS =
      List.of("model", "sample-id", "epochs-reducer", "stop-seqs", "tags");

  private final YamlFile yaml;
  private final TaskInput input;
  private final TaskEntries entries;
  private final Substitution substitution;
  private final Map<String, @Nullable Object> variables;

  private TaskFile(YamlFile yaml, TaskInput input, Substitution substitution) {
    this.yaml = yaml;
    this.input = input;
    this.entries = TaskEntries.read(yaml, substitution, input.arguments());
    this.substitution = substitution;
    this.variables = substitution.variables();
  }

  /** As {@link #read(Path, TaskInput)}, with the variables of this process. */
  public static TaskDefinition read(Path file) {
    return read(file, TaskInput.process());
  }

  /**
   * @throws ConfigurationException if anything in it cannot be used, with file, line and column;
   *     never with a value of the environment
   */
  public static TaskDefinition read(Path file, TaskInput input) {
    var substitution = new Substitution(input.environment());
    try {
      return read(YamlFile.read(file, substitution), input, substitution);
    } catch (ConfigurationException wrong) {
      throw substitution.hiding(wrong);
    }
  }

  /** A task that stands in another file. */
  static TaskDefinition read(YamlFile yaml, TaskInput input, Substitution substitution) {
    return new TaskFile(yaml, input, substitution).task();
  }

  private TaskDefinition task() {
    String name = name();
    Node dataset = required("dataset");
    List<Solver> solvers = solvers();
    List<NamedScorer> scorers = scorers();
    Dataset samples = dataset(dataset, scorers);
    Settings settings = settings();
    // By now all is read that may be of the environment.
    Secrets filledIn = substitution.secrets().and(Secrets.given(input.arguments()));
    Secrets secrets = new Secrets(input.environment()).and(filledIn);
    return new TaskDefinition(
        name,
        samples,
        solvers,
        scorers,
        entries.find("sandbox").map(node -> new SandboxEntry(yaml).read(node)),
        settings,
        places(),
        new Provenance(
            Optional.empty(),
            new DatasetEntry(yaml, input.stdin(), false).location(dataset).map(secrets::hidden),
            without(secrets, writtenSolvers()),
            without(secrets, writtenScorers()),
            filledIn));
  }

  private static List<RunStart.Step> without(Secrets secrets, List<RunStart.Step> steps) {
    return steps.stream()
        .map(step -> new RunStart.Step(step.solver(), secrets.hiddenArguments(step.arguments())))
        .toList();
  }

  /** The steps of the pipeline as they stand in the file. */
  private List<RunStart.Step> writtenSolvers() {
    var known = new Components<>(yaml, variables, "solver", Solvers::find, Solvers.names());
    return steps(required("solver")).stream().map(step -> known.written(step, Set.of())).toList();
  }

  private List<RunStart.Step> writtenScorers() {
    var known = new Components<>(yaml, variables, "scorer", Scorers::find, Scorers.names());
    return steps(required("scorer")).stream()
        .map(step -> known.written(step, BESIDE_SCORERS))
        .toList();
  }

  private Places places() {
    return new Places(
        placesOf("solver"),
        placesOf("scorer"),
        steps(required("scorer")).stream().map(this::placesOfMetrics).toList(),
        entries.find("sandbox").map(node -> place(node, "sandbox")).orElse(""));
  }

  private List<String> placesOf(String key) {
    return steps(required(key)).stream().map(node -> place(node, key)).toList();
  }

  /** Of the scorer's own, or of those that all have; the usual ones stand nowhere. */
  private List<String> placesOfMetrics(Node scorer) {
    return Optional.ofNullable(beside(scorer).get("metrics"))
        .or(() -> entries.find("metrics"))
        .map(node -> yaml.items(node).stream().map(item -> place(item, "metrics")).toList())
        .orElse(List.of());
  }

  /** A key without a value names none. */
  private List<Node> steps(Node node) {
    return yaml.isNull(node) ? List.of() : yaml.items(node);
  }

  static String place(Node node, String key) {
    return String.valueOf(YamlFile.problem(node, "`%s`".formatted(key)).getMessage());
  }

  private Dataset dataset(Node node, List<NamedScorer> scorers) {
    boolean targetsRequired = scorers.stream().anyMatch(named -> named.scorer().needsTarget());
    return new DatasetEntry(yaml, input.stdin(), targetsRequired).read(node);
  }

  private List<Solver> solvers() {
    Node node = required("solver");
    var known = new Components<>(yaml, variables, "solver", Solvers::find, Solvers.names());
    List<Solver> solvers = new ArrayList<>();
    for (Node step : steps(node)) {
      solvers.add(known.make(step, Set.of()).component());
    }
    if (solvers.isEmpty()) {
      throw YamlFile.problem(
          node, "`solver` must name at least one solver, for example [generate]");
    }
    return solvers;
  }

  private List<NamedScorer> scorers() {
    Node node = required("scorer");
    var known = new Components<>(yaml, variables, "scorer", Scorers::find, Scorers.names());
    List<Metric> usual = entries.find("metrics").map(this::metrics).orElseGet(Metrics::usual);
    List<NamedScorer> scorers = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (Node step : steps(node)) {
      NamedScorer scorer = scorer(known, step, usual);
      if (!names.add(scorer.name())) {
        throw YamlFile.problem(
            step,
            "the scorer '%s' is there twice; `name` beside it gives one another name"
                .formatted(scorer.name()));
      }
      scorers.add(scorer);
    }
    if (scorers.isEmpty()) {
      throw YamlFile.problem(node, "`scorer` must name at least one scorer, for example includes");
    }
    return scorers;
  }

  private NamedScorer scorer(Components<Scorer> known, Node step, List<Metric> usual) {
    Components.Made<Scorer> made = known.make(step, BESIDE_SCORERS);
    Node name = beside(step).get("name");
    Node metrics = beside(step).get("metrics");
    return new NamedScorer(
        name == null ? made.name() : line(name, "`name`"),
        made.component(),
        metrics == null ? usual : metrics(metrics));
  }

  private Map<String, Node> beside(Node step) {
    return yaml.isMapping(step) ? yaml.mapping(step, "a scorer") : Map.of();
  }

  private List<Metric> metrics(Node node) {
    List<Metric> metrics = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (Node item : yaml.items(node)) {
      Metric metric = metric(item);
      if (!names.add(metric.name())) {
        throw YamlFile.problem(item, "the metric '%s' is there twice".formatted(metric.name()));
      }
      metrics.add(metric);
    }
    if (metrics.isEmpty()) {
      throw YamlFile.problem(node, "`metrics` must name at least one metric, such as accuracy");
    }
    return metrics;
  }

  private Metric metric(Node node) {
    Object value = yaml.value(node);
    if (value == null) {
      throw YamlFile.problem(node, "a metric must be a name");
    }
    try {
      return Metrics.parse(value);
    } catch (ConfigurationException wrong) {
      throw YamlFile.problem(node, String.valueOf(wrong.getMessage()));
    }
  }

  /** Options as they stand in the file; lists and mappings as JSON. */
  private Settings settings() {
    Settings settings = settings(yaml, Options.all(), entries::find);
    // Wrong words are told with their place, even if others win over them.
    RunOptions options = RunOptions.parse(settings);
    entries
        .find("epochs_reducer")
        .ifPresent(node -> options.samples().reducers().forEach(word -> reducer(node, word)));
    return settings;
  }

  /** What options of a file say. */
  static Settings settings(
      YamlFile yaml, List<Option> options, Function<String, Optional<Node>> entries) {
    Settings settings = Settings.NONE;
    for (Option option : options) {
      @Nullable Node node = entries.apply(option.key()).orElse(null);
      if (node != null) {
        settings = settings.with(option, word(yaml, option, node), place(node, option.key()));
      }
    }
    return settings;
  }

  private static String word(YamlFile yaml, Option option, Node node) {
    String what = "`%s`".formatted(option.key());
    if (option.name().equals("model-args") && yaml.isMapping(node)) {
      return yaml.wordWithPaths(node, what, PATH_ARGUMENTS);
    }
    if (TEXTS.contains(option.name())) {
      requireTexts(yaml, node, what);
    }
    return PATHS.contains(option.name())
        ? yaml.resolve(node, what, yaml.text(node, what)).toString()
        : yaml.word(node, what);
  }

  /** Else what stands for a mapping would be taken for a text. */
  private static void requireTexts(YamlFile yaml, Node node, String what) {
    boolean isList = yaml.isSequence(node);
    for (Node item : yaml.items(node)) {
      if (yaml.isMapping(item) || yaml.isSequence(item) || (isList && yaml.isNull(item))) {
        throw YamlFile.problem(
            item,
            "%s must be a text or a list of texts%s"
                .formatted(what, yaml.isMapping(item) ? YamlFile.QUOTE : ""));
      }
    }
    boolean areTexts =
        switch (yaml.value(node)) {
          case Map<?, ?> _ -> false;
          case List<?> items ->
              items.stream()
                  .noneMatch(item -> item == null || item instanceof Map || item instanceof List);
          case null, default -> true;
        };
    if (!areTexts) {
      throw YamlFile.problem(
          node,
          "%s must be a text or a list of texts, also where a variable stands for it"
              .formatted(what));
    }
  }

  private static void reducer(Node node, String word) {
    try {
      Reducer.parse(word);
    } catch (ConfigurationException wrong) {
      throw YamlFile.problem(node, "`epochs_reducer`: " + wrong.getMessage());
    }
  }

  /** The name of the task, which is shown in tables and is part of the name of a file. */
  private String name() {
    return line(required("task"), "`task`");
  }

  private String line(Node node, String what) {
    String name = yaml.text(node, what);
    if (name.isBlank()) {
      throw YamlFile.problem(node, "%s must not be empty; give it a name".formatted(what));
    }
    if (!Printable.isLine(name)) {
      throw YamlFile.problem(node, what + " must be one line without control characters");
    }
    return name;
  }

  private Node required(String key) {
    return entries
        .find(key)
        .orElseThrow(
            () ->
                YamlFile.problem(
                    yaml.root(),
                    "the key `%s` is missing; a task needs task, dataset, solver and scorer"
                        .formatted(key)));
  }
}
