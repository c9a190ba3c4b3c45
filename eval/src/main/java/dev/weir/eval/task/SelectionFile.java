package dev.weir.eval.task;

import dev.weir.eval.option.Option;
import dev.weir.eval.option.Options;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.SelectionOptions;
import dev.weir.eval.option.Settings;
import dev.weir.model.ConfigurationException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * Which models are to be chosen from, read from a YAML file:
 *
 * <pre>
 * task: agents.yaml            # or a task itself, as a mapping
 * nodes:
 *   planner: [openai/gpt-5.6-terra, openai/gpt-5.6-luna]
 *   model: [openai/gpt-5.6-terra, anthropic/claude-sonnet-5-5]
 * budget: 25%                  # this and what follows is optional
 * max_concurrent: 20
 * </pre>
 *
 * <p>docs/selection.md tells all of it.
 *
 * @param source where the task is, as on the command line; absent if it is in the file
 * @param task the task that is in the file
 * @param nodes the candidates of each
 * @param places where each node stands, for people
 * @param settings of the selection and of the runs
 */
public record SelectionFile(
    Optional<String> source,
    Optional<TaskDefinition> task,
    Map<String, List<String>> nodes,
    Map<String, String> places,
    Settings settings) {

  private static final List<Option> OPTIONS =
      Stream.concat(Options.ofSelection().stream(), Options.all().stream()).toList();

  /** Keys that only a task has. */
  private static final List<String> OF_TASKS = List.of("dataset", "solver", "scorer");

  private static final List<String> KEYS =
      Stream.concat(Stream.of("task", "nodes"), OPTIONS.stream().map(Option::key)).toList();

  /**
   * @throws ConfigurationException if anything in it cannot be used, with file, line and column;
   *     never with a value of the environment
   */
  public static SelectionFile read(Path file, TaskInput input) {
    var substitution = new Substitution(input.environment());
    try {
      return read(YamlFile.read(file, substitution), input, substitution);
    } catch (ConfigurationException wrong) {
      throw substitution.hiding(wrong);
    }
  }

  private static SelectionFile read(YamlFile yaml, TaskInput input, Substitution substitution) {
    requireNoTask(yaml);
    Map<String, Node> entries = yaml.mapping(yaml.root(), "a selection", KEYS);
    Node task = required(yaml, entries, "task");
    Node nodes = required(yaml, entries, "nodes");
    Map<String, List<String>> candidates = new LinkedHashMap<>();
    Map<String, String> places = new LinkedHashMap<>();
    yaml.mapping(nodes, "`nodes`")
        .forEach(
            (name, node) -> {
              candidates.put(name, candidates(yaml, name, node));
              places.put(name, TaskFile.place(yaml.keyNode(nodes, name), name));
            });
    if (candidates.isEmpty()) {
      throw YamlFile.problem(nodes, "`nodes` must name at least one node with its candidates");
    }
    Settings settings =
        TaskFile.settings(yaml, OPTIONS, key -> Optional.ofNullable(entries.get(key)));
    // Wrong words are told with their place, even if others win over them.
    RunOptions.parse(settings);
    SelectionOptions.requireReadable(settings);
    boolean isInline = yaml.isMapping(task);
    return new SelectionFile(
        isInline ? Optional.empty() : Optional.of(source(yaml, task)),
        isInline
            ? Optional.of(TaskFile.read(yaml.at(task), input, substitution))
            : Optional.empty(),
        candidates,
        places,
        settings);
  }

  /** Each key of a task would be unknown, with some dozens of others to choose from. */
  private static void requireNoTask(YamlFile yaml) {
    Map<String, Node> entries =
        yaml.isMapping(yaml.root()) ? yaml.mapping(yaml.root(), "a selection") : Map.of();
    boolean isTask = OF_TASKS.stream().anyMatch(entries::containsKey);
    if (isTask && !entries.containsKey("nodes")) {
      throw YamlFile.problem(
          yaml.root(),
          "this is a task; a selection file has `task` (such as this file) and `nodes`, the"
              + " candidates for each step; `weir help select` shows an example");
    }
  }

  private static Node required(YamlFile yaml, Map<String, Node> entries, String key) {
    Node node = entries.get(key);
    if (node == null) {
      throw YamlFile.problem(
          yaml.root(), "the key `%s` is missing; a selection needs task and nodes".formatted(key));
    }
    return node;
  }

  private static List<String> candidates(YamlFile yaml, String name, Node node) {
    List<String> candidates = new ArrayList<>();
    if (!yaml.isNull(node)) {
      for (Node item : yaml.items(node)) {
        String model = yaml.word(item, "a candidate of `%s`".formatted(name));
        if (candidates.contains(model)) {
          throw YamlFile.problem(
              item, "the node '%s' names the model %s twice".formatted(name, model));
        }
        candidates.add(model);
      }
    }
    if (candidates.isEmpty()) {
      throw YamlFile.problem(
          yaml.isNull(node) ? node : yaml.keyNode(node, name),
          "the node '%s' has no candidates; name at least one model".formatted(name));
    }
    return List.copyOf(candidates);
  }

  /** Relative to the file if there is something; a class on the class path is no file. */
  private static String source(YamlFile yaml, Node node) {
    String text = yaml.text(node, "`task`");
    int at = text.lastIndexOf('@');
    String place = at < 0 ? text : text.substring(0, at);
    Path beside = yaml.resolve(node, "`task`", place);
    return Files.exists(beside) ? beside + (at < 0 ? "" : text.substring(at)) : text;
  }
}
