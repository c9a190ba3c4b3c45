package dev.weir.log;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is known of a run when it begins.
 *
 * @param runId names the run; part of the file's name
 * @param taskId names what is evaluated; runs of the same task share it
 * @param origin where the task can be made again from; absent if a program made it
 * @param dataset what is asked
 * @param epochs how often each is run
 * @param seed what every random choice of the run depends on
 * @param concurrencyMode how its calls are regulated: {@code pace}
 * @param maxConnections the most calls that may be in flight
 * @param scorers by name, in order
 * @param solvers the steps of the pipeline
 * @param roles the models of other roles, such as {@code grader}
 * @param config the options that were given, by key
 * @param tags words to find it by
 * @param metadata what the user wants to be kept
 * @param retryOf the log whose finished samples it keeps, if it goes on with one
 * @param scoringOf the log whose answers are scored again, if that is all: no sample is run
 * @param scorerMetrics by scorer, its metrics: each a name, or JSON with what it was given; what
 *     only a program knows has a question mark before its name
 * @param scorerSteps the scorers as they were written, with what they were given; absent if nobody
 *     wrote them down
 */
public record RunStart(
    String runId,
    String taskId,
    String task,
    Optional<TaskOrigin> origin,
    DatasetRecord dataset,
    List<Step> solvers,
    String model,
    Map<String, String> roles,
    int epochs,
    long seed,
    String concurrencyMode,
    int maxConnections,
    List<String> scorers,
    Map<String, String> config,
    List<String> tags,
    Map<String, String> metadata,
    Instant started,
    Optional<String> retryOf,
    Optional<String> scoringOf,
    Optional<Map<String, List<String>>> scorerMetrics,
    Optional<List<Step>> scorerSteps) {

  public RunStart {
    solvers = List.copyOf(solvers);
    roles = Collections.unmodifiableMap(new LinkedHashMap<>(roles));
    scorers = List.copyOf(scorers);
    config = Collections.unmodifiableMap(new LinkedHashMap<>(config));
    tags = List.copyOf(tags);
    metadata = Collections.unmodifiableMap(new LinkedHashMap<>(metadata));
    scorerSteps = scorerSteps.map(List::copyOf);
  }

  /** A run that asks a model. */
  public RunStart(
      String runId,
      String taskId,
      String task,
      Optional<TaskOrigin> origin,
      DatasetRecord dataset,
      List<Step> solvers,
      String model,
      Map<String, String> roles,
      int epochs,
      long seed,
      String concurrencyMode,
      int maxConnections,
      List<String> scorers,
      Map<String, String> config,
      List<String> tags,
      Map<String, String> metadata,
      Instant started,
      Optional<String> retryOf) {
    this(
        runId,
        taskId,
        task,
        origin,
        dataset,
        solvers,
        model,
        roles,
        epochs,
        seed,
        concurrencyMode,
        maxConnections,
        scorers,
        config,
        tags,
        metadata,
        started,
        retryOf,
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  /** How many samples it has. */
  public int samples() {
    return dataset.sampleIds().size();
  }

  /**
   * A step of the pipeline, or a scorer.
   *
   * @param arguments what it was given
   */
  public record Step(String solver, Map<String, Object> arguments) {

    public Step {
      arguments = Collections.unmodifiableMap(new LinkedHashMap<>(arguments));
    }

    /** The same text for the same step, also when it was read from a log. */
    public String json() {
      return LogJson.LINES.writeValueAsString(this);
    }
  }
}
