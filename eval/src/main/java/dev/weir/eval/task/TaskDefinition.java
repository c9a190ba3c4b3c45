package dev.weir.eval.task;

import dev.weir.eval.dataset.Dataset;
import dev.weir.eval.dataset.DatasetFile;
import dev.weir.eval.dataset.Sample;
import dev.weir.eval.metric.Metric;
import dev.weir.eval.metric.Metrics;
import dev.weir.eval.option.OptionMethods;
import dev.weir.eval.option.Settings;
import dev.weir.eval.sample.Outset;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import dev.weir.eval.sandbox.SandboxProvider;
import dev.weir.eval.sandbox.SandboxSpec;
import dev.weir.eval.scorer.NoScoreException;
import dev.weir.eval.scorer.Score;
import dev.weir.eval.scorer.Scorer;
import dev.weir.eval.solver.Foresight;
import dev.weir.eval.solver.Solver;
import dev.weir.log.TaskOrigin;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import dev.weir.time.Time;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.json.JsonMapper;

/**
 * What is to be evaluated. In Java it reads as it does in a file:
 *
 * <pre>{@code
 * TaskDefinition.named("capitals")
 *     .dataset("capitals.csv")
 *     .solver(generate())
 *     .scorer(includes())
 *     .model("sim/demo")
 *     .maxConnections(10)
 *     .build();
 * }</pre>
 *
 * @param name one line, for people
 * @param solvers run in order on each sample, at least one
 * @param scorers at least one, with distinct names
 * @param sandbox where the tools of a sample run, if it needs one
 * @param settings what the task sets; the command line and the environment win over it
 * @param places where its parts stand
 * @param provenance where it comes from
 */
public record TaskDefinition(
    String name,
    Dataset dataset,
    List<Solver> solvers,
    List<NamedScorer> scorers,
    Optional<SandboxSpec> sandbox,
    Settings settings,
    Places places,
    Provenance provenance) {

  public TaskDefinition {
    solvers = List.copyOf(solvers);
    scorers = List.copyOf(scorers);
    if (name.isBlank() || !Printable.isLine(name)) {
      throw new IllegalArgumentException(
          "`name` must be one line without control characters, was '%s'"
              .formatted(Printable.line(name)));
    }
    if (solvers.isEmpty()) {
      throw new IllegalArgumentException("`solvers` must not be empty");
    }
    if (scorers.isEmpty()) {
      throw new IllegalArgumentException("`scorers` must not be empty");
    }
    Set<String> names = new HashSet<>();
    for (NamedScorer scorer : scorers) {
      if (!names.add(scorer.name())) {
        throw new IllegalArgumentException(
            "scorers must have distinct names, but '%s' is there twice".formatted(scorer.name()));
      }
    }
  }

  public static Builder named(String name) {
    return new Builder(name);
  }

  /** The same task under another name. */
  public TaskDefinition with(String otherName) {
    return new TaskDefinition(
        otherName, dataset, solvers, scorers, sandbox, settings, places, provenance);
  }

  /** The same task on other samples. */
  public TaskDefinition with(Dataset samples) {
    return new TaskDefinition(
        name, samples, solvers, scorers, sandbox, settings, places, provenance);
  }

  /** The same task under other settings. */
  public TaskDefinition with(Settings changed) {
    return new TaskDefinition(
        name, dataset, solvers, scorers, sandbox, changed, places, provenance);
  }

  /** The same task, with where it can be made again from. */
  public TaskDefinition with(TaskOrigin origin) {
    return new TaskDefinition(
        name, dataset, solvers, scorers, sandbox, settings, places, provenance.of(origin));
  }

  /**
   * Fails if a step could not do its work: before the first call, not after the first is paid for.
   *
   * @param samples whether to look at each of them as well
   * @param servers whether programs that tools need are looked for, and servers among them started
   *     to ask what they offer
   * @param time bounds how long that takes
   * @return what was not looked at, for people
   * @throws ConfigurationException what is missing, where, and what to do
   */
  public Optional<String> check(
      SandboxProvider sandboxes, boolean samples, boolean servers, Time time)
      throws InterruptedException {
    var task =
        new Foresight(
            new Outset(
                sandbox,
                program -> !servers || sandbox.isEmpty() || sandboxes.has(sandbox.get(), program),
                servers ? Optional.of(time) : Optional.empty()),
            samples ? dataset : Dataset.EMPTY,
            time::nanos);
    task.requireSetups(name);
    checkSolvers(task);
    for (int i = 0; i < scorers.size(); i++) {
      try {
        scorers.get(i).scorer().foresee(task);
      } catch (ConfigurationException wrong) {
        throw Places.at(places.ofScorer(i), name, wrong);
      }
    }
    try {
      if (sandbox.isPresent()) {
        sandboxes.check(sandbox.get());
      }
    } catch (ConfigurationException wrong) {
      throw Places.at(places.sandbox(), name, wrong);
    }
    return task.leftOut();
  }

  private void checkSolvers(Foresight task) {
    int offering = 0;
    int step = 0;
    try {
      for (; step < solvers.size(); step++) {
        boolean hadIdle = task.hasIdleTools();
        solvers.get(step).foresee(task);
        offering = !hadIdle && task.hasIdleTools() ? step : offering;
      }
      step = 0;
      task.requireAsked();
      step = offering;
      task.requireToolsUsed();
    } catch (ConfigurationException wrong) {
      throw Places.at(places.ofSolver(step), name, wrong);
    }
  }

  /**
   * Fails if a metric looks at a key of the metadata that no sample has.
   *
   * @param selected those of its samples that are to run
   * @return which keys some of them lack, for people
   * @throws ConfigurationException which key, where, and which it may be
   */
  public List<String> checkMetrics(Dataset selected) {
    return MetricKeys.check(this, selected);
  }

  /**
   * A scorer, what its scores are called, and what is made of them.
   *
   * @param metrics over all samples
   */
  public record NamedScorer(String name, Scorer scorer, List<Metric> metrics) {

    public NamedScorer {
      metrics = List.copyOf(metrics);
    }

    /** With the usual metrics. */
    public NamedScorer(String name, Scorer scorer) {
      this(name, scorer, Metrics.usual());
    }

    /**
     * Judges an answer.
     *
     * @throws NoScoreException also if the scorer, which may be anybody's, gives null
     */
    public Score score(SampleState state, SampleContext context) throws Exception {
      Score score = scorer.score(state, context);
      if (score == null) {
        throw new NoScoreException(
            "the scorer '%s' gave null; it must give a score, or throw NoScoreException with why"
                    .formatted(name)
                + " there is none");
      }
      return score;
    }
  }

  /**
   * Collects the parts of a task, and what it sets: the command line and the environment win over
   * that. Not thread-safe.
   */
  public static final class Builder implements OptionMethods<Builder> {

    private final String name;
    private Dataset dataset = Dataset.EMPTY;
    private final List<Solver> solvers = new ArrayList<>();
    private final List<NamedScorer> scorers = new ArrayList<>();
    private Optional<SandboxSpec> sandbox = Optional.empty();
    private Settings settings = Settings.NONE;

    private Builder(String name) {
      this.name = name;
    }

    public Builder dataset(Dataset samples) {
      dataset = samples;
      return this;
    }

    public Builder dataset(Sample... samples) {
      return dataset(Dataset.of(samples));
    }

    /**
     * Read from a file.
     *
     * @param file relative to the file that the task is in; see {@link TaskPaths}
     */
    public Builder dataset(String file) {
      return dataset(DatasetFile.read(TaskPaths.resolve(file)));
    }

    /** Adds to those that are there. */
    public Builder solver(Solver... steps) {
      solvers.addAll(List.of(steps));
      return this;
    }

    /** Under its own name; adds to those that are there. */
    public Builder scorer(Scorer scorer) {
      return scorer(scorer.name(), scorer);
    }

    /** Under its own name, with metrics of its own; adds to those that are there. */
    public Builder scorer(Scorer scorer, Metric... metrics) {
      return scorer(scorer.name(), scorer, metrics);
    }

    /** Adds to those that are there. */
    public Builder scorer(String scoreName, Scorer scorer) {
      scorers.add(new NamedScorer(scoreName, scorer));
      return this;
    }

    /** With metrics of its own; adds to those that are there. */
    public Builder scorer(String scoreName, Scorer scorer, Metric... metrics) {
      scorers.add(new NamedScorer(scoreName, scorer, List.of(metrics)));
      return this;
    }

    public Builder sandbox(SandboxSpec spec) {
      sandbox = Optional.of(spec);
      return this;
    }

    /** The model that plays another part, such as {@code grader}; adds to those that are there. */
    public Builder role(String role, String model) {
      // As JSON, since the names of models may have commas in them.
      String word = new JsonMapper().writeValueAsString(Map.of(role, model));
      settings = Settings.NONE.with("model_role", word).orElse(settings);
      return this;
    }

    /**
     * @param reducers what becomes of the scores of a repeated sample: {@code pass_at_2}
     */
    public Builder epochs(int times, String... reducers) {
      return epochs(times).epochsReducer(reducers);
    }

    @Override
    public Builder option(String option, Object value) {
      settings = settings.with(option, value);
      return this;
    }

    public Builder settings(Settings all) {
      settings = all;
      return this;
    }

    public TaskDefinition build() {
      return new TaskDefinition(
          name, dataset, solvers, scorers, sandbox, settings, Places.NONE, Provenance.NONE);
    }
  }
}
