package dev.weir.log;

import dev.weir.log.RunResult.ScorerMetrics;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;

/**
 * What the scores of a run amount to that did not live to tell it. Found with {@link
 * ServiceLoader}: whoever runs evaluations knows their metrics; without it there are means.
 */
public interface KilledRunScores {

  static Tally tally(RunStart start) {
    return ServiceLoader.load(KilledRunScores.class)
        .findFirst()
        .map(known -> known.of(start))
        .orElseGet(() -> new MeanScores(start));
  }

  /** Counts the samples of a run. */
  Tally of(RunStart start);

  /** The samples of a run, one by one. Not thread-safe. */
  interface Tally {

    /** Whether it has to know what samples tell beside their scores, which takes longer. */
    default boolean wantsMetadata() {
      return false;
    }

    /**
     * One that has ended in any way; of the same sample and epoch, the last counts.
     *
     * @param metadata empty if it is not wanted
     */
    void add(SampleSummary sample, Map<String, Object> metadata);

    /** Of each scorer, with each reducer. */
    List<ScorerMetrics> metrics();

    /** The mean of the first scorer over all samples, those that failed counted as 0. */
    Optional<Double> accuracyOverAll();

    /** What became of repeated samples; nothing if none is. */
    List<Reduced> reductions();

    /** What the run would have told and cannot be told now: {@code median of exact}. */
    default List<String> leftOut() {
      return List.of();
    }
  }
}
