package dev.weir.eval.select;

import dev.weir.eval.Host;
import dev.weir.eval.Trials;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Secrets;
import dev.weir.eval.option.SelectionOptions;
import dev.weir.eval.option.Settings;
import dev.weir.eval.option.TraceOptions;
import dev.weir.eval.source.TaskSources;
import dev.weir.eval.task.SelectionFile;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.eval.task.TaskInput;
import dev.weir.model.ConfigurationException;
import dev.weir.selection.Arms;
import dev.weir.selection.Node;
import dev.weir.selection.SelectionPlan;
import dev.weir.selection.Selectors;
import dev.weir.time.Time;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A selection that is ready to run: which models are best for the nodes of a task.
 *
 * <pre>{@code
 * SelectionFindings found =
 *     ModelSelection.of(task)
 *         .node("planner", "openai/gpt-5.6-terra", "openai/gpt-5.6-luna")
 *         .node("model", "openai/gpt-5.6-terra", "anthropic/claude-sonnet-5-5")
 *         .option("budget", "25%")
 *         .prepare(Time.system(), Host.process())
 *         .run(progress -> {});
 * }</pre>
 *
 * <p>Each combination of candidates is tried on samples of the task, as {@link
 * dev.weir.selection.Selection} decides. Outcomes are journalled; a selection that was ended goes
 * on when the same is prepared and run again. Runs once.
 */
public final class ModelSelection {

  private static final int HASH_BYTES = 4;

  private final Time time;
  private final String name;
  private final Trials trials;
  private final SelectionPlan plan;
  private final SelectionOptions options;
  private final ChosenModels chosen;
  // Set once, by the task that runs it.
  private volatile @Nullable Engine engine;

  private ModelSelection(
      Time time,
      String name,
      Trials trials,
      SelectionPlan plan,
      SelectionOptions options,
      ChosenModels chosen) {
    this.time = time;
    this.name = name;
    this.trials = trials;
    this.plan = plan;
    this.options = options;
    this.chosen = chosen;
  }

  public static Builder of(TaskDefinition task) {
    return new Builder(task);
  }

  /**
   * Of a file, as {@link SelectionFile} describes it.
   *
   * @param given settings that win over those of the file
   * @throws ConfigurationException if anything cannot be used; nothing was called then
   */
  public static ModelSelection prepare(Time time, Path file, Settings given, Host host) {
    var input =
        new TaskInput(
            RunOptions.parse(given).samples().arguments(), host.environment(), TaskInput.NO_STDIN);
    SelectionFile read = SelectionFile.read(file, input);
    Builder builder = of(task(file, read, input)).named(stem(file)).settings(read.settings());
    builder.given = given;
    builder.places = read.places();
    read.nodes().forEach((node, models) -> builder.node(node, models.toArray(String[]::new)));
    return builder.prepare(time, host);
  }

  private static TaskDefinition task(Path file, SelectionFile read, TaskInput input) {
    if (read.task().isPresent()) {
      return read.task().get();
    }
    String source = read.source().orElseThrow();
    List<TaskDefinition> tasks = TaskSources.load(source, input);
    if (tasks.size() != 1) {
      throw new ConfigurationException(
          "%s: `task`: %s has %d tasks (%s); name one with @NAME"
              .formatted(
                  file,
                  source,
                  tasks.size(),
                  String.join(", ", tasks.stream().map(TaskDefinition::name).limit(5).toList())));
    }
    return tasks.getFirst();
  }

  private static String stem(Path file) {
    String name = String.valueOf(file.getFileName());
    int dot = name.lastIndexOf('.');
    return dot > 0 ? name.substring(0, dot) : name;
  }

  /** Collects what is to be selected. Not thread-safe. */
  public static final class Builder {

    private final TaskDefinition task;
    private final Map<String, List<String>> nodes = new LinkedHashMap<>();
    private String name;
    private Settings own = Settings.NONE;
    private Settings given = Settings.NONE;
    private Map<String, String> places = Map.of();

    private Builder(TaskDefinition task) {
      this.task = task;
      this.name = task.name();
    }

    /** What its journal is called. */
    public Builder named(String other) {
      name = other;
      return this;
    }

    /**
     * @param role of the task; {@code model} for the evaluated model
     * @param candidates as models of roles are written
     */
    public Builder node(String role, String... candidates) {
      if (nodes.putIfAbsent(role, List.of(candidates)) != null) {
        throw new ConfigurationException("there are two nodes '%s'".formatted(role));
      }
      return this;
    }

    /**
     * Any option of a selection or a run.
     *
     * @param option as it is called in a file: {@code max_concurrent}
     */
    public Builder option(String option, Object value) {
      own = own.with(option, value);
      return this;
    }

    /** All options at once. */
    public Builder settings(Settings all) {
      own = all;
      return this;
    }

    /**
     * Checks all of it, and opens the models. Nothing is called.
     *
     * @throws ConfigurationException if anything cannot be used
     */
    public ModelSelection prepare(Time time, Host host) {
      Settings settings = given.orElse(own);
      SelectionOptions options = SelectionOptions.parse(settings);
      requireNodes();
      var runs = new RunSettings(settings, options);
      runs.requireNotGiven(nodes.keySet());
      Arms arms =
          checked(
              settings,
              () ->
                  Arms.of(
                      nodes.entrySet().stream()
                          .map(node -> new Node(node.getKey(), node.getValue()))
                          .toList()));
      Trials trials =
          Trials.prepare(time, task, runs.bounded(task), host, nodes, places, runs.withoutPrices());
      try {
        int datapoints = trials.samples().size();
        long all = (long) arms.size() * datapoints;
        SelectionPlan plan =
            checked(
                settings,
                () ->
                    new SelectionPlan(
                        arms,
                        datapoints,
                        options.selector(),
                        options.objective(),
                        options.failures(),
                        options.budget().evaluations(all),
                        options.delta(),
                        trials.seed()));
        var chosen =
            new ChosenModels(
                RunOptions.parse(settings.orElse(task.settings())),
                new Secrets(host.environment()));
        return new ModelSelection(time, name, trials, plan, options, chosen);
      } catch (RuntimeException unusable) {
        trials.close();
        throw unusable;
      }
    }

    private void requireNodes() {
      if (nodes.isEmpty()) {
        throw new ConfigurationException("there are no nodes; name at least one");
      }
      if (nodes.keySet().containsAll(Trials.EVALUATED)) {
        throw new ConfigurationException(
            "`model` and `evaluated` are the same node; name it but once");
      }
    }

    private static <T> T checked(Settings settings, Supplier<T> made) {
      try {
        return made.get();
      } catch (IllegalArgumentException wrong) {
        String message = String.valueOf(wrong.getMessage());
        if (message.startsWith("`budget` ")) {
          throw settings.wrong("budget", message.substring("`budget` ".length()));
        }
        var told = new ConfigurationException(message, wrong);
        boolean isSelector =
            Selectors.names().stream().anyMatch(name -> message.startsWith("`" + name + "` "));
        throw isSelector ? settings.at("selector", told) : told;
      }
    }
  }

  /** What is to be selected. */
  public SelectionPlan plan() {
    return plan;
  }

  /**
   * Runs to the end; what an earlier time has found out is not paid for again. Cancelling the
   * calling task ends it cleanly, with what is known.
   *
   * @param watcher is told after each decision, on the calling task
   */
  public SelectionFindings run(Consumer<SelectionProgress> watcher) throws InterruptedException {
    try (trials) {
      trials.begin();
      SelectionJournal.Opened opened =
          SelectionJournal.open(
              trials.logDir(),
              name + "-" + hash(),
              SelectionJournal.Asked.of(asked(), trials.samples()),
              written(),
              time);
      var running = new Engine(time, trials, plan, options, opened, watcher);
      engine = running;
      return running.run();
    }
  }

  /** How it goes, while it runs and after; from any task. Empty before. */
  public Optional<SelectionPicture> picture() {
    return Optional.ofNullable(engine).map(Engine::picture);
  }

  /** The name of the task. */
  public String task() {
    return trials.task();
  }

  /**
   * All models of a combination as options of a task, by key, those that were not chosen included;
   * without credentials.
   */
  public Map<String, Object> configuration(int arm) {
    return chosen.options(models(plan.arms(), arm));
  }

  /** Reads the limits of engines again, which is done anyway when their files change. */
  public void reloadEngineLimits() {
    trials.reloadEngineLimits();
  }

  /** What is to be shown while it runs. */
  public TraceOptions.LogLevel logLevel() {
    return trials.logLevel();
  }

  /**
   * All that decides what is asked and how it is scored, but for candidates and samples, with which
   * outcomes are kept; nothing of what is made of them.
   */
  private String hash() {
    List<String> nodes = plan.arms().nodes().stream().map(ModelSelection::role).sorted().toList();
    List<String> parts = List.of(trials.identity(), String.valueOf(nodes));
    try {
      byte[] bytes = String.join("\n", parts).getBytes(StandardCharsets.UTF_8);
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return HexFormat.of().formatHex(digest, 0, HASH_BYTES);
    } catch (NoSuchAlgorithmException missing) {
      throw new IllegalStateException("each Java has SHA-256", missing);
    }
  }

  /** The evaluated model has two names. */
  private static String role(String node) {
    return Trials.EVALUATED.contains(node) ? Trials.EVALUATED.getFirst() : node;
  }

  /**
   * Of each combination: its models, with where they are asked if that shapes their answers. The
   * order in which somebody has named the nodes says nothing.
   */
  private List<List<String>> asked() {
    return IntStream.range(0, plan.arms().size())
        .mapToObj(
            arm ->
                models(plan.arms(), arm).entrySet().stream()
                    .sorted(Comparator.comparing(node -> role(node.getKey())))
                    .map(node -> asked(node.getKey(), node.getValue()))
                    .toList())
        .toList();
  }

  private String asked(String node, String model) {
    String endpoint = trials.endpoint(node, model);
    return endpoint.isEmpty() ? model : model + " at " + endpoint;
  }

  private Map<String, Object> written() {
    Map<String, Object> written = new LinkedHashMap<>();
    written.put("task", trials.task());
    written.put("nodes", plan.arms().nodes());
    written.put("combinations", plan.arms().size());
    written.put("datapoints", plan.datapoints());
    written.put("selector", plan.selector().toString());
    written.put("objective", plan.objective().toString());
    written.put("seed", plan.seed());
    return written;
  }

  static Map<String, String> models(Arms arms, int arm) {
    Map<String, String> models = new LinkedHashMap<>();
    for (int node = 0; node < arms.nodes().size(); node++) {
      models.put(arms.nodes().get(node), arms.models(arm).get(node));
    }
    return models;
  }
}
