package dev.weir.log.inspect;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a log tells about its run as a whole, as far as Weir needs it.
 *
 * @param status {@code started}, {@code success}, {@code cancelled} or {@code error}
 * @param steps of the plan, in order
 * @param results absent if the run did not come that far
 * @param error what halted the run
 */
public record InspectHeader(
    int version,
    String status,
    Spec eval,
    List<Step> steps,
    Optional<Results> results,
    Stats stats,
    Optional<String> error) {

  public InspectHeader {
    steps = List.copyOf(steps);
  }

  /**
   * What was to be evaluated. Texts that the log does not have are empty.
   *
   * @param created ISO 8601 with offset
   * @param scoringOf the log whose answers Weir only scored again
   * @param configJson the whole configuration, as JSON
   */
  public record Spec(
      String task,
      String taskId,
      String runId,
      String evalId,
      String created,
      String model,
      Dataset dataset,
      Config config,
      Optional<String> scoringOf,
      String configJson) {}

  /**
   * The dataset.
   *
   * @param samples how many it has, which may be more than were chosen
   * @param sampleIds those that were chosen; empty in old logs
   */
  public record Dataset(
      String name,
      String location,
      Optional<Integer> samples,
      List<SampleId> sampleIds,
      Optional<Boolean> isShuffled) {

    public Dataset {
      sampleIds = List.copyOf(sampleIds);
    }
  }

  /**
   * Settings of the run.
   *
   * @param limitJson a number, or a list of two
   * @param failOnErrorJson a boolean or a number
   */
  public record Config(
      int epochs,
      List<String> epochsReducers,
      Optional<String> limitJson,
      Optional<String> failOnErrorJson,
      Optional<Integer> messageLimit,
      Optional<Long> tokenLimit,
      Optional<Double> timeLimit,
      Optional<Double> workingLimit) {

    public Config {
      epochsReducers = List.copyOf(epochsReducers);
    }
  }

  /** A solver of the plan with its parameters, as JSON. */
  public record Step(String solver, String paramsJson) {}

  /** Results of the run. */
  public record Results(int totalSamples, int completedSamples, List<ScorerResult> scores) {

    public Results {
      scores = List.copyOf(scores);
    }
  }

  /**
   * Results of one scorer.
   *
   * @param metrics those that are numbers, by name; NaN is possible
   */
  public record ScorerResult(
      String name, String scorer, Optional<String> reducer, Map<String, Double> metrics) {

    public ScorerResult {
      metrics = Map.copyOf(metrics);
    }
  }

  /** When it began and ended, as ISO 8601, and what the models used. */
  public record Stats(String startedAt, String completedAt, Map<String, Usage> modelUsage) {

    public Stats {
      modelUsage = Map.copyOf(modelUsage);
    }
  }

  /** Tokens of one model. */
  public record Usage(long inputTokens, long outputTokens, long totalTokens) {}
}
